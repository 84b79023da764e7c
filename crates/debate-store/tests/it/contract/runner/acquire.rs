//! Who gets the work: the oldest first, each to one, and what a crash leaves to the next.

use std::collections::BTreeSet;

use debate_app::runner::RunTask;
use debate_app::{Settlement, WorkOffer};
use debate_core::Usage;
use debate_core::runner::{
    CallStatus, Command, INTERRUPTED_ERROR, RunState, UNKNOWN_OUTCOME_ERROR, UnknownOutcomePolicy,
};
use futures_util::future::join_all;

use super::fixture::{ended, next_due, run_id, seconds, spoke, take_at, tokens};
use crate::engine::{Engine, in_time};
use crate::support::instant;

pub(crate) async fn no_run_is_due_before_a_start(on: &Engine) {
    assert_eq!(next_due(&on.found(0).await), None);
    on.created(1).await;
    assert_eq!(next_due(&on.found(1).await), None);
}

pub(crate) async fn longest_due_run_is_acquired_first(on: &Engine) {
    for (number, second) in [(1, 30), (2, 10), (3, 20), (4, 99)] {
        on.started(number, second).await;
    }
    for expected in [2, 3, 1] {
        assert_eq!(on.taken(40).await.record.run.id, run_id(expected));
    }
    // The held ones' leases end before the fourth is due.
    assert_eq!(next_due(&on.found(41).await), Some(instant(55)));
}

pub(crate) async fn leased_run_is_not_acquired_again(on: &Engine) {
    let task = on.at_work(1, 0).await;
    assert!(task.turns.is_empty());
    assert_eq!(task.record.run, on.run(1).await);
    assert_eq!(next_due(&on.found(14).await), Some(instant(15)));
}

pub(crate) async fn run_is_acquired_again_after_its_lease_expired(on: &Engine) {
    let first = on.at_work(1, 0).await;
    let second = on.taken(15).await;
    assert!(second.record.fencing_token > first.record.fencing_token);
    assert!(!on.renewed(&first, 16).await);
    assert!(on.renewed(&second, 16).await);
    let begin = super::fixture::beginning(&first, 9, instant(16));
    on.tried_to_begin(&first, begin).await.expect_err("it may not begin");
    let cursor = second.record.run.cursor;
    assert_eq!(on.settled(&first, None, spoke(1, cursor), 17).await, Settlement::Discarded);
    assert_eq!(on.settled(&second, None, spoke(2, cursor), 18).await, Settlement::Saved);
    assert_eq!(on.story(1).await.turns.len(), 1);
}

pub(crate) async fn renewed_lease_keeps_a_run(on: &Engine) {
    let task = on.at_work(1, 0).await;
    for second in [10, 20, 30] {
        assert!(on.renewed(&task, second).await);
    }
    assert_eq!(on.run(1).await.ran, seconds(30));
    assert_eq!(next_due(&on.found(44).await), Some(instant(45)));
    on.taken(45).await;
}

/// The work is handed out to as many as come, each debate once, and the oldest go first.
pub(crate) async fn parallel_workers_acquire_different_runs(on: &Engine) {
    const DEBATES: u32 = 24;
    for number in 1..=DEBATES {
        on.started(number, number).await;
    }
    let mut taken = BTreeSet::new();
    // Eight come at once, three times; whoever finds the row locked that it wanted comes again.
    for wave in 1..=3 {
        let takers = (0..8).map(|_| async {
            loop {
                match on.found(100).await {
                    WorkOffer::Task(task) => return task.record.run.id,
                    WorkOffer::Cleaned => panic!("nothing was left behind"),
                    WorkOffer::Nothing { next_due: next } => {
                        assert!(next.is_some(), "there is enough for all");
                    }
                }
            }
        });
        for run in in_time(join_all(takers)).await {
            assert!(taken.insert(run), "{run} was taken twice");
        }
        let oldest: BTreeSet<_> = (1..=8 * wave).map(run_id).collect();
        assert_eq!(taken, oldest);
    }
    assert_eq!(next_due(&on.found(100).await), Some(instant(115)));
}

pub(crate) async fn stopping_run_of_a_lost_worker_is_stopped(on: &Engine) {
    let task = on.at_work(1, 0).await;
    on.told(1, Command::Stop, 1).await;
    assert_eq!(next_due(&on.found(14).await), Some(instant(15)));
    let found = on.found(15).await;
    assert!(matches!(found, WorkOffer::Cleaned), "{found:?}");
    let run = on.run(1).await;
    assert_eq!((run.state, run.updated_at), (RunState::Stopped, instant(15)));
    assert!(!on.renewed(&task, 16).await);
    assert_eq!(next_due(&on.found(100).await), None);
}

/// A worker comes, begins a call, and is never heard of again.
async fn crashed(on: &Engine, number: u32, second: u32) -> RunTask {
    let task = on.taken(second).await;
    on.begun(&task, number, second).await;
    task
}

pub(crate) async fn call_of_a_lost_worker_becomes_unknown(on: &Engine) {
    on.started(1, 0).await;
    crashed(on, 1, 0).await;
    let next = on.taken(20).await;
    assert_eq!(next.record.tries, 1);
    let [call] = on.calls(1).await.try_into().expect("as many calls were made");
    assert_eq!((call.status, call.finished_at), (CallStatus::Unknown, None));
    assert_eq!((call.usage, call.charged_tokens()), (Usage::UNREPORTED, 600));
    let again = on.begun(&next, 2, 21).await;
    assert_eq!((again.number, again.cursor), (2, call.cursor));
    let end = ended(2, CallStatus::Ok, tokens(7, 40));
    let kept = on.settled(&next, Some(end), spoke(2, again.cursor), 22).await;
    assert_eq!(kept, Settlement::Saved);
    let story = on.story(1).await;
    let [cost] = story.costs.as_slice() else { panic!("one model was asked") };
    assert_eq!((cost.calls, cost.unknown), (2, 1));
    assert_eq!((cost.prompt_tokens, cost.completion_tokens), (7, 640));
    assert_eq!(story.run.spent, 640);
}

pub(crate) async fn run_with_an_unknown_call_is_stopped_with_the_policy_hold(on: &Engine) {
    on.started(1, 0).await;
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
    assert_eq!(next_due(&on.found(100).await), None);
    // Once a human says so, it goes on.
    let run = on.told(1, Command::Retry, 101).await;
    assert_eq!(run.last_error, None);
    let found = on
        .runs
        .acquire(take_at(instant(102)), UnknownOutcomePolicy::Fail)
        .await
        .expect("the store is well");
    assert!(matches!(found, WorkOffer::Task(_)), "{found:?}");
}

pub(crate) async fn run_fails_after_four_crashes_in_one_turn(on: &Engine) {
    on.started(1, 0).await;
    for number in 1..=4 {
        crashed(on, number, 20 * number).await;
    }
    let found = on.found(200).await;
    assert!(matches!(found, WorkOffer::Cleaned), "{found:?}");
    let run = on.run(1).await;
    assert_eq!(run.state, RunState::Failed);
    assert_eq!(run.last_error.as_deref(), Some(INTERRUPTED_ERROR));
    let calls = on.calls(1).await;
    assert_eq!(calls.iter().map(|call| call.number).collect::<Vec<_>>(), [1, 2, 3, 4]);
    assert!(calls.iter().all(|call| call.status == CallStatus::Unknown));
    assert_eq!(run.spent, 2400);
}
