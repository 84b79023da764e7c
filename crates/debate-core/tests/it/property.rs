//! Any sequence of drafts that passes through `decide` keeps the guarantees of the contract.

use debate_core::arena::{
    AUTO_RULING_CONTENT, Argument, ArgumentType, Draft, Head, Move, NewDebate, Role, RulingEffect,
    Side, State, Transition, decide, open,
};
use debate_core::{ArgumentId, Seq};
use proptest::collection::vec;
use proptest::option;
use proptest::prelude::*;

use crate::support::{argument_id, draft, instant, opening, slug};

/// The fields of an argument that the contract's table uses: kind, role, and
/// whether a ruling closed.
type LoggedArgument = (&'static str, &'static str, bool);

/// A debate under test: its state and all accepted arguments.
struct Debate {
    head: Head,
    log: Vec<Argument>,
    arguments: Vec<LoggedArgument>,
}

impl Debate {
    fn open(auto_ruling: Option<bool>) -> Self {
        let opening = NewDebate { auto_ruling, ..opening() };
        let opened = open(&opening, slug(), instant(0));
        Self {
            head: opened.head,
            arguments: vec![("MOTION", "proposer", false)],
            log: vec![opened.motion],
        }
    }

    /// Submits one draft; a refusal changes nothing, since `decide` returns only an error.
    fn try_move(&mut self, number: u32, mv: Move, custom: bool) -> Option<Transition> {
        let draft = Draft { target: self.newest_id(), ..draft(number, mv) };
        let step = decide(&self.head, &draft, None, instant(number), custom).ok()?;
        self.arguments.push((step.argument.kind.name(), step.argument.role.name(), closes(mv)));
        self.log.push(step.argument.clone());
        if let Some(ruling) = &step.ruling {
            self.arguments.push((ruling.kind.name(), ruling.role.name(), true));
            self.log.push(ruling.clone());
        }
        self.head.debate = step.debate.clone();
        self.head.last_seq = step.last_seq;
        Some(step)
    }

    fn newest_id(&self) -> Option<ArgumentId> {
        self.log.last().map(|argument| argument.id)
    }
}

fn closes(mv: Move) -> bool {
    match mv {
        Move::Rule(RulingEffect::Close) => true,
        Move::Rule(RulingEffect::Continue)
        | Move::Claim(_)
        | Move::Appeal
        | Move::Resolve
        | Move::Intervene => false,
    }
}

/// A second implementation of the contract's table: the state after a log.
fn expected_state(arguments: &[LoggedArgument]) -> &'static str {
    arguments.iter().fold("", |state, argument| match (state, argument) {
        ("", ("MOTION", "proposer", _)) => "AWAITING_OPPONENT",
        ("AWAITING_OPPONENT", ("CLAIM", "opponent", _)) => "AWAITING_PROPOSER",
        ("AWAITING_PROPOSER", ("CLAIM", "proposer", _)) => "AWAITING_OPPONENT",
        ("AWAITING_PROPOSER", ("APPEAL" | "RESOLUTION", "proposer", _)) => "AWAITING_ARBITRATOR",
        ("AWAITING_OPPONENT" | "AWAITING_PROPOSER", ("INTERVENTION", "arbitrator", _)) => {
            "INTERVENTION_PENDING"
        }
        ("AWAITING_ARBITRATOR" | "INTERVENTION_PENDING", ("RULING", "arbitrator", false)) => {
            "AWAITING_PROPOSER"
        }
        ("AWAITING_ARBITRATOR" | "INTERVENTION_PENDING", ("RULING", "arbitrator", true)) => {
            "CLOSED"
        }
        _ => "nowhere",
    })
}

/// Any move; moves that end a debate are rarer, so that sequences become long.
fn any_move() -> impl Strategy<Value = Move> {
    prop_oneof![
        8 => Just(Move::Claim(Side::Proposer)),
        8 => Just(Move::Claim(Side::Opponent)),
        4 => Just(Move::Appeal),
        1 => Just(Move::Resolve),
        4 => Just(Move::Intervene),
        6 => Just(Move::Rule(RulingEffect::Continue)),
        1 => Just(Move::Rule(RulingEffect::Close)),
    ]
}

