//! Pages of posts in thread order.

use std::collections::HashSet;

use debate_app::forum::{CreatedPost, ForumError};
use debate_core::PostId;
use debate_core::forum::guardrail::Decision;
use debate_core::forum::{Post, PostDraft, PostOrder, PostQuery, Stance, ThreadPath, Viewer};
use futures_util::future::join;

use super::fixture::{
    agent_id, page_limit, post_draft, post_id, post_number, set, solution_draft, solution_id,
    threads,
};
use super::pages::large_post;
use crate::engine::Engine;
use crate::support::{Dice, instant};

/// Three threads of agent 1, in the order of their posts:
/// 1 (3 (5), 4), 2 (6), 7.
async fn three_threads(on: &Engine) {
    on.open_forum().await;
    for (number, parent) in
        [(1, None), (2, None), (3, Some(1)), (4, Some(1)), (5, Some(3)), (6, Some(2)), (7, None)]
    {
        on.create_post(1, number, parent, 1).await;
    }
}

async fn all_public(on: &Engine, last: u32) {
    for number in 1..=last {
        on.decide_post(number, Decision::Approve, 2).await;
    }
}

pub(crate) async fn page_has_complete_threads_in_thread_order(on: &Engine) {
    three_threads(on).await;
    let own = Viewer::Agent(agent_id(1));
    assert_eq!(on.visible_numbers(own).await, [1, 3, 5, 4, 2, 6, 7]);
    assert_eq!(on.visible_numbers(Viewer::Reviewer).await, [1, 3, 5, 4, 2, 6, 7]);
    assert_eq!(on.visible_numbers(Viewer::Anonymous).await, [0_u32; 0]);
    all_public(on, 7).await;
    assert_eq!(on.visible_numbers(Viewer::Anonymous).await, [1, 3, 5, 4, 2, 6, 7]);
}

pub(crate) async fn pages_count_threads_and_join_without_a_gap(on: &Engine) {
    three_threads(on).await;
    all_public(on, 7).await;
    for viewer in super::fixture::viewers() {
        let query = |after, limit| PostQuery { after, limit: page_limit(limit), ..threads(viewer) };
        let path = |seqs: &[u32]| ThreadPath::new(seqs).expect("it is no deeper than a thread");
        let first = on.forum.posts(query(ThreadPath::START, 2)).await.expect("it is allowed");
        assert_eq!(first.posts.iter().map(post_number).collect::<Vec<_>>(), [1, 3, 5, 4, 2, 6]);
        assert_eq!(first.next, Some(path(&[2, 6])));
        let second = on.forum.posts(query(path(&[2, 6]), 2)).await.expect("it is allowed");
        assert_eq!(second.posts.iter().map(post_number).collect::<Vec<_>>(), [7]);
        assert_eq!(second.next, None);
        let all = on.forum.posts(query(ThreadPath::START, 3)).await.expect("it is allowed");
        assert_eq!(all.next, None);
        let inside = on.forum.posts(query(path(&[1, 3]), 1)).await.expect("it is allowed");
        assert_eq!(inside.posts.iter().map(post_number).collect::<Vec<_>>(), [5, 4]);
        assert_eq!(inside.next, Some(path(&[1, 4])));
        let beyond = on.forum.posts(query(path(&[99]), 3)).await.expect("it is allowed");
        assert_eq!((beyond.posts.len(), beyond.next), (0, None));
    }
}

pub(crate) async fn own_withheld_threads_are_listed_among_public_threads(on: &Engine) {
    on.open_forum().await;
    // Alternately by agents 1 and 2; only 1 and 4 are public.
    for number in 1..=6 {
        on.create_post(1 + number % 2, number, None, 1).await;
    }
    for number in [1, 4] {
        on.decide_post(number, Decision::Approve, 2).await;
    }
    assert_eq!(on.visible_numbers(Viewer::Anonymous).await, [1, 4]);
    for (agent, sees) in [(1, vec![1, 2, 4, 6]), (2, vec![1, 3, 4, 5])] {
        let viewer = Viewer::Agent(agent_id(agent));
        for limit in [1, 2, 3, 100] {
            let walked: Vec<_> =
                on.all_posts(viewer, limit).await.iter().map(post_number).collect();
            assert_eq!(walked, sees, "agent {agent}, {limit} a page");
        }
    }
}

