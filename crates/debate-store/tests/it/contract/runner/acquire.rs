//! Acquisition of due runs: longest due first, each by one worker, and runs of lost workers.

use std::collections::BTreeSet;

use debate_app::runner::RunTask;
use debate_app::{Settlement, WorkOffer};
use debate_core::Usage;
use debate_core::runner::{
    CallStatus, Command, INTERRUPTED_ERROR, RunState, UNKNOWN_OUTCOME_ERROR, UnknownOutcomePolicy,
};
use futures_util::future::join_all;

use super::fixture::{call_result, next_due, run_id, seconds, take_at, tokens, turn_result};
use crate::engine::{Engine, with_deadline};
use crate::support::instant;

pub(crate) async fn no_run_is_due_before_a_start(on: &Engine) {
    assert_eq!(next_due(&on.acquire_run(0).await), None);
    on.create_run(1).await;
    assert_eq!(next_due(&on.acquire_run(1).await), None);
}

pub(crate) async fn longest_due_run_is_acquired_first(on: &Engine) {
    for (number, second) in [(1, 30), (2, 10), (3, 20), (4, 99)] {
        on.start_run(number, second).await;
    }
    for expected in [2, 3, 1] {
        assert_eq!(on.acquire_run_task(40).await.record.run.id, run_id(expected));
    }
    // The leases end before the fourth run is due.
    assert_eq!(next_due(&on.acquire_run(41).await), Some(instant(55)));
}

pub(crate) async fn leased_run_is_not_acquired_again(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    assert!(task.turns.is_empty());
    assert_eq!(task.record.run, on.run(1).await);
    assert_eq!(next_due(&on.acquire_run(14).await), Some(instant(15)));
}

pub(crate) async fn run_is_acquired_again_after_its_lease_expired(on: &Engine) {
    let first = on.start_and_acquire(1, 0).await;
    let second = on.acquire_run_task(15).await;
    assert!(second.record.fencing_token > first.record.fencing_token);
    assert!(!on.renew_run(&first, 16).await);
    assert!(on.renew_run(&second, 16).await);
    let begin = super::fixture::beginning(&first, 9, instant(16));
    on.try_begin_call(&first, begin).await.expect_err("it may not begin");
    let cursor = second.record.run.cursor;
    assert_eq!(
        on.settle_run(&first, None, turn_result(1, cursor), 17).await,
        Settlement::Discarded
    );
    assert_eq!(on.settle_run(&second, None, turn_result(2, cursor), 18).await, Settlement::Saved);
    assert_eq!(on.story(1).await.turns.len(), 1);
}

pub(crate) async fn renewed_lease_keeps_a_run(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    for second in [10, 20, 30] {
        assert!(on.renew_run(&task, second).await);
    }
    assert_eq!(on.run(1).await.ran, seconds(30));
    assert_eq!(next_due(&on.acquire_run(44).await), Some(instant(45)));
    on.acquire_run_task(45).await;
}

/// Parallel workers acquire each run once, the longest due first.
pub(crate) async fn parallel_workers_acquire_different_runs(on: &Engine) {
    const DEBATES: u32 = 24;
    for number in 1..=DEBATES {
        on.start_run(number, number).await;
    }
    let mut taken = BTreeSet::new();
    // Eight workers at once, three times. A worker that finds its row locked tries again.
    for wave in 1..=3 {
        let takers = (0..8).map(|_| async {
            loop {
                match on.acquire_run(100).await {
                    WorkOffer::Task(task) => return task.record.run.id,
                    WorkOffer::Cleaned => panic!("nothing was left behind"),
                    WorkOffer::Nothing { next_due: next } => {
                        assert!(next.is_some(), "there is enough for all");
                    }
                }
            }
        });
        for run in with_deadline(join_all(takers)).await {
            assert!(taken.insert(run), "{run} was taken twice");
        }
        let oldest: BTreeSet<_> = (1..=8 * wave).map(run_id).collect();
        assert_eq!(taken, oldest);
    }
    assert_eq!(next_due(&on.acquire_run(100).await), Some(instant(115)));
}

