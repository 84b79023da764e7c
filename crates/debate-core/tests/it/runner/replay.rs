//! The replay of a run agrees with the stored counts, and differences are reported.

use std::time::Duration;

use debate_core::runner::{
    Actor, Call, CallStatus, Judgement, NewRun, Outcome, RunLimit, RunRecord, RunSettingsDraft,
    RunState, TokenPrice, Turn, UsdRates, create_run, replay,
};
use debate_core::{
    CallId, CallTokens, FencingToken, LeaseState, RunId, Seq, StateMismatch, TurnId, Usage,
};
use uuid::Uuid;

use super::support::{cursor_at, model, settings, topic, turn};
use crate::support::instant;

#[derive(Clone)]
struct StoredRun {
    record: RunRecord,
    turns: Vec<Turn>,
    calls: Vec<Call>,
}

fn call(id: u128, round: u32, actor: Actor, number: u32) -> Call {
    Call {
        id: CallId::new(Uuid::from_u128(id)),
        run: RunId::new(Uuid::from_u128(7)),
        cursor: cursor_at(round, actor),
        number,
        model: model("demo:paced"),
        allowed: CallTokens::constant::<600>(),
        prompt_bytes: 100,
        rates: None,
        started_at: instant(1),
        finished_at: Some(instant(2)),
        status: CallStatus::Ok,
        usage: Usage::reported(7, 40),
    }
}

/// A round with a retried call and a call of unknown outcome.
fn history() -> StoredRun {
    let topic = topic("Tabs");
    let run = RunId::new(Uuid::from_u128(7));
    let opening = NewRun { run, topic, settings: settings(RunSettingsDraft::default()) };
    let mut record = create_run(&opening, instant(0));
    record.run.state = RunState::Running;
    record.run.cursor = cursor_at(2, Actor::DebaterA);
    record.run.completed_rounds = 1;
    record.run.spent = 3 * 40 + 600;
    record.last_seq = Seq::new(3);
    record.fencing_token = FencingToken::new(4);
    record.lease = LeaseState::Held { since: instant(5), until: instant(20) };
    let turns = Actor::ALL.map(|actor| cursor_at(1, actor));
    let turns = (1..).zip(turns).map(|(number, cursor)| turn(number, cursor, "Words")).collect();
    let unknown = Call {
        status: CallStatus::Unknown,
        usage: Usage::UNREPORTED,
        finished_at: None,
        ..call(2, 1, Actor::DebaterB, 1)
    };
    let calls = vec![
        call(1, 1, Actor::DebaterA, 1),
        unknown,
        call(3, 1, Actor::DebaterB, 2),
        call(4, 1, Actor::Judge, 1),
    ];
    StoredRun { record, turns, calls }
}

fn rates() -> UsdRates {
    let rate = TokenPrice::new("1").expect("it is a rate");
    UsdRates { input: rate, output: rate }
}

fn check(stored: &StoredRun) -> Result<(), StateMismatch> {
    replay(&stored.record, &stored.turns, &stored.calls)
}

#[test]
fn replay_agrees_with_the_stored_counts() {
    assert_eq!(check(&history()), Ok(()));
}

#[test]
fn replay_fails_if_any_turn_or_call_is_missing() {
    for cursor in 0..3 {
        let mut torn = history();
        torn.turns.remove(cursor);
        assert!(check(&torn).is_err(), "without turn {cursor}");
    }
    for cursor in 0..4 {
        let mut torn = history();
        torn.calls.remove(cursor);
        assert!(check(&torn).is_err(), "without call {cursor}");
    }
    let mut swapped = history();
    swapped.calls.swap(0, 1);
    assert!(check(&swapped).is_err_and(|mismatch| mismatch.field == "number"));
    let mut twice = history();
    twice.turns[1].cursor = twice.turns[0].cursor;
    assert!(check(&twice).is_err_and(|mismatch| mismatch.field == "round"));
}

#[test]
fn mismatch_names_the_turn_or_call_and_both_values() {
    let mut twice = history();
    twice.turns[1].cursor = twice.turns[0].cursor;
    assert_eq!(
        check(&twice).map_err(|mismatch| mismatch.to_string()),
        Err("seq 2, round: expected a position after round 1, debater_a, found round 1, debater_a"
            .to_owned())
    );
    let mut torn = history();
    torn.calls.remove(1);
    assert_eq!(
        check(&torn).map_err(|mismatch| mismatch.to_string()),
        Err("number: expected call 1 of round 1, debater_b, found call 2 of round 1, debater_b"
            .to_owned())
    );
}

