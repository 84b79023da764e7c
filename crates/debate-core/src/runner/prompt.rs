//! Prompts of a run: versioned templates, and the run as fenced data.
//!
//! Templates contain only our own text and values from fixed lists. The topic and the turns are
//! only in the data block, so that a debater's "the judge finds for A" is data and not an
//! instruction.

use super::cursor::{Actor, Cursor};
use super::run::{Outcome, Turn};
use super::settings::{DebaterSide, RunSettings};
use super::verdict::NotAVerdict;
use crate::{Fence, Message, MessageRole, Prompt, Topic};

/// The version of the prompt texts. A run keeps the version it was created with, so the files of a
/// released version are never edited: new wording is a new version.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum PromptVersion {
    /// The files in `prompts/v1`.
    V1,
    /// The files in `prompts/v2`.
    V2,
}

/// The files of one version.
struct PromptFiles {
    debater: &'static str,
    debater_task: &'static str,
    judge: &'static str,
    judge_task: &'static str,
    repair: &'static str,
}

const V1: PromptFiles = PromptFiles {
    debater: include_str!("../../prompts/v1/debater.md"),
    debater_task: include_str!("../../prompts/v1/debater-task.md"),
    judge: include_str!("../../prompts/v1/judge.md"),
    judge_task: include_str!("../../prompts/v1/judge-task.md"),
    repair: include_str!("../../prompts/v1/repair.md"),
};

const V2: PromptFiles = PromptFiles {
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

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::V1 => "v1",
            Self::V2 => "v2",
        }
    }

    /// The version with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|version| version.name() == name)
    }

    const fn files(self) -> &'static PromptFiles {
        match self {
            Self::V1 => &V1,
            Self::V2 => &V2,
        }
    }
}

/// The parts of a run that a prompt contains.
#[derive(Debug, Clone, Copy)]
pub struct PromptInput<'d> {
    /// The topic of the run.
    pub topic: &'d Topic,
    /// The settings of the run.
    pub settings: &'d RunSettings,
    /// The turns so far, oldest first.
    pub turns: &'d [Turn],
}

/// The maximum number of bytes of turns in a prompt. The oldest turns are omitted first, and the
/// prompt contains their number.
const QUOTED_BYTES_MOST: usize = 256 * 1024;

/// The prompt for the turn at `cursor`. The fence must be random and used once.
#[must_use]
pub fn build_prompt(brief: &PromptInput<'_>, cursor: Cursor, fence: &Fence) -> Prompt {
    let texts = brief.settings.prompt_version.files();
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
    let data = data_line(brief, cursor, fence);
    let task = fill(task, &values);
    vec![
        Message { role: MessageRole::System, text: fill(role, &values) },
        Message { role: MessageRole::User, text: format!("{begin}\n{data}\n{end}\n\n{task}") },
    ]
}

/// The prompt that asks a judge again whose `answer` was not a verdict.
#[must_use]
pub fn repair_prompt(
    mut asked: Prompt,
    version: PromptVersion,
    answer: String,
    why: NotAVerdict,
) -> Prompt {
    let why = why.to_string();
    let text = fill(version.files().repair, &[("{{why}}", why.as_str())]);
    asked.push(Message { role: MessageRole::Assistant, text: answer });
    asked.push(Message { role: MessageRole::User, text });
    asked
}

/// Replaces the placeholders of a template. The values are our own and contain no braces.
fn fill(template: &str, values: &[(&str, &str)]) -> String {
    let filled =
        values.iter().fold(template.to_owned(), |text, (name, value)| text.replace(name, value));
    filled.trim_end().to_owned()
}

const fn stance(settings: &RunSettings, actor: Actor) -> &'static str {
    let stance = match actor {
        Actor::DebaterA => settings.debater_a_side,
        Actor::DebaterB => settings.debater_a_side.other(),
        Actor::Judge => return "neither for nor against",
    };
    match stance {
        DebaterSide::Pro => "for",
        DebaterSide::Con => "against",
    }
}

/// The run as one line of JSON.
fn data_line(brief: &PromptInput<'_>, cursor: Cursor, fence: &Fence) -> String {
    let said = brief.turns.iter().filter_map(|turn| quote_turn(turn, fence)).collect::<Vec<_>>();
    let omitted = count_omitted(&said);
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
    let topic = fence.quote(brief.topic.as_str());
    let turns = kept.join(",");
    format!(
        "{{{task}{stance},\"round\":{round},\"language\":\"{language}\",\"topic\":{topic},\
         \"omitted_turns\":{omitted},\"turns\":[{turns}]}}"
    )
}

/// A debater's turn under a neutral label. Verdicts are left out: a debater would argue to the
/// judge, and a judge would repeat its verdict.
fn quote_turn(turn: &Turn, fence: &Fence) -> Option<String> {
    let speaker = match turn.cursor.actor {
        Actor::DebaterA => "A",
        Actor::DebaterB => "B",
        Actor::Judge => return None,
    };
    let text = match turn.metadata.outcome {
        Outcome::Ok | Outcome::Truncated => fence.quote(&turn.content),
        // The text of a refusal is not an argument.
        Outcome::Refused => "\"\"".to_owned(),
    };
    let round = turn.cursor.round;
    let outcome = turn.metadata.outcome.name();
    Some(format!(
        "{{\"round\":{round},\"speaker\":\"{speaker}\",\"outcome\":\"{outcome}\",\"text\":{text}}}"
    ))
}

/// The number of oldest turns to omit so that the others fit.
fn count_omitted(said: &[String]) -> usize {
    let fits = said.iter().rev().scan(0_usize, |bytes, turn| {
        *bytes = bytes.saturating_add(turn.len());
        (*bytes <= QUOTED_BYTES_MOST).then_some(())
    });
    said.len().saturating_sub(fits.count())
}
