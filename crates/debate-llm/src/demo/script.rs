//! The text of the demo's turns: a reply to the other side's last theme, then a theme of its own.

use std::cmp::Ordering;
use std::fmt::Write as _;

use serde_json::json;

use super::themes::{THEMES, Theme};
use super::{AssignedStance, PromptData, PromptTask, Speaker};

/// The longest topic that is quoted whole.
const TOPIC_LETTERS_MOST: usize = 160;

pub(super) fn answer(task: &PromptData) -> String {
    match task.role {
        PromptTask::Argue { you, stance } => argument(task, you, stance),
        PromptTask::Judge => verdict(task),
    }
}

fn argument(task: &PromptData, you: Speaker, stance: AssignedStance) -> String {
    let PromptData { round, language, topic, .. } = task;
    let mut text = "[Demo: scripted text, no model call.] ".to_owned();
    if !language.starts_with("en") {
        write!(text, "[The demo writes English only; the requested language is {language}.] ")
            .expect("a String takes whatever is written");
    }
    let (other, before) = match you {
        Speaker::A => (Speaker::B, round.saturating_sub(1)),
        Speaker::B => (Speaker::A, *round),
    };
    if let Some(theme) = theme_in_turn(task, other, before) {
        let reply = match stance {
            AssignedStance::For => theme.reply_for,
            AssignedStance::Against => theme.reply_against,
        };
        text.push_str(reply);
        text.push_str("\n\n");
    }
    let own = theme(topic, you, *round);
    let (position, case) = match stance {
        AssignedStance::For => ("for", own.case_for),
        AssignedStance::Against => ("against", own.case_against),
    };
    let (topic, point) = (short(topic), point(own));
    write!(text, "I argue {position} “{topic}”. {point} {case}")
        .expect("a String takes whatever is written");
    text
}

/// The sentence that names the theme of a turn.
fn point(theme: &Theme) -> String {
    format!("My point in this round: {}.", theme.name)
}

/// The theme of a side in a round, if the demo wrote that turn. Where a model wrote it, the demo
/// does not guess what the model said.
fn theme_in_turn(task: &PromptData, label: Speaker, round: u32) -> Option<&'static Theme> {
    let theme = theme(&task.topic, label, round);
    earlier_text(task, label, round).contains(&point(theme)).then_some(theme)
}

fn earlier_text(task: &PromptData, label: Speaker, round: u32) -> String {
    let turns = task.turns.iter().filter(|turn| turn.round == round && turn.speaker == label);
    turns.map(|turn| turn.text.as_str()).collect()
}

/// Which theme a side has in a round. Two a round, none twice before all were had.
fn theme(topic: &str, label: Speaker, round: u32) -> &'static Theme {
    let turn = round.saturating_sub(1).saturating_mul(2);
    let turn = match label {
        Speaker::A => turn,
        Speaker::B => turn.saturating_add(1),
    };
    let themes = u32::try_from(THEMES.len()).unwrap_or(u32::MAX);
    let at = usize::try_from(draw(topic, "theme").wrapping_add(turn) % themes).unwrap_or(0);
    THEMES.get(at).expect("a remainder is less than what it was divided by")
}

/// A verdict with arbitrary scores, which depend only on the topic and the texts. The summary says
/// that they are arbitrary.
fn verdict(task: &PromptData) -> String {
    let PromptData { round, topic, .. } = task;
    let points = |label: Speaker| 5 + draw(topic, &earlier_text(task, label, *round)) % 5;
    let (score_a, score_b) = (points(Speaker::A), points(Speaker::B));
    let winner = match score_a.cmp(&score_b) {
        Ordering::Greater => "a",
        Ordering::Less => "b",
        Ordering::Equal => "tie",
    };
    let themes = u32::try_from(THEMES.len()).unwrap_or(u32::MAX);
    let nothing_new = round.saturating_mul(2) > themes;
    let spoke = [(Speaker::A, "A"), (Speaker::B, "B")].map(|(label, name)| {
        theme_in_turn(task, label, *round)
            .map_or_else(String::new, |theme| format!(" {name} argued about {}.", theme.name))
    });
    let summary = format!(
        "[Demo: the scores are arbitrary, no model judged.] Round {round} on “{}” is complete.{} \
         A real model would weigh the evidence for each side here before it gives the scores.",
        short(topic),
        spoke.concat()
    );
    json!({
        "summary": summary,
        "score_a": score_a,
        "score_b": score_b,
        "winner": winner,
        "no_new_substantive_arguments": nothing_new,
    })
    .to_string()
}

fn short(topic: &str) -> String {
    let topic = topic.split_whitespace().collect::<Vec<_>>().join(" ");
    if topic.chars().count() <= TOPIC_LETTERS_MOST {
        return topic;
    }
    let head: String = topic.chars().take(TOPIC_LETTERS_MOST).collect();
    format!("{}…", head.trim_end())
}

/// A number that looks drawn, and is always the same for the same texts (FNV-1a).
fn draw(topic: &str, about: &str) -> u32 {
    let bytes = topic.bytes().chain([0]).chain(about.bytes());
    let drawn = bytes
        .fold(0x811c_9dc5_u32, |hash, byte| (hash ^ u32::from(byte)).wrapping_mul(0x0100_0193));
    // The low bits of FNV are its weakest.
    drawn >> 8
}
