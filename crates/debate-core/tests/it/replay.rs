//! The replay of a debate reaches the stored state, and differences are reported.

use debate_core::arena::{
    ArgumentType, Draft, Head, Move, NewDebate, Replay, Role, RulingEffect, SeatFields, Side,
    State, StoredArgument, decide, open, requested_target,
};
use debate_core::{Seq, StateMismatch};

use crate::support::{argument_id, draft, instant, opening, slug};

const MOVES: [Move; 8] = [
    Move::Claim(Side::Opponent),
    Move::Claim(Side::Proposer),
    Move::Intervene,
    Move::Rule(RulingEffect::Continue),
    Move::Appeal,
    Move::Rule(RulingEffect::Continue),
    Move::Claim(Side::Proposer),
    Move::Claim(Side::Opponent),
];

/// A debate with a move of every kind in it, closed by a resolution.
fn history() -> (Head, Vec<StoredArgument>) {
    let opening = opening();
    let opened = open(&opening, slug(), instant(0));
    let mut entries =
        vec![StoredArgument { argument: opened.motion, fingerprint: Some(opening.fingerprint()) }];
    let mut head = opened.head;
    for (number, mv) in (10..).zip(MOVES.into_iter().chain([Move::Resolve])) {
        let target = entries.last().map(|entry| entry.argument.id);
        let draft = Draft { target, ..draft(number, mv) };
        let step = decide(&head, &draft, None, instant(number), true).expect("it is legal");
        let fingerprint = Some(draft.fingerprint());
        entries.push(StoredArgument { argument: step.argument, fingerprint });
        entries.extend(step.ruling.map(|argument| StoredArgument { argument, fingerprint: None }));
        head = Head { debate: step.debate, last_seq: step.last_seq, ..head };
    }
    (head, entries)
}

fn replay(head: &Head, entries: &[StoredArgument]) -> Result<(), StateMismatch> {
    let mut replay = Replay::new(head.clone());
    entries.iter().try_for_each(|entry| replay.apply(entry))?;
    replay.finish()
}

#[test]
fn replay_of_legal_moves_reaches_the_stored_state() {
    let (head, entries) = history();
    assert_eq!(head.debate.state, State::Closed);
    assert_eq!(replay(&head, &entries), Ok(()));
}

#[test]
fn replay_fails_if_any_argument_is_missing() {
    let (head, entries) = history();
    for count in 0..entries.len() {
        assert!(replay(&head, &entries[..count]).is_err(), "cut after {count}");
    }
    for cursor in 0..entries.len() {
        let mut torn = entries.clone();
        torn.remove(cursor);
        assert!(replay(&head, &torn).is_err(), "without {cursor}");
    }
}

#[test]
fn replay_fails_on_changed_values_that_the_rules_determine() {
    type Change = (&'static str, fn(&mut StoredArgument), bool);
    let changes: [Change; 10] = [
        ("id", |entry| entry.argument.id = argument_id(99), false),
        ("parent", |entry| entry.argument.parent = None, true),
        ("kind", |entry| entry.argument.kind = ArgumentType::Resolution, true),
        ("role", |entry| entry.argument.role = Role::Arbitrator, true),
        ("content", |entry| entry.argument.content.push('!'), true),
        ("key", |entry| entry.argument.request_key = None, true),
        ("seq", |entry| entry.argument.seq = entry.argument.seq.next(), true),
        ("time", |entry| entry.argument.created_at = instant(99), false),
        ("state", |entry| entry.argument.state_after = State::InterventionPending, true),
        ("fingerprint", |entry| entry.fingerprint = None, true),
    ];
    let (head, entries) = history();
    for (field, change, breaks) in changes {
        let mut changed = entries.clone();
        change(&mut changed[1]);
        assert_eq!(replay(&head, &changed).is_err(), breaks, "{field}");
    }
}

#[test]
fn replay_reports_a_debate_whose_state_differs_from_its_arguments() {
    let (head, entries) = history();
    let mut elsewhere = head.clone();
    elsewhere.debate.state = State::AwaitingProposer;
    let mismatch = replay(&elsewhere, &entries).expect_err("the state differs");
    assert_eq!(mismatch.to_string(), "state: expected CLOSED, found AWAITING_PROPOSER");
    let ahead = Head { last_seq: head.last_seq.next(), ..head.clone() };
    let mismatch = replay(&ahead, &entries).expect_err("an argument is missing");
    assert_eq!((mismatch.field, mismatch.seq), ("last_seq", None));
    let decided = Head { auto_ruling: Some(false), ..head };
    let mismatch = replay(&decided, &entries).expect_err("the motion's request was another");
    assert_eq!((mismatch.field, mismatch.seq), ("fingerprint", Some(Seq::FIRST)));
}

#[test]
fn fingerprint_of_the_motion_includes_the_seat_fields_of_its_request() {
    let seat_fields = SeatFields { seats: Some(false), ..SeatFields::default() };
    let opening = NewDebate { seat_fields, ..opening() };
    let opened = open(&opening, slug(), instant(0));
    let fingerprint = Some(opening.fingerprint());
    let entries = [StoredArgument { argument: opened.motion, fingerprint }];
    assert!(opened.head.seats.is_none() && opened.head.seat_fields.is_some());
    assert_eq!(replay(&opened.head, &entries), Ok(()));
    let without = Head { seat_fields: None, ..opened.head };
    let mismatch = replay(&without, &entries).expect_err("the request had a field about seats");
    assert_eq!((mismatch.field, mismatch.seq), ("fingerprint", Some(Seq::FIRST)));
}

#[test]
fn mismatch_names_the_argument_and_both_values() {
    let (head, mut entries) = history();
    entries[3].argument.state_after = State::AwaitingProposer;
    let mismatch = replay(&head, &entries).expect_err("the state differs");
    assert_eq!((mismatch.seq, mismatch.field), (Some(Seq::new(4)), "state_after"));
    assert_eq!(mismatch.expected, "INTERVENTION_PENDING");
    assert_eq!(mismatch.found, "AWAITING_PROPOSER");
    entries[3].argument.kind = ArgumentType::Claim;
    let mismatch = replay(&head, &entries).expect_err("an arbitrator submits no claim");
    assert_eq!((mismatch.seq, mismatch.field), (Some(Seq::new(4)), "kind"));
    assert!(mismatch.found.ends_with("by the arbitrator"), "{mismatch}");
}

#[test]
fn replay_begins_with_a_motion_by_the_proposer() {
    let (head, entries) = history();
    for (kind, role, found) in [
        (ArgumentType::Motion, Role::Opponent, "MOTION by the opponent"),
        (ArgumentType::Claim, Role::Arbitrator, "CLAIM by the arbitrator"),
        (ArgumentType::Claim, Role::Opponent, "CLAIM by the opponent"),
    ] {
        let mut changed = entries.clone();
        (changed[0].argument.kind, changed[0].argument.role) = (kind, role);
        let mismatch = replay(&head, &changed).expect_err("it is no motion");
        let expected = format!("seq 1, kind: expected MOTION by the proposer, found {found}");
        assert_eq!(mismatch.to_string(), expected);
    }
}

#[test]
fn request_of_an_arbitrator_names_no_target() {
    let parent = Some(argument_id(3));
    for mv in Move::ALL {
        let expected = if mv.role() == Role::Arbitrator { None } else { parent };
        assert_eq!(requested_target(mv, parent), expected, "{mv:?}");
    }
}
