//! The forum on PostgreSQL: two processes on the same items, and query plans.

use std::collections::BTreeSet;

use aw_testbed::Database;
use debate_app::WorkOffer;
use debate_app::forum::{AgentPatch, ForumError};
use debate_app::{Notification, Subject};
use debate_core::RateKey;
use debate_core::forum::guardrail::Decision;
use debate_core::forum::{Activity, SolutionStatus, Viewer};
use futures_util::future::join_all;
use futures_util::{StreamExt as _, stream};

use crate::contract::forum::fixture::{
    agent_draft, agent_id, agent_key, evaluation_id, post_id, solution_id, take_at, username,
};
use crate::contract::forum::rate_limits::{admit_caller, network, peer};
use crate::contract::forum::sql;
use crate::contract::leases::EVALUATIONS;
use crate::engine::{Engine, with_deadline};
use crate::postgres::store_on;
use crate::support::instant;

fn fresh() -> Database {
    Database::fresh().expect("PostgreSQL can be started")
}

async fn both(database: &Database) -> (Engine, Engine) {
    (store_on(database.url()).await, store_on(database.url()).await)
}

#[tokio::test]
async fn rate_limit_applies_across_processes() {
    let database = fresh();
    let (here, there) = both(&database).await;
    let asks = (0..400_u32).map(|number| {
        let on = if number.is_multiple_of(2) { &here } else { &there };
        // The clocks of the processes differ by years; that of the database applies.
        admit_caller(on, peer("192.0.2.1"), 60, instant(number * 1_000_000))
    });
    let answers: Vec<_> = stream::iter(asks).buffer_unordered(40).collect().await;
    let admitted = answers.iter().filter(|answer| answer.retry_after.is_none()).count();
    assert_eq!(admitted, 60);
}

const NOW: &str = "cast(extract(epoch from clock_timestamp()) * 1000000 as bigint)";

/// L3: the clock was an hour ahead, was set right, and the server started again.
#[tokio::test]
async fn windows_with_future_times_do_not_refuse_callers() {
    let database = fresh();
    let on = store_on(database.url()).await;
    for _ in 0..2 {
        assert!(!admit_caller(&on, peer("192.0.2.1"), 2, instant(0)).await.is_refused());
    }
    drop(on);
    let ahead = format!(
        "update rate_windows set runs = int8send({NOW} + 3600000000::bigint) || int4send(2)"
    );
    database.sql(&[&ahead]).expect("the table is there");
    let on = store_on(database.url()).await;
    assert_eq!(admit_caller(&on, peer("192.0.2.1"), 2, instant(0)).await.remaining, 1);
}

