//! Runs that differ only where a test says so.

use debate_core::runner::{
    Actor, Cursor, JudgeMode, Judgement, Metadata, Outcome, Round, RunDefaults, RunSettings,
    RunSettingsDraft, Turn, Verdict, Winner,
};
use debate_core::{ModelName, RunId, Seq, Topic, TurnId, Usage};
use uuid::Uuid;

use crate::support::instant;

pub(super) fn model(name: &str) -> ModelName {
    ModelName::new(name).expect("tests name models rightly")
}

pub(super) fn defaults() -> RunDefaults {
    RunDefaults::with_models(model("demo:paced"), model("demo:fast"))
}

pub(super) fn settings(draft: RunSettingsDraft) -> RunSettings {
    RunSettings::merge(draft, &defaults()).expect("tests ask for what can be")
}

pub(super) fn in_mode(mode: JudgeMode) -> RunSettingsDraft {
    RunSettingsDraft { judge_mode: Some(mode.name().to_owned()), ..RunSettingsDraft::default() }
}

pub(super) fn cursor_at(round: u32, actor: Actor) -> Cursor {
    Cursor { round: Round::new(round).expect("rounds begin at 1"), actor }
}

pub(super) fn topic(text: &str) -> Topic {
    Topic::new(text.to_owned()).expect("tests use plain topics")
}

pub(super) fn verdict(nothing_new: bool) -> Verdict {
    Verdict::new("A answered more.", [7, 5], Winner::A, nothing_new).expect("it is one")
}

/// The turn with this number, cursor and content.
pub(super) fn turn(number: u32, cursor: Cursor, content: &str) -> Turn {
    let judgement = (cursor.actor == Actor::Judge).then(|| Judgement::Given(verdict(false)));
    Turn {
        id: TurnId::new(Uuid::from_u128(u128::from(number))),
        run: RunId::new(Uuid::from_u128(7)),
        seq: Seq::new(number),
        cursor,
        content: content.to_owned(),
        model: None,
        usage: Usage::UNREPORTED,
        metadata: Metadata { outcome: Outcome::Ok, judgement, duration_ms: None },
        created_at: instant(number),
    }
}