/// A sequence of moves, each with a unique number.
fn any_moves() -> impl Strategy<Value = Vec<(u32, Move)>> {
    vec(any_move(), 0..120).prop_map(|moves| (2..).zip(moves).collect())
}

proptest! {
    #[test]
    fn sequence_is_dense_and_ends_at_the_head(
        moves in any_moves(), opener in option::of(any::<bool>()), custom: bool,
    ) {
        let mut debate = Debate::open(opener);
        for (number, mv) in moves {
            debate.try_move(number, mv, custom);
            let cursors: Vec<Seq> = debate.log.iter().map(|argument| argument.seq).collect();
            let dense: Vec<Seq> =
                (1..=debate.head.last_seq.number()).map(Seq::new).collect();
            prop_assert_eq!(cursors, dense);
        }
    }

    #[test]
    fn state_matches_the_log_at_every_position(
        moves in any_moves(), opener in option::of(any::<bool>()), custom: bool,
    ) {
        let mut debate = Debate::open(opener);
        for (number, mv) in moves {
            debate.try_move(number, mv, custom);
        }
        for (index, argument) in debate.log.iter().enumerate() {
            let expected = expected_state(&debate.arguments[..=index]);
            prop_assert_eq!(argument.state_after.name(), expected);
        }
        prop_assert_eq!(debate.head.debate.state.name(), expected_state(&debate.arguments));
    }

    #[test]
    fn draft_is_refused_exactly_where_the_contract_forbids_it(
        moves in any_moves(), opener in option::of(any::<bool>()), custom: bool,
    ) {
        let mut debate = Debate::open(opener);
        for (number, mv) in moves {
            let tried = (ArgumentType::from(mv).name(), mv.role().name(), closes(mv));
            let mut with_it = debate.arguments.clone();
            with_it.push(tried);
            let (before, log_before) = (debate.head.clone(), debate.log.clone());
            let step = debate.try_move(number, mv, custom);
            prop_assert_eq!(step.is_some(), expected_state(&with_it) != "nowhere", "{:?}", tried);
            if step.is_none() {
                prop_assert_eq!(before.debate, debate.head.debate.clone());
                prop_assert_eq!(before.last_seq, debate.head.last_seq);
                prop_assert_eq!(log_before, debate.log.clone());
            }
        }
    }

    #[test]
    fn closed_debate_accepts_no_draft(
        moves in any_moves(), opener in option::of(any::<bool>()), custom: bool,
    ) {
        let mut debate = Debate::open(opener);
        for (number, mv) in moves {
            let over = debate.head.debate.state == State::Closed;
            let accepted = debate.try_move(number, mv, custom).is_some();
            prop_assert!(!(over && accepted));
        }
    }

    #[test]
    fn accepted_draft_is_stored_unchanged(
        moves in any_moves(), opener in option::of(any::<bool>()), custom: bool,
    ) {
        let mut debate = Debate::open(opener);
        for (number, mv) in moves {
            let target = debate.newest_id();
            let before = debate.head.debate.clone();
            let Some(step) = debate.try_move(number, mv, custom) else { continue };
            let brought = draft(number, mv);
            prop_assert_eq!(step.argument.id, brought.id);
            prop_assert_eq!(step.argument.debate, before.id);
            prop_assert_eq!(step.argument.parent, target);
            prop_assert_eq!(step.argument.content.as_str(), brought.content.as_str());
            prop_assert_eq!(step.argument.request_key.as_deref(), Some(brought.key.as_str()));
            prop_assert_eq!(step.argument.created_at, instant(number));
            prop_assert_eq!(step.debate.updated_at, instant(number));
            prop_assert_eq!(step.debate.created_at, before.created_at);
            prop_assert_eq!(step.debate.title, before.title);
        }
    }

    #[test]
    fn resolution_adds_an_automatic_ruling_by_opener_or_server_setting(
        moves in any_moves(), opener in option::of(any::<bool>()), custom: bool,
    ) {
        let mut debate = Debate::open(opener);
        let wanted = match opener {
            Some(arguments) => arguments,
            None => custom,
        };
        for (number, mv) in moves {
            let before = debate.log.len();
            let Some(step) = debate.try_move(number, mv, custom) else { continue };
            let closed_by_itself = mv == Move::Resolve && wanted;
            prop_assert_eq!(step.ruling.is_some(), closed_by_itself);
            prop_assert_eq!(debate.log.len() - before, if closed_by_itself { 2 } else { 1 });
            if mv == Move::Resolve {
                let end = if wanted { State::Closed } else { State::AwaitingArbitrator };
                prop_assert_eq!(step.debate.state, end);
                prop_assert_eq!(step.argument.state_after, State::AwaitingArbitrator);
            }
        }
    }
}

