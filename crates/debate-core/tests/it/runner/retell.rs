//! A debate told again comes to what was kept of it, and any change to that is noticed.

use std::time::Duration;

use debate_core::runner::{
    Actor, Call, Called, Charge, Judgement, Limit, NanoUsd, Opening, Outcome, Rate, Record,
    SettingsDraft, Standing, Turn, Unfit, UsdRates, created, retell,
};
use debate_core::{
    CallId, CallTokens, Digest, Fingerprint, RequestKey, RunId, Seal, Seq, Term, TurnId, Usage,
    Work,
};
use uuid::Uuid;

use super::support::{model, place, settings, topic, turn};
use crate::support::instant;

#[derive(Clone)]
struct Kept {
    record: Record,
    key: Option<(RequestKey, Fingerprint)>,
    turns: Vec<Turn>,
    calls: Vec<Call>,
}

fn call(id: u128, round: u32, actor: Actor, number: u32) -> Call {
    Call {
        id: CallId::new(Uuid::from_u128(id)),
        run: RunId::new(Uuid::from_u128(7)),
        place: place(round, actor),
        number,
        model: model("demo:paced"),
        allowed: CallTokens::of::<600>(),
        prompt_bytes: 100,
        rates: None,
        started_at: instant(1),
        finished_at: Some(instant(2)),
        called: Called::Ok,
        usage: Usage::reported(7, 40),
    }
}

/// A round, a second try among its calls, and one that is unknown.
fn history() -> Kept {
    let topic = topic("Tabs");
    let key = RequestKey::new("once".to_owned()).expect("it can be one");
    let fingerprint = Fingerprint::of_run(&topic, &SettingsDraft::default());
    let run = RunId::new(Uuid::from_u128(7));
    let opening = Opening { run, topic, settings: settings(SettingsDraft::default()) };
    let mut record = created(&opening, instant(0));
    record.run.standing = Standing::Running;
    record.run.cursor = place(2, Actor::DebaterA);
    record.run.completed_rounds = 1;
    record.run.spent = 3 * 40 + 600;
    record.last_seq = Seq::new(3);
    record.term = Term::new(4);
    record.work = Work::Held { since: instant(5), until: instant(20) };
    let turns = Actor::ALL.map(|actor| place(1, actor));
    let turns = (1..).zip(turns).map(|(number, place)| turn(number, place, "Words")).collect();
    let unknown = Call {
        called: Called::Unknown,
        usage: Usage::NOT_TOLD,
        finished_at: None,
        ..call(2, 1, Actor::DebaterB, 1)
    };
    let calls = vec![
        call(1, 1, Actor::DebaterA, 1),
        unknown,
        call(3, 1, Actor::DebaterB, 2),
        call(4, 1, Actor::Judge, 1),
    ];
    Kept { record, key: Some((key, fingerprint)), turns, calls }
}

fn rates() -> UsdRates {
    let rate = Rate::new("1").expect("it is a rate");
    UsdRates { input: rate, output: rate }
}

fn sealed(kept: &Kept) -> Digest {
    let mut seal = Seal::default();
    seal.run(&kept.record, kept.key.as_ref());
    kept.turns.iter().for_each(|turn| seal.turn(turn));
    kept.calls.iter().for_each(|call| seal.call(call));
    let cost = NanoUsd::new(11);
    seal.day(20_000, Charge { tokens: 720, cost });
    seal.digest()
}

fn told(kept: &Kept) -> Result<(), Unfit> {
    retell(&kept.record, &kept.turns, &kept.calls)
}

#[test]
fn what_was_kept_is_what_turns_and_calls_come_to() {
    assert_eq!(told(&history()), Ok(()));
}

#[test]
fn whatever_is_missing_is_noticed() {
    for place in 0..3 {
        let mut torn = history();
        torn.turns.remove(place);
        assert!(told(&torn).is_err(), "without turn {place}");
    }
    for place in 0..4 {
        let mut torn = history();
        torn.calls.remove(place);
        assert!(told(&torn).is_err(), "without call {place}");
    }
    let mut swapped = history();
    swapped.calls.swap(0, 1);
    assert!(matches!(told(&swapped), Err(Unfit::Calls { .. })));
    let mut twice = history();
    twice.turns[1].place = twice.turns[0].place;
    assert!(matches!(told(&twice), Err(Unfit::OutOfOrder(_))));
}

type Change = (&'static str, fn(&mut Kept), bool);

#[test]
fn any_change_changes_the_seal_and_some_break_the_story() {
    // What is changed, and whether the debate then is not what its rows come to.
    let changes: Vec<Change> = vec![
        ("standing", |kept| kept.record.run.standing = Standing::Stopping, false),
        ("reason", |kept| kept.record.run.standing = Standing::Completed(Limit::Rounds), false),
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
        ("term", |kept| kept.record.term = Term::new(5), false),
        ("work", |kept| kept.record.work = Work::None, false),
        ("key", |kept| kept.key = None, false),
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
        ("call place", |kept| kept.calls[3].place = place(1, Actor::DebaterA), true),
        ("number", |kept| kept.calls[0].number = 2, true),
        ("asked", |kept| kept.calls[0].model = model("demo:x"), false),
        ("allowed", |kept| kept.calls[0].allowed = CallTokens::of::<1>(), false),
        ("allowed, not told", |kept| kept.calls[1].allowed = CallTokens::of::<1>(), true),
        ("prompt bytes", |kept| kept.calls[0].prompt_bytes = 101, false),
        ("rates", |kept| kept.calls[0].rates = Some(rates()), false),
        ("clipped", |kept| kept.calls[0].usage.clipped = true, false),
        ("begun", |kept| kept.calls[0].started_at = instant(9), false),
        ("finished", |kept| kept.calls[0].finished_at = None, false),
        ("called", |kept| kept.calls[0].called = Called::Error, false),
        ("cost", |kept| kept.calls[0].usage = Usage::NOTHING, true),
    ];
    let kept = history();
    for (what, change, breaks) in changes {
        let mut changed = kept.clone();
        change(&mut changed);
        assert_ne!(sealed(&changed), sealed(&kept), "{what}");
        assert_eq!(told(&changed).is_err(), breaks, "{what}");
    }
}

#[test]
fn whoever_holds_a_debate_stays_behind_when_it_is_moved() {
    let held = history().record;
    let moved = held.clone().moved();
    assert_eq!(moved.work, Work::Due { at: instant(5) });
    assert_eq!(Record { work: held.work, ..moved.clone() }, held);
    assert_eq!(moved.clone().moved(), moved, "once is enough");
    for work in [Work::None, Work::Due { at: instant(3) }] {
        assert_eq!(Record { work, ..held.clone() }.moved().work, work);
    }
}
