//! Runs that differ only where a test says so.

use debate_core::runner::{
    Acquired, Actor, Command, Cursor, JudgeMode, Judgement, Metadata, NewRun, Outcome, Round,
    RunDefaults, RunRecord, RunSettings, RunSettingsDraft, Turn, UnknownOutcomePolicy, Verdict,
    Winner, create_run,
};
use debate_core::{ModelName, RunId, Seq, Topic, TurnId, Usage};
use jiff::SignedDuration;
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

pub(crate) fn cursor_at(round: u32, actor: Actor) -> Cursor {
    Cursor { round: Round::new(round).expect("rounds begin at 1"), actor }
}

pub(super) fn topic(text: &str) -> Topic {
    Topic::new(text.to_owned()).expect("tests use plain topics")
}

pub(super) fn verdict(nothing_new: bool) -> Verdict {
    Verdict::new("A answered more.", [7, 5], Winner::A, nothing_new).expect("it is one")
}

/// The duration of the leases of these tests.
pub(super) const LEASE: SignedDuration = SignedDuration::from_secs(15);

/// A run that was created at second 0.
pub(super) fn run_with(draft: RunSettingsDraft) -> RunRecord {
    let opening = NewRun {
        run: RunId::new(Uuid::from_u128(7)),
        topic: topic("Tea"),
        settings: settings(draft),
    };
    create_run(&opening, instant(0))
}

/// A run with a lease from second 0 to 15.
pub(super) fn leased_run() -> RunRecord {
    let running = run_with(RunSettingsDraft::default()).apply_command(Command::Start, instant(0));
    match running.expect("it can start").acquire(0, UnknownOutcomePolicy::Retry, instant(0), LEASE)
    {
        Acquired::Step(record) => record,
        Acquired::Cleaned(_) => panic!("there is something to do"),
    }
}

/// The turn with this number, cursor and content.
pub(crate) fn turn(number: u32, cursor: Cursor, content: &str) -> Turn {
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
