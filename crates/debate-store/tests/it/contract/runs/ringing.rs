//! Whoever follows a debate is told when it moved, and the workers when there is work.

use debate_app::{Bell, Subject};
use debate_core::runner::{Actor, Begin, CallDraft, Called, Command, Limit, StepEnd};

use super::stage::{
    a_key, beginning, create, create_with, ended, place, run_id, seconds, spoke, tokens,
};
use crate::engine::{Engine, has_rung};
use crate::support::instant;

struct Bells {
    run: Bell,
    work: Bell,
}

impl Bells {
    fn at(on: &Engine, number: u32) -> Self {
        let run = on.hub.listen(run_id(number)).expect("the hub has room");
        Self { run, work: on.hub.attend(Subject::RUNNER_WORK) }
    }

    /// Whether the debate's and the workers' have rung since they were last asked.
    fn rung(&mut self) -> (bool, bool) {
        (has_rung(&mut self.run), has_rung(&mut self.work))
    }
}

pub(crate) async fn every_write_that_shows_rings_and_work_calls_the_workers(on: &Engine) {
    let mut bells = Bells::at(on, 1);
    on.created(1).await;
    assert_eq!(bells.rung(), (true, false), "created");
    on.told(1, Command::Start, 0).await;
    assert_eq!(bells.rung(), (true, true), "started");
    on.stepped(1, 1).await;
    assert_eq!(bells.rung(), (true, true), "a turn");
    let task = on.taken(2).await;
    let end = StepEnd::WillRetry { sentence: "busy".to_owned(), wait: seconds(1) };
    on.settled(&task, None, end, 2).await;
    assert_eq!(bells.rung(), (true, true), "a failed try");
    let task = on.taken(3).await;
    on.settled(&task, None, StepEnd::LetGo, 3).await;
    assert_eq!(bells.rung(), (true, true), "given back");
    on.told(1, Command::Stop, 4).await;
    assert_eq!(bells.rung(), (true, false), "stopped");
    on.told(1, Command::Resume, 4).await;
    let task = on.taken(4).await;
    on.told(1, Command::Stop, 5).await;
    assert_eq!(bells.rung(), (true, true), "resumed, and to stop");
    let cursor = task.record.run.cursor;
    on.settled(&task, None, spoke(2, cursor), 6).await;
    assert_eq!(bells.rung(), (true, false), "its last turn before it stopped");
    on.told(1, Command::Resume, 7).await;
    let task = on.taken(7).await;
    bells.rung();
    on.settled(&task, None, StepEnd::Over { cursor, limit: Limit::Rounds }, 8).await;
    assert_eq!(bells.rung(), (true, false), "completed");
    on.forgot(1).await;
    assert_eq!(bells.rung(), (true, false), "deleted");
}

pub(crate) async fn what_shows_nothing_rings_nobody(on: &Engine) {
    on.created_as(create_with(1, a_key(), "Tabs")).await;
    let mut bells = Bells::at(on, 1);
    on.runs.create(create_with(2, a_key(), "Tabs")).await.expect("a retry");
    on.runs.create(create_with(3, a_key(), "Spaces")).await.expect_err("another request");
    on.commanded(1, Command::Retry, 1).await.expect_err("it never failed");
    on.commanded(9, Command::Start, 1).await.expect_err("it never was");
    on.runs.delete(run_id(9)).await.expect_err("it never was");
    on.found(0).await;
    assert_eq!(bells.rung(), (false, false), "refusals and retries");
    on.told(1, Command::Start, 2).await;
    bells.rung();
    let task = on.taken(2).await;
    on.begun(&task, 1, 3).await;
    assert!(on.renewed(&task, 4).await);
    assert_eq!(bells.rung(), (false, false), "a worker at work");
    on.runs.create(create(4)).await.expect("it is new");
    on.told(4, Command::Start, 5).await;
    assert_eq!(bells.rung(), (false, true), "another debate");
}

pub(crate) async fn a_cursor_that_a_call_moved_is_shown(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let mut bells = Bells::at(on, 1);
    let begin = beginning(&task, 1, instant(1));
    let call = CallDraft { place: place(1, Actor::Judge), ..begin.call };
    on.tried_to_begin(&task, Begin { call, ..begin }).await.expect("it may begin");
    assert_eq!(bells.rung(), (true, false));
    assert_eq!(on.run(1).await.cursor, place(1, Actor::Judge));
}

pub(crate) async fn what_a_crash_left_is_shown_when_it_is_found(on: &Engine) {
    let task = on.at_work(1, 0).await;
    on.begun(&task, 1, 1).await;
    let mut bells = Bells::at(on, 1);
    let heir = on.taken(20).await;
    assert_eq!(bells.rung(), (true, false), "its call is unknown now");
    let end = ended(1, Called::Ok, tokens(7, 40));
    let cursor = task.record.run.cursor;
    on.settled(&task, Some(end), spoke(1, cursor), 21).await;
    assert_eq!(bells.rung(), (true, false), "and known again");
    on.told(1, Command::Stop, 22).await;
    bells.rung();
    assert!(on.renewed(&heir, 23).await);
    on.found(60).await;
    assert_eq!(bells.rung(), (true, false), "tidied up");
}
