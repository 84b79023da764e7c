//! Where a post may stand, and the order in which refusals are found out.

use debate_core::forum::{
    Depth, Exposure, Parent, ParentRefusal, Place, SolutionStatus, THREAD_POSTS_MOST, answer, begin,
};
use debate_core::{AgentId, PostId, SolutionId};
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
        thread_posts: 2,
    }
}

/// Each row breaks one more rule than the row below it: the first rule broken is the answer.
#[test]
fn refusals_come_in_the_order_of_the_contract() {
    let full = Parent { thread_posts: THREAD_POSTS_MOST, ..parent() };
    let deep = Parent { depth: Depth::new(5).expect("it is one"), ..full };
    let hidden = Parent { exposure: Exposure::Withheld, ..deep };
    let foreign = Parent { solution: solution(2), ..hidden };
    for (parent, expected) in [
        (None, Err(ParentRefusal::NotFound)),
        (Some(foreign), Err(ParentRefusal::OtherSolution)),
        (Some(hidden), Err(ParentRefusal::NotVisible)),
        (Some(deep), Err(ParentRefusal::TooDeep)),
        (Some(full), Err(ParentRefusal::Full)),
        (Some(parent()), Ok(Place { root: post(1), depth: Depth::new(3).expect("it is one") })),
    ] {
        assert_eq!(answer(parent.as_ref(), solution(1), agent(9)), expected);
    }
}

#[test]
fn ones_own_hidden_post_can_be_answered() {
    let hidden = Parent { exposure: Exposure::Withheld, ..parent() };
    assert!(answer(Some(&hidden), solution(1), agent(1)).is_ok());
    assert!(answer(Some(&hidden), solution(1), agent(2)).is_err());
}

#[test]
fn the_message_names_the_depth_limit() {
    let says = ParentRefusal::TooDeep.to_string();
    assert_eq!(says, "would make the thread deeper than 5 levels");
}

#[test]
fn a_thread_has_five_levels_and_no_other() {
    assert_eq!(
        (0..=7).filter_map(Depth::new).map(Depth::number).collect::<Vec<_>>(),
        [1, 2, 3, 4, 5]
    );
    assert_eq!(begin(post(7)), Place { root: post(7), depth: Depth::ROOT });
}

proptest! {
    #[test]
    fn any_chain_of_answers_stays_in_its_thread_and_within_five_levels(length in 1..12_u8) {
        let mut place = begin(post(1));
        let mut accepted = 1;
        for number in 2..=u128::from(length) {
            let Place { root, depth } = place;
            let above = Parent { id: post(number - 1), root, depth, ..parent() };
            match answer(Some(&above), solution(1), agent(3)) {
                Ok(below) => {
                    prop_assert_eq!(below.root, post(1));
                    prop_assert_eq!(below.depth.number(), place.depth.number() + 1);
                    (place, accepted) = (below, accepted + 1);
                }
                Err(refusal) => prop_assert_eq!(refusal, ParentRefusal::TooDeep),
            }
        }
        prop_assert_eq!(accepted, length.min(5));
    }
}

#[test]
fn the_first_post_opens_the_debate_and_none_moves_a_solution_back() {
    for status in SolutionStatus::ALL {
        let expected =
            if status == SolutionStatus::Proposed { SolutionStatus::Debating } else { status };
        assert_eq!(status.after_post(), expected);
        assert_eq!(SolutionStatus::named(status.name()), Some(status));
    }
}