pub(crate) async fn stopping_run_of_a_lost_worker_is_stopped(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    on.command_run_ok(1, Command::Stop, 1).await;
    assert_eq!(next_due(&on.acquire_run(14).await), Some(instant(15)));
    let found = on.acquire_run(15).await;
    assert!(matches!(found, WorkOffer::Cleaned), "{found:?}");
    let run = on.run(1).await;
    assert_eq!((run.state, run.updated_at), (RunState::Stopped, instant(15)));
    assert!(!on.renew_run(&task, 16).await);
    assert_eq!(next_due(&on.acquire_run(100).await), None);
}

/// A worker acquires the run, begins a call, and never saves a result.
async fn crashed(on: &Engine, number: u32, second: u32) -> RunTask {
    let task = on.acquire_run_task(second).await;
    on.begin_call(&task, number, second).await;
    task
}

pub(crate) async fn call_of_a_lost_worker_becomes_unknown(on: &Engine) {
    on.start_run(1, 0).await;
    crashed(on, 1, 0).await;
    let next = on.acquire_run_task(20).await;
    assert_eq!(next.record.tries, 1);
    let [call] = on.calls(1).await.try_into().expect("as many calls were made");
    assert_eq!((call.status, call.finished_at), (CallStatus::Unknown, None));
    assert_eq!((call.usage, call.charged_tokens()), (Usage::UNREPORTED, 600));
    let again = on.begin_call(&next, 2, 21).await;
    assert_eq!((again.number, again.cursor), (2, call.cursor));
    let end = call_result(2, CallStatus::Ok, tokens(7, 40));
    let kept = on.settle_run(&next, Some(end), turn_result(2, again.cursor), 22).await;
    assert_eq!(kept, Settlement::Saved);
    let story = on.story(1).await;
    let [cost] = story.costs.as_slice() else { panic!("one model was asked") };
    assert_eq!((cost.calls, cost.unknown), (2, 1));
    assert_eq!((cost.prompt_tokens, cost.completion_tokens), (7, 640));
    assert_eq!(story.run.spent, 640);
}

pub(crate) async fn run_with_an_unknown_call_is_stopped_with_the_policy_hold(on: &Engine) {
    on.start_run(1, 0).await;
    crashed(on, 1, 0).await;
    let found = on
        .runs
        .acquire(take_at(instant(20)), UnknownOutcomePolicy::Fail)
        .await
        .expect("the store is well");
    assert!(matches!(found, WorkOffer::Cleaned), "{found:?}");
    let run = on.run(1).await;
    assert_eq!(run.state, RunState::Failed);
    assert_eq!(run.last_error.as_deref(), Some(UNKNOWN_OUTCOME_ERROR));
    assert_eq!(on.only_call(1).await.status, CallStatus::Unknown);
    assert_eq!(next_due(&on.acquire_run(100).await), None);
    // The run continues after a command.
    let run = on.command_run_ok(1, Command::Retry, 101).await;
    assert_eq!(run.last_error, None);
    let found = on
        .runs
        .acquire(take_at(instant(102)), UnknownOutcomePolicy::Fail)
        .await
        .expect("the store is well");
    assert!(matches!(found, WorkOffer::Task(_)), "{found:?}");
}

pub(crate) async fn run_fails_after_four_crashes_in_one_turn(on: &Engine) {
    on.start_run(1, 0).await;
    for number in 1..=4 {
        crashed(on, number, 20 * number).await;
    }
    let found = on.acquire_run(200).await;
    assert!(matches!(found, WorkOffer::Cleaned), "{found:?}");
    let run = on.run(1).await;
    assert_eq!(run.state, RunState::Failed);
    assert_eq!(run.last_error.as_deref(), Some(INTERRUPTED_ERROR));
    let calls = on.calls(1).await;
    assert_eq!(calls.iter().map(|call| call.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(calls.iter().all(|call| call.status == CallStatus::Unknown));
    assert_eq!(run.spent, 2400);
}