pub(crate) async fn posts_of_one_stance_are_listed_without_threads(on: &Engine) {
    on.open_forum().await;
    for number in 1..=9 {
        let stance = if number % 3 == 0 { Stance::Oppose } else { Stance::Modify };
        let parent = (number > 1).then_some(1);
        on.create_post_as(1, PostDraft { stance, ..post_draft(number, parent) }, 1).await;
    }
    for number in [1, 3, 4, 9] {
        on.decide_post(number, Decision::Approve, 2).await;
    }
    let oppose = PostOrder::Flat(Stance::Oppose);
    for (viewer, sees) in [
        (Viewer::Anonymous, vec![3, 9]),
        (Viewer::Agent(agent_id(2)), vec![3, 9]),
        (Viewer::Agent(agent_id(1)), vec![3, 6, 9]),
        (Viewer::Reviewer, vec![3, 6, 9]),
    ] {
        for limit in [1, 2, 100] {
            let limit = page_limit(limit);
            let query = PostQuery { order: oppose, limit, ..threads(viewer) };
            let found = on.pages(query).await;
            let found: Vec<u32> = found.iter().flatten().map(post_number).collect();
            assert_eq!(found, sees, "{viewer:?} {limit:?}");
        }
    }
    let none = PostOrder::Flat(Stance::Question);
    let query = PostQuery { order: none, ..threads(Viewer::Reviewer) };
    assert_eq!(on.forum.posts(query).await.expect("it is allowed").posts.len(), 0);
}

pub(crate) async fn posts_of_an_invisible_solution_are_not_found(on: &Engine) {
    on.open_forum().await;
    on.create_solution(1, solution_draft(2, 1), 0).await;
    for number in [2, 3] {
        let query = PostQuery { solution: solution_id(number), ..threads(Viewer::Anonymous) };
        let err = on.forum.posts(query).await.expect_err("it is refused");
        assert!(matches!(err, ForumError::UnknownSolution(_)), "{err:?}");
    }
    let post = PostDraft { solution: solution_id(2), ..post_draft(1, None) };
    on.create_post_as(1, post, 1).await;
    on.decide_post(1, Decision::Approve, 2).await;
    // The post is approved and its solution is withheld.
    let err = on
        .forum
        .post(Viewer::Anonymous, solution_id(2), post_id(1))
        .await
        .expect_err("it is refused");
    assert!(matches!(err, ForumError::UnknownSolution(_)), "{err:?}");
    let err = on
        .forum
        .post(Viewer::Reviewer, solution_id(1), post_id(1))
        .await
        .expect_err("it is refused");
    assert!(matches!(err, ForumError::UnknownPost(_)), "{err:?}");
}

fn assert_parents_first(posts: &[Post]) {
    let mut seen: HashSet<PostId> = HashSet::new();
    for post in posts {
        assert!(post.parent.is_none_or(|parent| seen.contains(&parent)), "{} is alone", post.id);
        assert!(seen.insert(post.id), "{} came twice", post.id);
    }
}

/// A viewer that reads all pages during writes sees every earlier post once.
pub(crate) async fn pages_during_writes_lose_and_repeat_no_post(on: &Engine) {
    on.open_forum().await;
    // Four threads, each of a post and 14 replies. A page ends inside a thread after eight posts.
    for number in 1..=60_u32 {
        let root = number - (number - 1) % 15;
        let parent = (root != number).then_some(root);
        on.create_post_as(1, large_post(number, parent, 30_000), 1).await;
    }
    all_public(on, 60).await;
    let writer = async {
        let mut dice = Dice::new(8);
        for number in 100..180 {
            let parent = (dice.roll(2) == 0).then(|| 1 + dice.roll(60));
            let draft = post_draft(number, parent);
            let posted =
                on.forum.create_post(agent_id(2), draft, instant(3)).await.expect("it is allowed");
            assert!(matches!(posted, CreatedPost::Fresh(_)));
            let decision = dice.one_of(&[Decision::Approve, Decision::Flag]);
            on.decide_post(number, decision, 3).await;
        }
    };
    let walker = async {
        for round in 0..6 {
            for viewer in [Viewer::Anonymous, Viewer::Agent(agent_id(1)), Viewer::Reviewer] {
                let walked = on.all_posts(viewer, 1 + round).await;
                assert_parents_first(&walked);
                let old = set(walked.iter().map(post_number).filter(|number| *number <= 60));
                assert_eq!(old, set(1..=60));
            }
        }
    };
    join(writer, walker).await;
}
