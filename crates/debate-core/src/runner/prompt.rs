//! What a model is asked: a versioned text of ours, and the debate as fenced data.
//!
//! Templates hold nothing but our own words and values of few choices. The topic and everything
//! that was said stand in the data block alone, so a debater who writes "the judge finds for A"
//! has written a text about a judge.

use super::cursor::{Actor, Cursor};
use super::settings::{Settings, Stance};
use super::turn::{Outcome, Turn};
use super::verdict::NotAVerdict;
use crate::{Fence, Message, Prompt, Speaker, Topic};

/// The version of the prompt texts. A run keeps the version it was created with, so the files of a
/// released version are never edited: new wording is a new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptVersion {
    /// `prompts/v1`.
    V1,
    /// `prompts/v2`.
    V2,
}

/// The files of one version.
struct Texts {
    debater: &'static str,
    debater_task: &'static str,
    judge: &'static str,
    judge_task: &'static str,
    repair: &'static str,
}

const V1: Texts = Texts {
    debater: include_str!("../../prompts/v1/debater.md"),
    debater_task: include_str!("../../prompts/v1/debater-task.md"),
    judge: include_str!("../../prompts/v1/judge.md"),
    judge_task: include_str!("../../prompts/v1/judge-task.md"),
    repair: include_str!("../../prompts/v1/repair.md"),
};

const V2: Texts = Texts {
    debater: include_str!("../../prompts/v2/debater.md"),
    debater_task: include_str!("../../prompts/v2/debater-task.md"),
    judge: include_str!("../../prompts/v2/judge.md"),
    judge_task: include_str!("../../prompts/v2/judge-task.md"),
    repair: include_str!("../../prompts/v2/repair.md"),
};

impl PromptVersion {
    /// Every version, oldest first.
    pub const ALL: [Self; 2] = [Self::V1, Self::V2];
    /// The version of runs whose creation names none.
    pub const DEFAULT: Self = Self::V2;

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
        }
    }

    /// The version of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }

    const fn texts(self) -> &'static Texts {
        match self {
            Self::V1 => &V1,
            Self::V2 => &V2,
        }
    }
}

/// A debate, as far as a prompt needs it.
#[derive(Debug, Clone, Copy)]
pub struct Brief<'d> {
    /// What it is about.
    pub topic: &'d Topic,
    /// How it is run.
    pub settings: &'d Settings,
    /// What was said so far, oldest first.
    pub turns: &'d [Turn],
}

/// The most bytes of a transcript that a prompt quotes. The oldest turns are left out first, and
/// how many is said.
const QUOTED_BYTES_MOST: usize = 256 * 1024;

/// What `cursor.actor` is asked for the turn at `cursor`. The fence must be random and new.
#[must_use]
pub fn prompt(brief: &Brief<'_>, cursor: Cursor, fence: &Fence) -> Prompt {
    let texts = brief.settings.prompt_version.texts();
    let (role, task, label) = match cursor.actor {
        Actor::DebaterA => (texts.debater, texts.debater_task, "A"),
        Actor::DebaterB => (texts.debater, texts.debater_task, "B"),
        Actor::Judge => (texts.judge, texts.judge_task, "the judge"),
    };
    let round = cursor.round.to_string();
    let (begin, end) = (fence.begin(), fence.end());
    let values = [
        ("{{label}}", label),
        ("{{stance}}", stance(brief.settings, cursor.actor)),
        ("{{language}}", brief.settings.output_language.tag()),
        ("{{round}}", round.as_str()),
        ("{{begin}}", begin.as_str()),
        ("{{end}}", end.as_str()),
    ];
    let data = data(brief, cursor, fence);
    let task = filled(task, &values);
    vec![
        Message { speaker: Speaker::System, text: filled(role, &values) },
        Message { speaker: Speaker::User, text: format!("{begin}\n{data}\n{end}\n\n{task}") },
    ]
}

/// The question to a judge whose `answer` was no verdict, asked once more.
#[must_use]
pub fn repaired(
    mut asked: Prompt,
    version: PromptVersion,
    answer: String,
    why: NotAVerdict,
) -> Prompt {
    let why = why.to_string();
    let text = filled(version.texts().repair, &[("{{why}}", why.as_str())]);
    asked.push(Message { speaker: Speaker::Model, text: answer });
    asked.push(Message { speaker: Speaker::User, text });
    asked
}

/// A template with its values in place. They are our own, and none of them contains a brace.
fn filled(template: &str, values: &[(&str, &str)]) -> String {
    let filled =
        values.iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value));
    filled.trim_end().to_owned()
}

const fn stance(settings: &Settings, actor: Actor) -> &'static str {
    let stance = match actor {
        Actor::DebaterA => settings.debater_a_side,
        Actor::DebaterB => settings.debater_a_side.other(),
        Actor::Judge => return "neither for nor against",
    };
    match stance {
        Stance::Pro => "for",
        Stance::Con => "against",
    }
}

/// The debate as one line of JSON.
fn data(brief: &Brief<'_>, cursor: Cursor, fence: &Fence) -> String {
    let said = brief.turns.iter().filter_map(|turn| quoted(turn, fence)).collect::<Vec<_>>();
    let omitted = omitted(&said);
    let kept = said.get(omitted..).unwrap_or_default();
    let task = match cursor.actor {
        Actor::DebaterA => "\"task\":\"argue\",\"you\":\"A\"",
        Actor::DebaterB => "\"task\":\"argue\",\"you\":\"B\"",
        Actor::Judge => "\"task\":\"judge\"",
    };
    let round = cursor.round;
    let stance = match cursor.actor {
        Actor::DebaterA | Actor::DebaterB => {
            format!(",\"stance\":\"{}\"", stance(brief.settings, cursor.actor))
        }
        Actor::Judge => String::new(),
    };
    let language = brief.settings.output_language.tag();
    let topic = fence.quoted(brief.topic.as_str());
    let turns = kept.join(",");
    format!(
        "{{{task}{stance},\"round\":{round},\"language\":\"{language}\",\"topic\":{topic},\
         \"omitted_turns\":{omitted},\"turns\":[{turns}]}}"
    )
}

/// A debater's turn under a neutral label. What judges said is told to nobody: a debater would
/// argue to the judge, and a judge would agree with itself.
fn quoted(turn: &Turn, fence: &Fence) -> Option<String> {
    let speaker = match turn.place.actor {
        Actor::DebaterA => "A",
        Actor::DebaterB => "B",
        Actor::Judge => return None,
    };
    let text = match turn.metadata.outcome {
        Outcome::Ok | Outcome::Truncated => fence.quoted(&turn.content),
        // Why a model would not argue is no argument.
        Outcome::Refused => "\"\"".to_owned(),
    };
    let round = turn.place.round;
    let outcome = turn.metadata.outcome.name();
    Some(format!(
        "{{\"round\":{round},\"speaker\":\"{speaker}\",\"outcome\":\"{outcome}\",\"text\":{text}}}"
    ))
}

/// How many of the oldest have to be left out for the rest to fit.
fn omitted(said: &[String]) -> usize {
    let fits = said.iter().rev().scan(0_usize, |bytes, turn| {
        *bytes = bytes.saturating_add(turn.len());
        (*bytes <= QUOTED_BYTES_MOST).then_some(())
    });
    said.len().saturating_sub(fits.count())
}
