//! The forum on SQLite: indexes of the reads, rate windows, and rows that cannot be decoded.

use debate_app::forum::ForumError;
use debate_app::{StoreError, WorkOffer};
use debate_core::forum::Viewer;
use debate_core::forum::guardrail::Decision;
use jiff::SignedDuration;

use super::query_plans::plan;
use crate::contract::forum::fixture::{evaluation_id, post_id, solution_id, threads};
use crate::contract::forum::rate_limits::{admit_caller, peer};
use crate::contract::forum::sql;
use crate::contract::leases::EVALUATIONS;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::instant;

/// By the thread, and not by the solution only.
const THREAD: &str = "forum_posts_of_thread (solution_id=? AND root_seq=?)";

async fn populated(folder: &TempDatabase) -> rusqlite::Connection {
    let on = folder.engine();
    on.open_forum().await;
    for number in 1..=40 {
        let parent = (number % 4 != 1).then_some(number - (number - 1) % 4);
        on.create_post(1, number, parent, number).await;
        if number % 3 != 0 {
            on.decide_post(number, Decision::Approve, 100).await;
        }
    }
    drop(on);
    folder.writable_connection()
}

#[tokio::test]
async fn every_read_uses_its_index() {
    let folder = TempDatabase::new();
    let conn = populated(&folder).await;
    for (statement, indexes) in [
        (sql::THREADS, vec!["posts_public_roots", "posts_withheld", THREAD]),
        (sql::ALL_THREADS, vec!["forum_posts_roots", THREAD]),
        (sql::OF_STANCE, vec!["posts_by_stance", "posts_withheld"]),
        (sql::ALL_OF_STANCE, vec!["solution_id=? AND seq>?"]),
        (sql::NEWER, vec!["PRIMARY KEY"]),
        (sql::THROUGH, vec!["PRIMARY KEY"]),
        (sql::PROBLEMS, vec!["problems_public", "problems_of_agent"]),
        (sql::PROBLEMS_OF_AGENT, vec!["problems_of_agent"]),
        (sql::ALL_PROBLEMS, vec!["problems_by_time"]),
        (sql::SOLUTIONS, vec!["solutions_public", "solutions_of_agent"]),
        (sql::SOLUTIONS_IN_PROGRESS, vec!["solutions_by_progress", "solutions_of_agent"]),
        (sql::SOLUTIONS_OF_PROBLEM, vec!["solutions_of_problem"]),
        (sql::SOLUTIONS_OF_AGENT, vec!["solutions_of_agent"]),
        (sql::ALL_SOLUTIONS, vec!["solutions_by_time"]),
        (sql::POST_OF_KEY, vec!["agent_id=? AND request_key=?"]),
        (sql::REPEATED, vec!["posts_by_text"]),
        (EVALUATIONS.due_sqlite, vec!["evaluations_due"]),
        (EVALUATIONS.next_due, vec!["evaluations_due"]),
        (sql::FLAGGED, vec!["evaluations_flagged"]),
        (sql::FLAGGED_OF_AGENT, vec!["evaluations_flagged_of_agent"]),
        (sql::WAITING_POSTS, vec!["posts_of_thread"]),
        (sql::WAITING_SOLUTIONS, vec!["solutions_of_problem"]),
        (sql::PARENT, vec!["autoindex_forum_posts_1", THREAD, "forum_posts_undecided"]),
        (sql::LISTED_SQLITE, vec!["solution_id=? AND seq=?"]),
    ] {
        let plan = plan(&conn, statement);
        for index in indexes {
            assert!(
                plan.iter().any(|step| step.contains(index)),
                "{index}: {statement}\n{plan:#?}"
            );
        }
        let whole = plan.iter().find(|step| step.starts_with("SCAN forum_"));
        let whole = whole.filter(|step| !step.contains("USING INDEX"));
        assert!(whole.is_none(), "{whole:?}: {statement}\n{plan:#?}");
    }
}

#[tokio::test]
async fn request_counts_for_exactly_one_minute() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let caller = || peer("192.0.2.1");
    assert!(admit_caller(&on, caller(), 2, instant(0)).await.retry_after.is_none());
    assert!(admit_caller(&on, caller(), 2, instant(30)).await.retry_after.is_none());
    let refused = admit_caller(&on, caller(), 2, instant(40)).await;
    assert_eq!((refused.retry_after_seconds(), refused.reset), (Some(20), instant(60)));
    let a_moment = SignedDuration::from_micros(1);
    assert!(admit_caller(&on, caller(), 2, instant(60) - a_moment).await.retry_after.is_some());
    assert!(admit_caller(&on, caller(), 2, instant(60)).await.retry_after.is_none());
    // A clock that is set back refills no window.
    assert!(admit_caller(&on, caller(), 2, instant(10)).await.retry_after.is_some());
    assert!(admit_caller(&on, caller(), 2, instant(90)).await.retry_after.is_none());
}

#[tokio::test]
async fn undecodable_row_is_reported_and_affects_no_other_row() {
    for damage in [
        "update forum_posts set status = 'lost'",
        "update forum_posts set root_id = x'00'",
        "update forum_posts set links = 'http://127.0.0.1'",
        "update forum_posts set content = 'short'",
        "update forum_posts set stance = ''",
        "update forum_posts set upvotes = -1",
        "update forum_agents set username = 'Ann' where username = 'agent_1'",
    ] {
        let folder = TempDatabase::new();
        let on = folder.engine();
        on.open_forum().await;
        on.create_post(1, 1, None, 1).await;
        folder.writable_connection().execute_batch(damage).unwrap();
        let one = on.forum.post(Viewer::Reviewer, solution_id(1), post_id(1)).await.unwrap_err();
        assert!(matches!(one, ForumError::Store(StoreError::Undecodable(_))), "{damage}: {one:?}");
        let all = on.forum.posts(threads(Viewer::Reviewer)).await.unwrap_err();
        assert!(matches!(all, ForumError::Store(StoreError::Undecodable(_))), "{damage}: {all:?}");
        assert!(on.forum.solution(Viewer::Reviewer, solution_id(1)).await.is_ok(), "{damage}");
    }
}

#[tokio::test]
async fn undecodable_evaluation_is_postponed_and_others_continue() {
    for (damage, repair) in [
        (
            "update forum_evaluations set status = 'lost' where post_id is not null",
            "update forum_evaluations set status = 'pending' where post_id is not null",
        ),
        (
            "update forum_agents set username = 'Ann' where username = 'agent_1'",
            "update forum_agents set username = 'agent_1' where username = 'Ann'",
        ),
    ] {
        let folder = TempDatabase::new();
        let on = folder.engine();
        on.open_forum().await;
        on.create_post(1, 1, None, 1).await;
        folder.writable_connection().execute_batch(damage).unwrap();
        on.create_post(2, 2, None, 2).await;
        assert!(matches!(on.acquire_evaluation(10).await, WorkOffer::Cleaned), "{damage}");
        assert_eq!(
            on.acquire_evaluation_task(10).await.lease.item,
            evaluation_id(post_id(2).uuid()),
            "{damage}"
        );
        folder.writable_connection().execute_batch(repair).unwrap();
        assert_eq!(
            on.acquire_evaluation_task(40).await.lease.item,
            evaluation_id(post_id(1).uuid()),
            "{repair}"
        );
    }
}
