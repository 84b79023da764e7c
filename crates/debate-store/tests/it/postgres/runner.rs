//! The runner on PostgreSQL: two processes on the same runs, lost connections, query plans.

use std::collections::BTreeSet;

use aw_testbed::{Cut, Database, Proxy};
use debate_app::runner::{RunnerError, StepReport};
use debate_app::{LeaseRequest, Notification, Settlement, Storage, StoreError, Subject, WorkOffer};
use debate_core::runner::{
    BeginCall, BeginCallError, CallStatus, Command, RunState, UnknownOutcomePolicy,
};
use debate_store::{Postgres, PostgresOptions};
use futures_util::future::join_all;

use crate::contract::leases::RUNS;
use crate::contract::runner::fixture::{
    a_key, beginning, call_result, cost_a_day, create_with, next_due, request, run_id, take_at,
    tokens, tokens_a_day, turn_result,
};
use crate::contract::runner::sql;
use crate::engine::{Engine, notifier, with_deadline};
use crate::postgres::store_on;
use crate::support::instant;

fn fresh() -> Database {
    Database::fresh().expect("PostgreSQL can be started")
}

async fn both(database: &Database) -> (Engine, Engine) {
    (store_on(database.url()).await, store_on(database.url()).await)
}

#[tokio::test]
async fn write_notifies_subscribers_in_the_other_process() {
    let database = fresh();
    let (here, there) = both(&database).await;
    here.create_run(1).await;
    let mut subscription = here.notifier.subscribe(run_id(1)).unwrap();
    let mut work = here.notifier.subscribe_worker(Subject::RUNNER_WORK);
    there.command_run_ok(1, Command::Start, 0).await;
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
    assert_eq!(with_deadline(work.changed()).await, Notification::Changed);
    there.execute_step(1, 1).await;
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
    assert_eq!(here.story(1).await.turns.len(), 1);
    there.delete_run(1).await;
    // A turn and a deletion may be one notification.
    let gone = async {
        while here.runs.story(run_id(1)).await.is_ok() {
            assert_eq!(subscription.changed().await, Notification::Changed);
        }
    };
    with_deadline(gone).await;
}

#[tokio::test]
async fn workers_of_two_processes_share_the_work() {
    const DEBATES: u32 = 60;
    let database = fresh();
    let (here, there) = both(&database).await;
    for number in 1..=DEBATES {
        here.start_run(number, number).await;
    }
    let workers = (0..12_u32).map(|worker| {
        let on = if worker.is_multiple_of(2) { &here } else { &there };
        async move {
            let mut taken = Vec::new();
            loop {
                let holder = format!("worker {worker}");
                let request = LeaseRequest { holder, ..take_at(instant(100)) };
                match on.runs.acquire(request, UnknownOutcomePolicy::Retry).await.unwrap() {
                    WorkOffer::Task(task) => taken.push(task.record.run.id),
                    WorkOffer::Cleaned => panic!("nothing was left behind"),
                    // A due run that another worker has locked is looked for again.
                    WorkOffer::Nothing { next_due: next } if next < Some(instant(115)) => {}
                    WorkOffer::Nothing { .. } => return taken,
                }
            }
        }
    });
    let taken = with_deadline(join_all(workers)).await.concat();
    let once: BTreeSet<_> = taken.iter().copied().collect();
    assert_eq!((taken.len(), once.len()), (60, 60));
    assert_eq!(next_due(&here.acquire_run(101).await), Some(instant(115)));
}

#[tokio::test]
async fn lease_lost_to_another_process_discards_the_result() {
    let database = fresh();
    let (here, there) = both(&database).await;
    let zombie = here.start_and_acquire(1, 0).await;
    let call = here.begin_call(&zombie, 1, 1).await;
    let heir = there.acquire_run_task(20).await;
    assert!(!here.renew_run(&zombie, 21).await);
    let (one, other) = tokio::join!(
        here.settle_run(&zombie, None, turn_result(1, call.cursor), 22),
        there.settle_run(&heir, None, turn_result(2, call.cursor), 22),
    );
    assert_eq!((one, other), (Settlement::Discarded, Settlement::Saved));
    assert_eq!(here.story(1).await.turns.len(), 1);
}

