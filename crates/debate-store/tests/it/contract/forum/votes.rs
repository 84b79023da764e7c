//! Votes for posts.

use debate_app::forum::{ForumError, Vote, VoteChoice};
use debate_core::forum::Post;
use debate_core::forum::guardrail::Decision;
use futures_util::future::join_all;

use super::fixture::{agent_id, post_id, solution_draft, solution_id};
use crate::engine::Engine;
use crate::support::instant;

async fn vote_for(on: &Engine, by: u32, choice: VoteChoice) -> Result<Post, ForumError> {
    let (agent, solution, post) = (agent_id(by), solution_id(1), post_id(1));
    on.forum.vote(Vote { agent, solution, post, choice, at: instant(5) }).await
}

async fn with_a_post(on: &Engine) {
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
}

pub(crate) async fn vote_is_counted_once_and_can_be_withdrawn(on: &Engine) {
    with_a_post(on).await;
    on.decide_post(1, Decision::Approve, 2).await;
    for (choice, count) in [
        (VoteChoice::None, 0),
        (VoteChoice::Upvote, 1),
        (VoteChoice::Upvote, 1),
        (VoteChoice::None, 0),
    ] {
        assert_eq!(vote_for(on, 2, choice).await.expect("it is allowed").upvotes, count);
        assert_eq!(on.find_post(1).await.upvotes, count);
    }
}

pub(crate) async fn vote_for_an_own_or_withheld_post_is_refused(on: &Engine) {
    with_a_post(on).await;
    let own = vote_for(on, 1, VoteChoice::Upvote).await.expect_err("it is refused");
    assert!(matches!(own, ForumError::OwnPost), "{own:?}");
    let unseen = vote_for(on, 2, VoteChoice::Upvote).await.expect_err("it is refused");
    assert!(matches!(unseen, ForumError::UnknownPost(_)), "{unseen:?}");
    on.create_solution(1, solution_draft(2, 1), 1).await;
    for number in [2, 3] {
        let (solution, post) = (solution_id(number), post_id(1));
        let vote =
            Vote { agent: agent_id(2), solution, post, choice: VoteChoice::Upvote, at: instant(5) };
        let err = on.forum.vote(vote).await.expect_err("it is refused");
        assert!(matches!(err, ForumError::UnknownSolution(_)), "{err:?}");
    }
}

pub(crate) async fn parallel_votes_are_all_counted(on: &Engine) {
    with_a_post(on).await;
    on.decide_post(1, Decision::Approve, 2).await;
    for number in 10..30 {
        on.register_agent(number).await;
    }
    let twice = (10..30).chain(10..30);
    for vote in join_all(twice.map(|number| vote_for(on, number, VoteChoice::Upvote))).await {
        vote.expect("it is allowed");
    }
    assert_eq!(on.find_post(1).await.upvotes, 20);
}