/// A debate in which the proposer is next.
fn answered(opener: Option<bool>) -> Debate {
    let mut debate = Debate::open(opener);
    debate.try_move(2, Move::Claim(Side::Opponent), true).expect("the opponent is awaited");
    debate
}

#[test]
fn automatic_ruling_has_the_role_arbitrator_and_no_target() {
    let step = answered(None).try_move(3, Move::Resolve, true).unwrap();
    let ruling = step.ruling.unwrap();
    assert_eq!(ruling.id, draft(3, Move::Resolve).closing_id);
    assert_eq!(ruling.debate, step.argument.debate);
    assert_eq!((ruling.kind, ruling.role), (ArgumentType::Ruling, Role::Arbitrator));
    assert_eq!((ruling.parent, ruling.request_key), (None, None));
    assert_eq!(ruling.content, AUTO_RULING_CONTENT);
    assert_eq!(ruling.seq, step.argument.seq.next());
    assert_eq!(ruling.created_at, step.argument.created_at);
    assert_eq!(ruling.state_after, State::Closed);
    assert_eq!(step.last_seq, ruling.seq);
}

#[test]
fn auto_ruling_of_the_opener_overrides_the_server() {
    let table = [
        (None, true, State::Closed),
        (None, false, State::AwaitingArbitrator),
        (Some(true), true, State::Closed),
        (Some(true), false, State::Closed),
        (Some(false), true, State::AwaitingArbitrator),
        (Some(false), false, State::AwaitingArbitrator),
    ];
    for (opener, custom, expected) in table {
        let step = answered(opener).try_move(3, Move::Resolve, custom).unwrap();
        assert_eq!(step.debate.state, expected, "{opener:?} {custom}");
    }
}

#[test]
fn appeal_adds_no_automatic_ruling() {
    let step = answered(Some(true)).try_move(3, Move::Appeal, true).unwrap();
    assert!(step.ruling.is_none());
    assert_eq!(step.debate.state, State::AwaitingArbitrator);
}

#[test]
fn new_debate_has_its_motion_at_position_one() {
    let opened = open(&opening(), slug(), instant(9));
    let Head { debate, last_seq, auto_ruling, seats, seat_fields } = opened.head;
    assert_eq!((debate.id, debate.slug), (opening().debate, slug()));
    assert_eq!(debate.title, "Tabs or spaces");
    assert_eq!((debate.state, last_seq), (State::AwaitingOpponent, Seq::FIRST));
    assert_eq!((debate.created_at, debate.updated_at), (instant(9), instant(9)));
    assert_eq!((debate.seat_changes, seats, seat_fields, auto_ruling), (None, None, None, None));
    let motion = opened.motion;
    assert_eq!((motion.id, motion.debate), (argument_id(1), opening().debate));
    assert_eq!((motion.kind, motion.role), (ArgumentType::Motion, Role::Proposer));
    assert_eq!((motion.seq, motion.parent), (Seq::FIRST, None));
    assert_eq!(motion.content, "Tabs.");
    assert_eq!(motion.request_key.as_deref(), Some("open"));
    assert_eq!((motion.state_after, motion.by), (State::AwaitingOpponent, None));
}
