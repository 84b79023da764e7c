//! Notifications of subscribers after changes of a run, and of workers when a run is due.

use debate_app::{Subject, Subscription};
use debate_core::runner::{Actor, BeginCall, CallDraft, CallStatus, Command, RunLimit, StepResult};

use super::fixture::{
    a_key, beginning, call_result, create, create_with, cursor_at, run_id, seconds, tokens,
    turn_result,
};
use crate::engine::{Engine, has_changed};
use crate::support::instant;

struct Subscriptions {
    run: Subscription,
    work: Subscription,
}

impl Subscriptions {
    fn at(on: &Engine, number: u32) -> Self {
        let run = on.notifier.subscribe(run_id(number)).expect("the notifier has room");
        Self { run, work: on.notifier.subscribe_worker(Subject::RUNNER_WORK) }
    }

    /// Whether the subscribers of the run, and the workers, were notified since the last call.
    fn changed(&mut self) -> (bool, bool) {
        (has_changed(&mut self.run), has_changed(&mut self.work))
    }
}

pub(crate) async fn visible_write_notifies_subscribers_and_due_run_notifies_workers(on: &Engine) {
    let mut subscriptions = Subscriptions::at(on, 1);
    on.create_run(1).await;
    assert_eq!(subscriptions.changed(), (true, false), "created");
    on.command_run_ok(1, Command::Start, 0).await;
    assert_eq!(subscriptions.changed(), (true, true), "started");
    on.execute_step(1, 1).await;
    assert_eq!(subscriptions.changed(), (true, true), "a turn");
    let task = on.acquire_run_task(2).await;
    let end = StepResult::Retry { error: "busy".to_owned(), wait: seconds(1) };
    on.settle_run(&task, None, end, 2).await;
    assert_eq!(subscriptions.changed(), (true, true), "a failed try");
    let task = on.acquire_run_task(3).await;
    on.settle_run(&task, None, StepResult::Released, 3).await;
    assert_eq!(subscriptions.changed(), (true, true), "given back");
    on.command_run_ok(1, Command::Stop, 4).await;
    assert_eq!(subscriptions.changed(), (true, false), "stopped");
    on.command_run_ok(1, Command::Resume, 4).await;
    let task = on.acquire_run_task(4).await;
    on.command_run_ok(1, Command::Stop, 5).await;
    assert_eq!(subscriptions.changed(), (true, true), "resumed, and to stop");
    let cursor = task.record.run.cursor;
    on.settle_run(&task, None, turn_result(2, cursor), 6).await;
    assert_eq!(subscriptions.changed(), (true, false), "its last turn before it stopped");
    on.command_run_ok(1, Command::Resume, 7).await;
    let task = on.acquire_run_task(7).await;
    subscriptions.changed();
    on.settle_run(&task, None, StepResult::LimitReached { cursor, limit: RunLimit::Rounds }, 8)
        .await;
    assert_eq!(subscriptions.changed(), (true, false), "completed");
    on.delete_run(1).await;
    assert_eq!(subscriptions.changed(), (true, false), "deleted");
}

pub(crate) async fn invisible_write_notifies_no_subscriber(on: &Engine) {
    on.create_run_as(create_with(1, a_key(), "Tabs")).await;
    let mut subscriptions = Subscriptions::at(on, 1);
    on.runs.create(create_with(2, a_key(), "Tabs")).await.expect("a retry");
    on.runs.create(create_with(3, a_key(), "Spaces")).await.expect_err("another request");
    on.command_run(1, Command::Retry, 1).await.expect_err("it never failed");
    on.command_run(9, Command::Start, 1).await.expect_err("it never was");
    on.runs.delete(run_id(9)).await.expect_err("it never was");
    on.acquire_run(0).await;
    assert_eq!(subscriptions.changed(), (false, false), "refusals and retries");
    on.command_run_ok(1, Command::Start, 2).await;
    subscriptions.changed();
    let task = on.acquire_run_task(2).await;
    on.begin_call(&task, 1, 3).await;
    assert!(on.renew_run(&task, 4).await);
    assert_eq!(subscriptions.changed(), (false, false), "a worker at work");
    on.runs.create(create(4)).await.expect("it is new");
    on.command_run_ok(4, Command::Start, 5).await;
    assert_eq!(subscriptions.changed(), (false, true), "another debate");
}

pub(crate) async fn cursor_change_by_a_call_notifies_subscribers(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let mut subscriptions = Subscriptions::at(on, 1);
    let begin = beginning(&task, 1, instant(1));
    let call = CallDraft { cursor: cursor_at(1, Actor::Judge), ..begin.call };
    on.try_begin_call(&task, BeginCall { call, ..begin }).await.expect("it may begin");
    assert_eq!(subscriptions.changed(), (true, false));
    assert_eq!(on.run(1).await.cursor, cursor_at(1, Actor::Judge));
}

pub(crate) async fn unknown_call_of_a_crash_notifies_subscribers(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    on.begin_call(&task, 1, 1).await;
    let mut subscriptions = Subscriptions::at(on, 1);
    let heir = on.acquire_run_task(20).await;
    assert_eq!(subscriptions.changed(), (true, false), "its call is unknown now");
    let end = call_result(1, CallStatus::Ok, tokens(7, 40));
    let cursor = task.record.run.cursor;
    on.settle_run(&task, Some(end), turn_result(1, cursor), 21).await;
    assert_eq!(subscriptions.changed(), (true, false), "and known again");
    on.command_run_ok(1, Command::Stop, 22).await;
    subscriptions.changed();
    assert!(on.renew_run(&heir, 23).await);
    on.acquire_run(60).await;
    assert_eq!(subscriptions.changed(), (true, false), "tidied up");
}
