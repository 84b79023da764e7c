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

use super::support::{model, place, settings, topic, turn};
use crate::support::instant;

#[derive(Clone)]
struct Kept {
    record: RunRecord,
    turns: Vec<Turn>,
    calls: Vec<Call>,
}

fn call(id: u128, round: u32, actor: Actor, number: u32) -> Call {
    Call {
        id: CallId::new(Uuid::from_u128(id)),
        run: RunId::new(Uuid::from_u128(7)),
        cursor: place(round, actor),
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

/// A round, a second try among its calls, and one that is unknown.
fn history() -> Kept {
    let topic = topic("Tabs");
    let run = RunId::new(Uuid::from_u128(7));
    let opening = NewRun { run, topic, settings: settings(RunSettingsDraft::default()) };
    let mut record = create_run(&opening, instant(0));
    record.run.state = RunState::Running;
    record.run.cursor = place(2, Actor::DebaterA);
    record.run.completed_rounds = 1;
    record.run.spent = 3 * 40 + 600;
    record.last_seq = Seq::new(3);
    record.fencing_token = FencingToken::new(4);
    record.lease = LeaseState::Held { since: instant(5), until: instant(20) };
    let turns = Actor::ALL.map(|actor| place(1, actor));
    let turns = (1..).zip(turns).map(|(number, place)| turn(number, place, "Words")).collect();
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
    Kept { record, turns, calls }
}

fn rates() -> UsdRates {
    let rate = TokenPrice::new("1").expect("it is a rate");
    UsdRates { input: rate, output: rate }
}

fn check(kept: &Kept) -> Result<(), StateMismatch> {
    replay(&kept.record, &kept.turns, &kept.calls)
}

#[test]
fn replay_agrees_with_the_stored_counts() {
    assert_eq!(check(&history()), Ok(()));
}

#[test]
fn replay_fails_if_any_turn_or_call_is_missing() {
    for place in 0..3 {
        let mut torn = history();
        torn.turns.remove(place);
        assert!(check(&torn).is_err(), "without turn {place}");
    }
    for place in 0..4 {
        let mut torn = history();
        torn.calls.remove(place);
        assert!(check(&torn).is_err(), "without call {place}");
    }
    let mut swapped = history();
    swapped.calls.swap(0, 1);
    assert!(check(&swapped).is_err_and(|mismatch| mismatch.field == "number"));
    let mut twice = history();
    twice.turns[1].cursor = twice.turns[0].cursor;
    assert!(check(&twice).is_err_and(|mismatch| mismatch.field == "round"));
}

type Change = (&'static str, fn(&mut Kept), bool);

#[test]
fn replay_fails_on_changed_values_that_turns_and_calls_determine() {
    // The changed value, and whether turns and calls determine it.
    let changes: Vec<Change> = vec![
        ("standing", |kept| kept.record.run.state = RunState::Stopping, false),
        ("reason", |kept| kept.record.run.state = RunState::Completed(RunLimit::Rounds), false),
        ("topic", |kept| kept.record.run.topic = topic("Spaces"), false),
        ("settings", |kept| kept.record.run.settings.model_judge = model("demo:x"), false),
        ("cursor", |kept| kept.record.run.cursor = place(1, Actor::Judge), false),
        ("error", |kept| kept.record.run.last_error = Some(String::new()), false),
        ("rounds", |kept| kept.record.run.completed_rounds = 2, true),
        ("spent", |kept| kept.record.run.spent += 1, true),
        ("ran", |kept| kept.record.run.ran = Duration::from_micros(1), false),
        ("created", |kept| kept.record.run.created_at = instant(9), false),
        ("updated", |kept| kept.record.run.updated_at = instant(9), false),
        ("last seq", |kept| kept.record.last_seq = Seq::new(4), true),
        ("tries", |kept| kept.record.tries = 1, false),
        ("term", |kept| kept.record.fencing_token = FencingToken::new(5), false),
        ("work", |kept| kept.record.lease = LeaseState::Idle, false),
        ("turn id", |kept| kept.turns[2].id = TurnId::new(Uuid::from_u128(99)), false),
        ("turn seq", |kept| kept.turns[2].seq = Seq::new(9), true),
        ("content", |kept| kept.turns[2].content.push('!'), false),
        ("model", |kept| kept.turns[2].model = Some(String::new()), false),
        ("usage", |kept| kept.turns[2].usage.prompt_tokens = Some(0), false),
        ("outcome", |kept| kept.turns[2].metadata.outcome = Outcome::Refused, false),
        ("verdict", |kept| kept.turns[2].metadata.judgement = None, false),
        ("none", |kept| kept.turns[2].metadata.judgement = Some(Judgement::Missing), false),
        ("duration", |kept| kept.turns[2].metadata.duration_ms = Some(7), false),
        ("clipped turn", |kept| kept.turns[2].usage.clipped = true, false),
        ("language", |kept| kept.record.run.settings.output_language_given = true, false),
        ("turn time", |kept| kept.turns[2].created_at = instant(9), false),
        ("call id", |kept| kept.calls[0].id = CallId::new(Uuid::from_u128(99)), false),
        ("call place", |kept| kept.calls[3].cursor = place(1, Actor::DebaterA), true),
        ("number", |kept| kept.calls[0].number = 2, true),
        ("asked", |kept| kept.calls[0].model = model("demo:x"), false),
        ("allowed", |kept| kept.calls[0].allowed = CallTokens::constant::<1>(), false),
        ("allowed, not told", |kept| kept.calls[1].allowed = CallTokens::constant::<1>(), true),
        ("prompt bytes", |kept| kept.calls[0].prompt_bytes = 101, false),
        ("rates", |kept| kept.calls[0].rates = Some(rates()), false),
        ("clipped", |kept| kept.calls[0].usage.clipped = true, false),
        ("begun", |kept| kept.calls[0].started_at = instant(9), false),
        ("finished", |kept| kept.calls[0].finished_at = None, false),
        ("called", |kept| kept.calls[0].status = CallStatus::Error, false),
        ("cost", |kept| kept.calls[0].usage = Usage::ZERO, true),
    ];
    let kept = history();
    for (what, change, breaks) in changes {
        let mut changed = kept.clone();
        change(&mut changed);
        assert_eq!(check(&changed).is_err(), breaks, "{what}");
    }
}

#[test]
fn mismatch_names_the_turn_or_the_count() {
    let mut kept = history();
    kept.record.run.spent += 1;
    let mismatch = check(&kept).expect_err("one token too many");
    assert_eq!(mismatch.to_string(), "spent: expected 720, found 721");
    kept.turns[1].seq = Seq::new(3);
    let mismatch = check(&kept).expect_err("turn 2 is missing");
    assert_eq!(mismatch.to_string(), "seq 2, seq: expected 2, found 3");
}
