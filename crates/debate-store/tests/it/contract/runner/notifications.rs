//! Whoever follows a debate is told when it moved, and the workers when there is work.

use debate_app::{Subject, Subscription};
use debate_core::runner::{Actor, BeginCall, CallDraft, CallStatus, Command, RunLimit, StepResult};

use super::fixture::{
    a_key, beginning, create, create_with, ended, place, run_id, seconds, spoke, tokens,
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

    /// Whether the debate's and the workers' have rung since they were last asked.
    fn changed(&mut self) -> (bool, bool) {
        (has_changed(&mut self.run), has_changed(&mut self.work))
    }
}

pub(crate) async fn visible_write_notifies_subscribers_and_due_run_notifies_workers(on: &Engine) {
    let mut subscriptions = Subscriptions::at(on, 1);
    on.created(1).await;
    assert_eq!(subscriptions.changed(), (true, false), "created");
    on.told(1, Command::Start, 0).await;
    assert_eq!(subscriptions.changed(), (true, true), "started");
    on.stepped(1, 1).await;
    assert_eq!(subscriptions.changed(), (true, true), "a turn");
    let task = on.taken(2).await;
    let end = StepResult::Retry { error: "busy".to_owned(), wait: seconds(1) };
    on.settled(&task, None, end, 2).await;
    assert_eq!(subscriptions.changed(), (true, true), "a failed try");
    let task = on.taken(3).await;
    on.settled(&task, None, StepResult::Released, 3).await;
    assert_eq!(subscriptions.changed(), (true, true), "given back");
    on.told(1, Command::Stop, 4).await;
    assert_eq!(subscriptions.changed(), (true, false), "stopped");
    on.told(1, Command::Resume, 4).await;
    let task = on.taken(4).await;
    on.told(1, Command::Stop, 5).await;
    assert_eq!(subscriptions.changed(), (true, true), "resumed, and to stop");
    let cursor = task.record.run.cursor;
    on.settled(&task, None, spoke(2, cursor), 6).await;
    assert_eq!(subscriptions.changed(), (true, false), "its last turn before it stopped");
    on.told(1, Command::Resume, 7).await;
    let task = on.taken(7).await;
    subscriptions.changed();
    on.settled(&task, None, StepResult::LimitReached { cursor, limit: RunLimit::Rounds }, 8).await;
    assert_eq!(subscriptions.changed(), (true, false), "completed");
    on.forgot(1).await;
    assert_eq!(subscriptions.changed(), (true, false), "deleted");
}

pub(crate) async fn invisible_write_notifies_no_subscriber(on: &Engine) {
    on.created_as(create_with(1, a_key(), "Tabs")).await;
    let mut subscriptions = Subscriptions::at(on, 1);
    on.runs.create(create_with(2, a_key(), "Tabs")).await.expect("a retry");
    on.runs.create(create_with(3, a_key(), "Spaces")).await.expect_err("another request");
    on.commanded(1, Command::Retry, 1).await.expect_err("it never failed");
    on.commanded(9, Command::Start, 1).await.expect_err("it never was");
    on.runs.delete(run_id(9)).await.expect_err("it never was");
    on.found(0).await;
    assert_eq!(subscriptions.changed(), (false, false), "refusals and retries");
    on.told(1, Command::Start, 2).await;
    subscriptions.changed();
    let task = on.taken(2).await;
    on.begun(&task, 1, 3).await;
    assert!(on.renewed(&task, 4).await);
    assert_eq!(subscriptions.changed(), (false, false), "a worker at work");
    on.runs.create(create(4)).await.expect("it is new");
    on.told(4, Command::Start, 5).await;
    assert_eq!(subscriptions.changed(), (false, true), "another debate");
}

pub(crate) async fn cursor_change_by_a_call_notifies_subscribers(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let mut subscriptions = Subscriptions::at(on, 1);
    let begin = beginning(&task, 1, instant(1));
    let call = CallDraft { cursor: place(1, Actor::Judge), ..begin.call };
    on.tried_to_begin(&task, BeginCall { call, ..begin }).await.expect("it may begin");
    assert_eq!(subscriptions.changed(), (true, false));
    assert_eq!(on.run(1).await.cursor, place(1, Actor::Judge));
}

pub(crate) async fn unknown_call_of_a_crash_notifies_subscribers(on: &Engine) {
    let task = on.at_work(1, 0).await;
    on.begun(&task, 1, 1).await;
    let mut subscriptions = Subscriptions::at(on, 1);
    let heir = on.taken(20).await;
    assert_eq!(subscriptions.changed(), (true, false), "its call is unknown now");
    let end = ended(1, CallStatus::Ok, tokens(7, 40));
    let cursor = task.record.run.cursor;
    on.settled(&task, Some(end), spoke(1, cursor), 21).await;
    assert_eq!(subscriptions.changed(), (true, false), "and known again");
    on.told(1, Command::Stop, 22).await;
    subscriptions.changed();
    assert!(on.renewed(&heir, 23).await);
    on.found(60).await;
    assert_eq!(subscriptions.changed(), (true, false), "tidied up");
}
