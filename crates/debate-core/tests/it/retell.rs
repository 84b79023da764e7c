//! A log told again leads where it led, and any change to what was kept is noticed.

use debate_core::arena::{
    Draft, Entry, Head, Kind, Move, Retelling, Role, Side, State, Unfit, Verdict, decide, open,
};
use debate_core::{Digest, Seal, Seq};

use crate::support::{argument_id, draft, instant, opening};

const MOVES: [Move; 8] = [
    Move::Claim(Side::Opponent),
    Move::Claim(Side::Proposer),
    Move::Intervene,
    Move::Rule(Verdict::Continue),
    Move::Appeal,
    Move::Rule(Verdict::Continue),
    Move::Claim(Side::Proposer),
    Move::Claim(Side::Opponent),
];

/// A debate with a move of every kind in it, closed by a resolution.
fn history() -> (Head, Vec<Entry>) {
    let opening = opening();
    let opened = open(&opening, instant(0));
    let mut entries =
        vec![Entry { argument: opened.motion, fingerprint: Some(opening.fingerprint()) }];
    let mut head = Head { debate: opened.debate, last_seq: Seq::FIRST, auto_ruling: None };
    for (number, mv) in (10..).zip(MOVES.into_iter().chain([Move::Resolve])) {
        let target = entries.last().map(|entry| entry.argument.id);
        let draft = Draft { target, ..draft(number, mv) };
        let step = decide(&head, &draft, instant(number), true).expect("it is legal");
        let fingerprint = Some(draft.fingerprint());
        entries.push(Entry { argument: step.argument, fingerprint });
        entries.extend(step.ruling.map(|argument| Entry { argument, fingerprint: None }));
        head = Head { debate: step.debate, last_seq: step.last_seq, auto_ruling: None };
    }
    (head, entries)
}

fn told(head: &Head, entries: &[Entry]) -> Result<(), Unfit> {
    let mut telling = Retelling::of(head.clone());
    entries.iter().try_for_each(|entry| telling.hear(entry))?;
    telling.end()
}

fn sealed(head: &Head, entries: &[Entry]) -> Digest {
    let mut seal = Seal::default();
    seal.debate(head);
    for entry in entries {
        seal.argument(entry);
    }
    seal.digest()
}

#[test]
fn a_log_that_the_rules_allowed_leads_where_it_led() {
    let (head, entries) = history();
    assert_eq!(head.debate.state, State::Closed);
    assert_eq!(told(&head, &entries), Ok(()));
}

#[test]
fn a_log_that_is_cut_or_torn_is_noticed_wherever_it_is() {
    let (head, entries) = history();
    for count in 0..entries.len() {
        assert!(told(&head, &entries[..count]).is_err(), "cut after {count}");
    }
    for place in 0..entries.len() {
        let mut torn = entries.clone();
        torn.remove(place);
        assert!(told(&head, &torn).is_err(), "without {place}");
    }
}

#[test]
fn any_change_to_an_argument_changes_the_seal_and_most_break_the_fold() {
    type Change = (&'static str, fn(&mut Entry), bool);
    let changes: [Change; 10] = [
        ("id", |entry| entry.argument.id = argument_id(99), false),
        ("parent", |entry| entry.argument.parent = None, true),
        ("kind", |entry| entry.argument.kind = Kind::Resolution, true),
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
        assert_ne!(sealed(&head, &changed), sealed(&head, &entries), "{field}");
        assert_eq!(told(&head, &changed).is_err(), breaks, "{field}");
    }
}

#[test]
fn a_debate_that_is_not_where_its_log_led_is_noticed() {
    let (head, entries) = history();
    let mut elsewhere = head.clone();
    elsewhere.debate.state = State::AwaitingProposer;
    assert!(matches!(told(&elsewhere, &entries), Err(Unfit::Astray { .. })));
    assert_ne!(sealed(&elsewhere, &entries), sealed(&head, &entries));
    let ahead = Head { last_seq: head.last_seq.next(), ..head.clone() };
    assert!(matches!(told(&ahead, &entries), Err(Unfit::Astray { .. })));
    let decided = Head { auto_ruling: Some(false), ..head.clone() };
    assert!(matches!(told(&decided, &entries), Err(Unfit::Fingerprint { seq: Seq::FIRST })));
    assert_ne!(sealed(&decided, &entries), sealed(&head, &entries));
}
