//! The position of a post in a thread, and the order of refusals.

use debate_core::forum::{
    Depth, Exposure, Parent, ParentRefusal, ReplyRefusal, SolutionStatus, THREAD_POSTS_MAX,
    ThreadPath, ThreadPosition, UNDECIDED_POSTS_MAX, reply_position, start_thread,
};
use debate_core::{AgentId, PostId, Seq, SolutionId};
use proptest::prelude::*;
use uuid::Uuid;

fn post(number: u128) -> PostId {
    PostId::new(Uuid::from_u128(number))
}

fn solution(number: u128) -> SolutionId {
    SolutionId::new(Uuid::from_u128(number))
}

fn agent(number: u128) -> AgentId {
    AgentId::new(Uuid::from_u128(number))
}

fn parent() -> Parent {
    Parent {
        id: post(2),
        solution: solution(1),
        author: agent(1),
        exposure: Exposure::Public,
        root: post(1),
        depth: Depth::new(2).expect("it is one"),
        public_posts: 2,
        undecided_posts: 0,
    }
}

/// Each row violates one more rule than the row below it: the first violated rule is the answer.
#[test]
fn refusals_follow_the_order_of_the_contract() {
    let busy = Parent { undecided_posts: UNDECIDED_POSTS_MAX, ..parent() };
    let full = Parent { public_posts: THREAD_POSTS_MAX, ..busy };
    let deep = Parent { depth: Depth::new(5).expect("it is one"), ..full };
    let foreign = Parent { solution: solution(2), ..deep };
    let hidden = Parent { exposure: Exposure::Withheld, ..foreign };
    let refused = |refusal: ParentRefusal| Err(ReplyRefusal::Parent(refusal));
    for (parent, expected) in [
        (None, refused(ParentRefusal::NotFound)),
        (Some(hidden), refused(ParentRefusal::NotFound)),
        (Some(foreign), refused(ParentRefusal::OtherSolution)),
        (Some(deep), refused(ParentRefusal::TooDeep)),
        (Some(full), refused(ParentRefusal::Full)),
        (Some(busy), Err(ReplyRefusal::TooManyUndecided)),
        (
            Some(parent()),
            Ok(ThreadPosition { root: post(1), depth: Depth::new(3).expect("it is one") }),
        ),
    ] {
        assert_eq!(reply_position(parent.as_ref(), solution(1), agent(9)), expected);
    }
}

#[test]
fn author_can_answer_a_hidden_post_of_the_same_author() {
    let hidden = Parent { exposure: Exposure::Withheld, ..parent() };
    assert!(reply_position(Some(&hidden), solution(1), agent(1)).is_ok());
    assert!(reply_position(Some(&hidden), solution(1), agent(2)).is_err());
}

#[test]
fn refusal_names_the_depth_limit() {
    let says = ParentRefusal::TooDeep.to_string();
    assert_eq!(says, "exceeds the maximum depth of 5 levels");
}

#[test]
fn thread_has_exactly_five_levels() {
    assert_eq!(
        (0..=7).filter_map(Depth::new).map(Depth::number).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );
    assert_eq!(start_thread(post(7)), ThreadPosition { root: post(7), depth: Depth::ROOT });
}

proptest! {
    #[test]
    fn chain_of_answers_stays_in_its_thread_and_within_five_levels(length in 1..12_u8) {
        let mut place = start_thread(post(1));
        let mut accepted = 1;
        for number in 2..=u128::from(length) {
            let ThreadPosition { root, depth } = place;
            let above = Parent { id: post(number - 1), root, depth, ..parent() };
            match reply_position(Some(&above), solution(1), agent(3)) {
                Ok(below) => {
                    prop_assert_eq!(below.root, post(1));
                    prop_assert_eq!(below.depth.number(), place.depth.number() + 1);
                    (place, accepted) = (below, accepted + 1);
                }
                Err(refusal) => prop_assert_eq!(refusal, ParentRefusal::TooDeep.into()),
            }
        }
        prop_assert_eq!(accepted, length.min(5));
    }
}

#[test]
fn first_post_opens_the_discussion_and_no_post_reverts_a_status() {
    for status in SolutionStatus::ALL {
        let expected =
            if status == SolutionStatus::Proposed { SolutionStatus::Debating } else { status };
        assert_eq!(status.after_post(), expected);
        assert_eq!(SolutionStatus::from_name(status.name()), Some(status));
    }
}

fn path(seqs: &[u32]) -> ThreadPath {
    ThreadPath::new(seqs).expect("it is no deeper than a thread")
}

#[test]
fn paths_compare_in_thread_order() {
    let ordered =
        [&[][..], &[1], &[1, 3], &[1, 3, 9], &[1, 4], &[1, 4, 5, 6, 7], &[1, 12], &[2], &[2, 8]];
    for (number, one) in ordered.iter().enumerate() {
        for (other_number, other) in ordered.iter().enumerate() {
            let expected = number.cmp(&other_number);
            assert_eq!(path(one).cmp(&path(other)), expected, "{one:?} {other:?}");
        }
        assert_eq!(path(one).seqs(), *one);
    }
    assert_eq!(ThreadPath::new(&[1, 2, 3, 4, 5, 6]), None);
    assert_eq!(ThreadPath::root(Seq::new(1)).reply(Seq::new(3)), path(&[1, 3]));
}

#[test]
fn position_before_a_post_is_after_everything_earlier() {
    for (before, earlier) in [
        (&[1][..], &[][..]),
        (&[5], &[4, 9, 10, 11, 12]),
        (&[4, 9], &[4, 8, 20, 30, 40]),
        (&[4, 9], &[4]),
        (&[4, 9, 10, 11, 12], &[4, 9, 10, 11]),
    ] {
        let position = path(before).just_before();
        assert!(path(earlier) < position && position < path(before), "{before:?} {earlier:?}");
    }
}