#[tokio::test]
async fn windows_that_no_longer_count_are_removed() {
    let database = fresh();
    let on = store_on(database.url()).await;
    for number in 1..=20 {
        admit_caller(&on, peer(&format!("192.0.2.{number}")), 5, instant(0)).await;
    }
    database.sql(&["update rate_windows set expires_at = 1"]).expect("the table is there");
    for _ in 0..10 {
        admit_caller(&on, peer("198.51.100.1"), 100, instant(0)).await;
    }
    let left = database.sql(&["do $$ begin
             assert (select count(*) from rate_windows) = 1, 'more than one window is left';
         end $$"]);
    left.expect("one window is left");
}

/// A flood of refused requests costs the database nothing.
#[tokio::test]
async fn refused_requests_do_not_ask_the_database_again() {
    let database = fresh();
    let (here, there) = both(&database).await;
    let network = RateKey::WrongTokens(network("192.0.2.1"));
    assert!(!admit_caller(&here, network.clone(), 1, instant(0)).await.is_refused());
    let refused = admit_caller(&here, network.clone(), 1, instant(0)).await;
    database.sql(&["delete from rate_windows"]).expect("the table is there");
    let again = admit_caller(&here, network.clone(), 1, instant(0)).await;
    assert!(again.is_refused() && again.retry_after <= refused.retry_after, "{again:?}");
    assert_eq!(again.reset, refused.reset);
    // Another limit, and another process, ask the database.
    assert!(!admit_caller(&here, network.clone(), 2, instant(0)).await.is_refused());
    database.sql(&["delete from rate_windows"]).expect("the table is there");
    assert!(!admit_caller(&there, network, 1, instant(0)).await.is_refused());
}

#[tokio::test]
async fn workers_of_two_processes_share_the_work() {
    let database = fresh();
    let (here, there) = both(&database).await;
    here.open_forum().await;
    for number in 1..=30 {
        here.create_post(1, number, None, 1).await;
    }
    let takes = (0..60).map(|number: u32| {
        let on = if number.is_multiple_of(2) { &here } else { &there };
        on.forum.acquire(take_at(2))
    });
    let mut taken = BTreeSet::new();
    for found in join_all(takes).await {
        if let WorkOffer::Task(task) = found.expect("the store is well") {
            assert!(taken.insert(task.lease.item), "{} was taken twice", task.lease.item);
        }
    }
    assert_eq!(taken.len(), 30);
}

#[tokio::test]
async fn posts_of_two_processes_have_a_sequence_without_gaps() {
    let database = fresh();
    let (here, there) = both(&database).await;
    here.open_forum().await;
    let posts = join_all((1..=40_u32).map(|number| {
        let on = if number.is_multiple_of(2) { &here } else { &there };
        async move { on.create_post(1 + number % 2, number, None, 1).await.seq.number() }
    }))
    .await;
    let seqs: BTreeSet<u32> = posts.into_iter().collect();
    assert_eq!(seqs, (1..=40).collect());
    let solution = there.forum.solution(Viewer::Reviewer, solution_id(1)).await.unwrap();
    assert_eq!((solution.posts, solution.status), (40, SolutionStatus::Debating));
}

#[tokio::test]
async fn write_notifies_subscribers_in_the_other_process() {
    let database = fresh();
    let (here, there) = both(&database).await;
    here.open_forum().await;
    let mut subscription = here.notifier.subscribe(solution_id(1)).unwrap();
    let mut work = here.notifier.subscribe_worker(Subject::GUARDRAIL_WORK);
    there.create_post(1, 1, None, 1).await;
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
    assert_eq!(with_deadline(work.changed()).await, Notification::Changed);
    there.decide_post(1, Decision::Approve, 2).await;
    let heard = async {
        while here.visible_numbers(Viewer::Anonymous).await != [1] {
            assert_eq!(subscription.changed().await, Notification::Changed);
        }
    };
    with_deadline(heard).await;
}

#[tokio::test]
async fn deactivated_agent_is_refused_in_the_other_process() {
    let database = fresh();
    let (here, there) = both(&database).await;
    here.register_agent(1).await;
    assert!(there.forum.authenticate(&agent_key(1), instant(1)).await.is_ok());
    let patch = AgentPatch { activity: Some(Activity::Deactivated), rate_limit: None };
    here.forum.patch_agent(agent_id(1), patch).await.unwrap();
    let nobody = there.forum.authenticate(&agent_key(1), instant(1)).await.unwrap_err();
    assert!(matches!(nobody, ForumError::BadKey), "{nobody:?}");
}

#[tokio::test]
async fn username_is_registered_by_one_of_two_processes() {
    let database = fresh();
    let (here, there) = both(&database).await;
    for number in 1..=10 {
        let draft = |twin: u32| {
            let mut draft = agent_draft(2 * number + twin);
            draft.username = username(&format!("wanted_{number}"));
            draft
        };
        let (one, other) = tokio::join!(
            here.forum.register(draft(0), instant(0)),
            there.forum.register(draft(1), instant(0)),
        );
        assert_eq!(usize::from(one.is_ok()) + usize::from(other.is_ok()), 1);
        let loser = one.err().or(other.err()).unwrap();
        assert!(matches!(loser, ForumError::UsernameTaken(_)), "{loser:?}");
    }
}

#[tokio::test]
async fn every_page_and_acquisition_uses_its_index() {
    const ID: &str = "gen_random_uuid()";
    let database = fresh();
    let on = store_on(database.url()).await;
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
    for (statement, values, indexes) in [
        (
            sql::THREADS,
            format!("({ID}, 0, 22, {ID}, 100)"),
            vec!["posts_public_roots", "posts_withheld", "posts_of_thread"],
        ),
        (sql::ALL_THREADS, format!("({ID}, 0, 22, 100)"), vec!["forum_posts_roots"]),
        (
            sql::OF_STANCE,
            format!("({ID}, 'support', 0, 21, {ID})"),
            vec!["posts_by_stance", "posts_withheld"],
        ),
        (sql::NEWER, format!("({ID}, 0, 50, {ID}, false)"), vec!["forum_feed_pkey"]),
        (sql::LISTED_POSTGRES, format!("('1,2', {ID})"), vec!["forum_posts_solution_id_seq_key"]),
        (sql::PARENT, format!("(1000, {ID}, 20, {ID})"), vec!["forum_posts_undecided"]),
        (
            sql::PROBLEMS,
            format!("(true, 0, {ID}, 21, {ID}, 'approved', true)"),
            vec!["problems_public", "problems_of_agent"],
        ),
        (
            sql::SOLUTIONS,
            format!("(0, {ID}, 21, {ID})"),
            vec!["solutions_public", "solutions_of_agent"],
        ),
        (
            sql::SOLUTIONS_IN_PROGRESS,
            format!("('debating', 0, {ID}, 21, {ID})"),
            vec!["solutions_by_progress", "solutions_of_agent"],
        ),
        (EVALUATIONS.due_postgres, "(0)".to_owned(), vec!["evaluations_due"]),
        (EVALUATIONS.next_due, String::new(), vec!["evaluations_due"]),
        (sql::FLAGGED, format!("(0, {ID}, 0, true, true, 21)"), vec!["forum_evaluations_flagged"]),
        (sql::REPEATED, format!("({ID}, '', 0)"), vec!["posts_by_text"]),
    ] {
        let script = format!(
            "set enable_seqscan = off; set plan_cache_mode = force_generic_plan;
             set enable_bitmapscan = off; prepare asked as {statement};
             explain execute asked{values};"
        );
        let plan = database.sql(&[&script]).unwrap();
        for index in indexes {
            assert!(plan.contains(index), "{index}: {statement}\n{plan}");
        }
    }
}

#[tokio::test]
async fn undecodable_evaluation_is_postponed_and_others_continue() {
    let database = fresh();
    let on = store_on(database.url()).await;
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
    database.sql(&["update forum_evaluations set status = 'lost' where due is not null"]).unwrap();
    on.create_post(2, 2, None, 2).await;
    assert!(matches!(on.acquire_evaluation(10).await, WorkOffer::Cleaned));
    assert_eq!(on.acquire_evaluation_task(10).await.lease.item, evaluation_id(post_id(2).uuid()));
    database
        .sql(&["update forum_evaluations set status = 'pending' where status = 'lost'"])
        .unwrap();
    assert_eq!(on.acquire_evaluation_task(40).await.lease.item, evaluation_id(post_id(1).uuid()));
}