#[tokio::test]
async fn daily_tokens_are_counted_across_processes() {
    const DEBATES: u32 = 20;
    let database = fresh();
    let (here, there) = both(&database).await;
    let mut tasks = Vec::new();
    for number in 1..=DEBATES {
        tasks.push(here.start_and_acquire(number, 0).await);
    }
    // Exactly half of them fit.
    let all = (1..).zip(&tasks).map(|(number, task)| {
        let on = if number % 2 == 0 { &here } else { &there };
        // Either limit alone allows ten.
        let limits = if number % 3 == 0 { tokens_a_day(10_000) } else { cost_a_day(10_000_000) };
        let begin = BeginCall { limits, ..beginning(task, number, instant(1)) };
        on.try_begin_call(task, begin)
    });
    let outcomes = with_deadline(join_all(all)).await;
    let begun = outcomes.iter().filter(|outcome| outcome.is_ok()).count();
    assert_eq!(begun, 10);
    assert!(
        outcomes
            .iter()
            .filter_map(|outcome| outcome.as_ref().err())
            .all(|not| { matches!(not, BeginCallError::OverBudget(_)) })
    );
}

/// Commands of one process and workers of the other: the result is consistent in either order.
#[tokio::test]
async fn parallel_stop_and_turn_have_one_of_two_outcomes() {
    let database = fresh();
    let (here, there) = both(&database).await;
    for number in 1..=20 {
        let task = here.start_and_acquire(number, 0).await;
        let cursor = task.record.run.cursor;
        let (stopped, kept) = tokio::join!(
            there.command_run(number, Command::Stop, 1),
            here.settle_run(&task, None, turn_result(number, cursor), 1),
        );
        assert_eq!(kept, Settlement::Saved);
        let standing = stopped.expect("it runs until it is stopped").state;
        assert!([RunState::Stopping, RunState::Stopped].contains(&standing), "{standing:?}");
        let story = there.story(number).await;
        assert_eq!((story.run.state, story.turns.len()), (RunState::Stopped, 1));
    }
}

async fn cut_settle(cut: Cut) {
    let database = fresh();
    let proxy = Proxy::start(database.url()).expect("a port is free");
    let on = store_on(proxy.url()).await;
    let task = on.start_and_acquire(1, 0).await;
    let begin = beginning(&task, 1, instant(1));
    proxy.arm(cut);
    let lost = on.runs.begin_call(run_id(1), begin.clone()).await;
    assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");
    assert!(!proxy.is_armed(), "the wire was never cut");
    let call = on.try_begin_call(&task, begin).await.expect("it is held");
    assert_eq!((call.number, on.calls(1).await.len()), (1, 1));
    let result = Some(call_result(1, CallStatus::Ok, tokens(7, 40)));
    let report = StepReport { call: result, end: turn_result(1, call.cursor) };
    let settle = || on.runs.settle(task.lease(), report.clone(), instant(2));
    proxy.arm(cut);
    let lost = settle().await;
    assert!(matches!(lost, Err(StoreError::Unavailable(_))), "{lost:?}");
    assert!(!proxy.is_armed(), "the wire was never cut");
    assert_eq!(settle().await.expect("the wire is whole"), Settlement::Saved);
    let story = on.story(1).await;
    assert_eq!((story.turns.len(), story.run.spent), (1, 40));
    assert_eq!(on.execute_step(2, 3).await, story.run.cursor);
}

#[tokio::test]
async fn step_whose_commit_has_no_answer_is_saved_once() {
    cut_settle(Cut::AfterCommit).await;
}

#[tokio::test]
async fn step_whose_commit_was_not_delivered_is_saved_by_the_retry() {
    cut_settle(Cut::BeforeCommit).await;
}

#[tokio::test]
async fn run_whose_creation_has_no_answer_is_found_by_its_key() {
    for cut in [Cut::AfterCommit, Cut::BeforeCommit] {
        let database = fresh();
        let proxy = Proxy::start(database.url()).unwrap();
        let on = store_on(proxy.url()).await;
        proxy.arm(cut);
        let lost = on.runs.create(create_with(1, a_key(), "Tabs")).await;
        assert!(matches!(lost, Err(RunnerError::Store(StoreError::Unavailable(_)))), "{lost:?}");
        on.runs.create(create_with(2, a_key(), "Tabs")).await.expect("it may ask again");
        let page = on.runs.list(debate_core::runner::RunQuery {
            status: None,
            after: None,
            limit: debate_core::Limit::DEFAULT,
        });
        assert_eq!(page.await.unwrap().runs.len(), 1, "{cut:?}");
    }
}

