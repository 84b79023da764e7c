//! The feed of a solution.

use debate_app::Subject;
use debate_app::forum::{FeedQuery, ForumError};
use debate_core::Seq;
use debate_core::forum::guardrail::{Decision, Ruling};
use debate_core::forum::{AppealReason, Viewer};

use super::fixture::{agent_id, post_id, post_number, solution_draft, solution_id, text};
use crate::engine::{Engine, has_changed};
use crate::support::instant;

async fn numbers(on: &Engine, viewer: Viewer) -> Vec<u32> {
    let told = on.feed(viewer).await;
    assert!(told.is_sorted_by(|(one, _), (next, _)| one < next), "places only ever rise");
    told.iter().map(|(_, post)| post_number(post)).collect()
}

pub(crate) async fn feed_shows_authors_every_change_and_others_public_posts(on: &Engine) {
    on.open_forum().await;
    let own = Viewer::Agent(agent_id(1));
    let other = Viewer::Agent(agent_id(2));
    on.create_post(1, 1, None, 1).await;
    assert_eq!(numbers(on, own).await, [1]);
    assert_eq!(numbers(on, other).await, [0_u32; 0]);
    on.decide_post(1, Decision::Flag, 2).await;
    assert_eq!(numbers(on, own).await, [1, 1]);
    assert_eq!(numbers(on, Viewer::Anonymous).await, [0_u32; 0]);
    on.review_item(post_id(1).uuid(), Ruling::Approve, 3).await;
    for viewer in [Viewer::Anonymous, other] {
        assert_eq!(numbers(on, viewer).await, [1]);
    }
    assert_eq!(numbers(on, own).await, [1, 1, 1]);
}

pub(crate) async fn reply_is_in_the_feed_once_its_parent_is_public(on: &Engine) {
    on.open_forum().await;
    // 1 (2 (3, 4 (5))), of which 4 is rejected and 5 therefore stays withheld.
    for (number, parent) in [(1, None), (2, Some(1)), (3, Some(2)), (4, Some(2)), (5, Some(4))] {
        on.create_post(1, number, parent, 1).await;
    }
    for number in [5, 3, 2] {
        on.decide_post(number, Decision::Approve, 2).await;
        assert_eq!(numbers(on, Viewer::Anonymous).await, [0_u32; 0]);
    }
    on.decide_post(4, Decision::Reject, 2).await;
    on.decide_post(1, Decision::Approve, 3).await;
    assert_eq!(numbers(on, Viewer::Anonymous).await, [1, 2, 3]);
    assert_eq!(on.visible_numbers(Viewer::Anonymous).await, [1, 2, 3]);
    assert_eq!(on.solution_1().await.public_posts, 3);
    let reason: AppealReason = text("it says nothing bad");
    on.forum.appeal(agent_id(1), post_id(4), reason, instant(4)).await.expect("it is allowed");
    on.review_item(post_id(4).uuid(), Ruling::Approve, 5).await;
    assert_eq!(numbers(on, Viewer::Anonymous).await, [1, 2, 3, 4, 5]);
    assert_eq!(on.solution_1().await.public_posts, 5);
}

pub(crate) async fn feed_page_has_its_last_position(on: &Engine) {
    on.open_forum().await;
    for number in 1..=70 {
        on.create_post(1, number, None, 1).await;
    }
    on.create_post(2, 71, None, 1).await;
    let viewer = Viewer::Agent(agent_id(2));
    let ask = |after| FeedQuery { viewer, solution: solution_id(1), after };
    let first = on.forum.feed(ask(Seq::START)).await.expect("it is allowed");
    assert_eq!((first.newer.len(), first.last), (0, Seq::new(71)));
    assert!(Seq::START < first.through && first.through < first.last);
    assert_eq!(numbers(on, viewer).await, [71]);
    let end = on.forum.feed(ask(Seq::new(71))).await.expect("it is allowed");
    assert_eq!((end.newer.len(), end.through, end.last), (0, Seq::new(71), Seq::new(71)));
}

pub(crate) async fn feed_of_an_invisible_solution_is_not_found(on: &Engine) {
    on.open_forum().await;
    on.create_solution(1, solution_draft(2, 1), 0).await;
    for number in [2, 3] {
        let (viewer, solution) = (Viewer::Agent(agent_id(2)), solution_id(number));
        let query = FeedQuery { viewer, solution, after: Seq::START };
        let err = on.forum.feed(query).await.expect_err("it is refused");
        assert!(matches!(err, ForumError::UnknownSolution(_)), "{err:?}");
    }
}

pub(crate) async fn change_of_visible_posts_notifies_subscribers_of_the_solution(on: &Engine) {
    on.open_forum().await;
    let mut subscription = on.notifier.subscribe(solution_id(1)).expect("the notifier has room");
    on.create_post(1, 1, None, 1).await;
    assert!(has_changed(&mut subscription));
    let task = on.acquire_evaluation_task(1).await;
    assert!(!has_changed(&mut subscription));
    let end = super::fixture::decision_result(Decision::Reject);
    on.settle_evaluation(&task, end, 2).await;
    assert!(has_changed(&mut subscription));
    let reason: AppealReason = text("it says nothing bad");
    on.forum.appeal(agent_id(1), post_id(1), reason, instant(3)).await.expect("it is allowed");
    assert!(has_changed(&mut subscription));
    on.review_item(post_id(1).uuid(), Ruling::Approve, 4).await;
    assert!(has_changed(&mut subscription));
    on.forum.delete_solution(agent_id(1), solution_id(1)).await.expect("it is allowed");
    assert!(has_changed(&mut subscription));
}

pub(crate) async fn pending_evaluation_notifies_the_workers(on: &Engine) {
    on.register_agent(1).await;
    let mut subscription = on.notifier.subscribe_worker(Subject::GUARDRAIL_WORK);
    on.create_problem(1, 1, 0).await;
    assert!(has_changed(&mut subscription));
    on.create_solution(1, solution_draft(1, 1), 0).await;
    assert!(has_changed(&mut subscription));
    on.create_post(1, 1, None, 0).await;
    assert!(has_changed(&mut subscription));
    let task = on.acquire_evaluation_task(1).await;
    assert!(!has_changed(&mut subscription));
    on.settle_evaluation(&task, debate_app::forum::EvaluationAttemptResult::Released, 2).await;
    assert!(has_changed(&mut subscription));
}
