//! The arguments after a reader's position: the end of a debate, and the debate after each of them.

use debate_app::arena::NewArguments;
use debate_core::arena::{Argument, Debate, DebateType, NewDebate, SeatFields, State, open};
use debate_core::{ArgumentId, Content, RequestKey, Seq, Title};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use crate::support::debate;

fn opened() -> (Debate, Argument) {
    let opening = NewDebate {
        debate: debate(1),
        motion_id: ArgumentId::new(Uuid::from_u128(1)),
        title: Title::new("Tabs".to_owned()).expect("it is a title"),
        debate_type: DebateType::General,
        motion: Content::new("Tabs.".to_owned(), 100).expect("it is a content"),
        auto_ruling: None,
        key: RequestKey::new("open".to_owned()).expect("it is a key"),
        seats: None,
        seat_fields: SeatFields::default(),
    };
    let opened = open(&opening, "tabs-k3f7".to_owned(), Timestamp::UNIX_EPOCH);
    (opened.head.debate, opened.motion)
}

/// The result of a read at `seen` of a debate with the arguments `newer` up to `last`.
fn received(state: State, seen: u32, newer: &[u32], last: u32) -> NewArguments {
    let (debate, motion) = opened();
    let argument = |seq: &u32| Argument {
        seq: Seq::new(*seq),
        created_at: Timestamp::UNIX_EPOCH + SignedDuration::from_secs((*seq).into()),
        state_after: if *seq == last { state } else { State::AwaitingProposer },
        ..motion.clone()
    };
    NewArguments {
        debate: Debate { state, ..debate },
        seen: Seq::new(seen),
        before: None,
        newer: newer.iter().map(argument).collect(),
        omitted: 0,
        last: Seq::new(last),
    }
}

#[test]
fn debate_ends_with_the_last_argument_of_a_closed_debate() {
    for (state, seen, newer, is_end) in [
        (State::Closed, 1, &[2, 3][..], true),
        (State::Closed, 3, &[], true),
        (State::Closed, 0, &[1, 2], false),
        (State::Closed, 2, &[], false),
        (State::AwaitingProposer, 1, &[2, 3], false),
        (State::AwaitingProposer, 3, &[], false),
    ] {
        let new = received(state, seen, newer, 3);
        assert_eq!(new.is_end(), is_end, "{state} after {seen}, {newer:?}");
    }
}

#[test]
fn each_argument_comes_with_the_debate_as_it_was_after_it() {
    let after = |second: i64| Timestamp::UNIX_EPOCH + SignedDuration::from_secs(second);
    let events: Vec<_> = received(State::Closed, 1, &[2, 3], 3)
        .events()
        .map(|(debate, argument)| (argument.seq.number(), debate.state, debate.updated_at))
        .collect();
    assert_eq!(events, [(2, State::AwaitingProposer, after(2)), (3, State::Closed, after(3))]);
}