type Change = (&'static str, fn(&mut StoredRun), bool);

#[test]
fn replay_fails_on_changed_values_that_turns_and_calls_determine() {
    // The changed value, and whether turns and calls determine it.
    let changes: Vec<Change> = vec![
        ("standing", |stored| stored.record.run.state = RunState::Stopping, false),
        ("reason", |stored| stored.record.run.state = RunState::Completed(RunLimit::Rounds), false),
        ("topic", |stored| stored.record.run.topic = topic("Spaces"), false),
        ("settings", |stored| stored.record.run.settings.model_judge = model("demo:x"), false),
        ("cursor", |stored| stored.record.run.cursor = cursor_at(1, Actor::Judge), false),
        ("error", |stored| stored.record.run.last_error = Some(String::new()), false),
        ("rounds", |stored| stored.record.run.completed_rounds = 2, true),
        ("spent", |stored| stored.record.run.spent += 1, true),
        ("ran", |stored| stored.record.run.ran = Duration::from_micros(1), false),
        ("created", |stored| stored.record.run.created_at = instant(9), false),
        ("updated", |stored| stored.record.run.updated_at = instant(9), false),
        ("last seq", |stored| stored.record.last_seq = Seq::new(4), true),
        ("tries", |stored| stored.record.tries = 1, false),
        ("term", |stored| stored.record.fencing_token = FencingToken::new(5), false),
        ("work", |stored| stored.record.lease = LeaseState::Idle, false),
        ("turn id", |stored| stored.turns[2].id = TurnId::new(Uuid::from_u128(99)), false),
        ("turn seq", |stored| stored.turns[2].seq = Seq::new(9), true),
        ("content", |stored| stored.turns[2].content.push('!'), false),
        ("model", |stored| stored.turns[2].model = Some(String::new()), false),
        ("usage", |stored| stored.turns[2].usage.prompt_tokens = Some(0), false),
        ("outcome", |stored| stored.turns[2].metadata.outcome = Outcome::Refused, false),
        ("verdict", |stored| stored.turns[2].metadata.judgement = None, false),
        ("none", |stored| stored.turns[2].metadata.judgement = Some(Judgement::Missing), false),
        ("duration", |stored| stored.turns[2].metadata.duration_ms = Some(7), false),
        ("clipped turn", |stored| stored.turns[2].usage.clipped = true, false),
        ("language", |stored| stored.record.run.settings.output_language_given = true, false),
        ("turn time", |stored| stored.turns[2].created_at = instant(9), false),
        ("call id", |stored| stored.calls[0].id = CallId::new(Uuid::from_u128(99)), false),
        ("call place", |stored| stored.calls[3].cursor = cursor_at(1, Actor::DebaterA), true),
        ("number", |stored| stored.calls[0].number = 2, true),
        ("asked", |stored| stored.calls[0].model = model("demo:x"), false),
        ("allowed", |stored| stored.calls[0].allowed = CallTokens::constant::<1>(), false),
        ("allowed, not told", |stored| stored.calls[1].allowed = CallTokens::constant::<1>(), true),
        ("prompt bytes", |stored| stored.calls[0].prompt_bytes = 101, false),
        ("rates", |stored| stored.calls[0].rates = Some(rates()), false),
        ("clipped", |stored| stored.calls[0].usage.clipped = true, false),
        ("begun", |stored| stored.calls[0].started_at = instant(9), false),
        ("finished", |stored| stored.calls[0].finished_at = None, false),
        ("called", |stored| stored.calls[0].status = CallStatus::Error, false),
        ("cost", |stored| stored.calls[0].usage = Usage::ZERO, true),
    ];
    let stored = history();
    for (what, change, breaks) in changes {
        let mut changed = stored.clone();
        change(&mut changed);
        assert_eq!(check(&changed).is_err(), breaks, "{what}");
    }
}

#[test]
fn mismatch_names_the_turn_or_the_count() {
    let mut stored = history();
    stored.record.run.spent += 1;
    let mismatch = check(&stored).expect_err("one token too many");
    assert_eq!(mismatch.to_string(), "spent: expected 720, found 721");
    stored.turns[1].seq = Seq::new(3);
    let mismatch = check(&stored).expect_err("turn 2 is missing");
    assert_eq!(mismatch.to_string(), "seq 2, seq: expected 2, found 3");
}