/// A client that disconnects after its write was sent neither undoes it nor its notification.
#[tokio::test]
async fn write_completes_after_its_client_disconnected() {
    let database = fresh();
    let on = store_on(database.url()).await;
    on.create_run(1).await;
    let mut subscription = on.notifier.subscribe(run_id(1)).unwrap();
    let (client, wire) = tokio_postgres::connect(database.url(), tokio_postgres::NoTls)
        .await
        .expect("the database lets us in");
    let wire = tokio::spawn(wire);
    // This lock allows reads and locks of the row, but no writes.
    client.batch_execute("begin; lock table runs in share mode").await.unwrap();
    let mut start = Box::pin(on.runs.command(request(run_id(1), Command::Start, instant(1))));
    let waits = "select count(*) from pg_locks where not granted and relation = 'runs'::regclass";
    let blocked = async {
        let sent =
            async { while client.query_one(waits, &[]).await.unwrap().get::<_, i64>(0) == 0 {} };
        tokio::select! {
            answer = &mut start => panic!("the table is locked: {answer:?}"),
            () = sent => {}
        }
    };
    with_deadline(blocked).await;
    drop(start);
    client.batch_execute("commit").await.unwrap();
    assert_eq!(with_deadline(subscription.changed()).await, Notification::Changed);
    assert_eq!(on.run(1).await.state, RunState::Running);
    wire.abort();
}

#[tokio::test]
async fn conflict_with_another_process_does_not_affect_the_health() {
    let database = fresh();
    let options = PostgresOptions::at(database.url().to_owned());
    let here = Postgres::open(&options, notifier()).await.unwrap();
    let there = store_on(database.url()).await;
    for number in 1..=20 {
        let key = crate::support::key(&format!("key {number}"));
        let create = |twin: u32| create_with(2 * number + twin, key.clone(), "Tabs");
        let (one, other) = tokio::join!(
            debate_app::runner::RunnerStore::create(&here, create(0)),
            there.runs.create(create(1)),
        );
        assert!(one.is_ok() && other.is_ok(), "{one:?} {other:?}");
        assert!(here.status().failure.is_none(), "{:?}", here.status().failure);
    }
}

#[tokio::test]
async fn every_page_and_acquisition_uses_its_index() {
    let database = fresh();
    let on = store_on(database.url()).await;
    on.start_run(1, 0).await;
    for (statement, values, index) in [
        (RUNS.due_postgres, "(0)", "runs_due"),
        (RUNS.next_due, "", "runs_due"),
        (sql::PAGE, "(0, gen_random_uuid(), 50)", "runs_by_time"),
        (sql::PAGE_OF_STATUS, "('running', 0, gen_random_uuid(), 50)", "runs_by_status"),
        (sql::OPEN_CALLS, "(gen_random_uuid())", "run_calls_run_id_round_actor_number_key"),
        (sql::TURNS, "(gen_random_uuid())", "run_turns_run_id_seq_key"),
        (sql::LAST_TURN, "(gen_random_uuid())", "run_turns_run_id_seq_key"),
        (sql::SPENT_ON, "(0)", "run_days_pkey"),
    ] {
        let script = format!(
            "set enable_seqscan = off; set plan_cache_mode = force_generic_plan;
             set enable_bitmapscan = off; prepare asked as {statement};
             explain execute asked{values};"
        );
        let plan = database.sql(&[&script]).unwrap();
        assert!(plan.contains(index), "{statement}\n{plan}");
        assert!(!plan.contains("Sort"), "{statement}\n{plan}");
    }
}

#[tokio::test]
async fn undecodable_run_is_postponed_and_others_continue() {
    let database = fresh();
    let on = store_on(database.url()).await;
    on.start_run(1, 0).await;
    database.sql(&["update runs set prompt_version = 'v999'"]).unwrap();
    on.start_run(2, 30).await;
    assert!(matches!(on.acquire_run(10).await, WorkOffer::Cleaned));
    assert_eq!(on.acquire_run_task(30).await.record.run.id, run_id(2));
    database.sql(&["update runs set prompt_version = 'v1'"]).unwrap();
    assert_eq!(on.acquire_run_task(40).await.record.run.id, run_id(1));
}
