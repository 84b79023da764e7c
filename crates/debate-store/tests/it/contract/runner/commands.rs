//! Commands to a run: start, resume, retry, stop, cancel, delete.

use std::sync::Arc;

use debate_app::Settlement;
use debate_app::runner::{RunCommand, RunnerError};
use debate_core::runner::{
    AfterTurn, Budget, CallStatus, Command, CommandRequest, DailyLimits, Language, NanoUsd,
    RunLimit, RunSettingsDraft, RunState, StepResult, WorkerActivity, next_state,
};

use super::fixture::{
    call_result, create, next_due, request, run_id, seconds, settings, tokens, turn_draft,
    turn_result,
};
use crate::engine::Engine;
use crate::support::instant;

/// Brings run `number` into a state by the commands and steps that lead to it.
async fn reach_state(on: &Engine, number: u32, standing: RunState) {
    match standing {
        RunState::Created => drop(on.create_run(number).await),
        RunState::Running => drop(on.start_run(number, 0).await),
        RunState::Stopping => {
            on.start_and_acquire(number, 0).await;
            on.command_run_ok(number, Command::Stop, 1).await;
        }
        RunState::Stopped => {
            on.start_run(number, 0).await;
            on.command_run_ok(number, Command::Stop, 1).await;
        }
        RunState::Failed => {
            let task = on.start_and_acquire(number, 0).await;
            let end = StepResult::Failed { error: "no".to_owned() };
            assert_eq!(on.settle_run(&task, None, end, 1).await, Settlement::Saved);
        }
        RunState::Completed(limit) => {
            let task = on.start_and_acquire(number, 0).await;
            let end = StepResult::LimitReached { cursor: task.record.run.cursor, limit };
            assert_eq!(on.settle_run(&task, None, end, 1).await, Settlement::Saved);
        }
        RunState::Canceled => {
            on.create_run(number).await;
            on.command_run_ok(number, Command::Cancel, 1).await;
        }
    }
    assert_eq!(on.run(number).await.state, standing);
}

pub(crate) async fn every_command_in_every_status_follows_the_rules(on: &Engine) {
    let standings = [
        RunState::Created,
        RunState::Running,
        RunState::Stopping,
        RunState::Stopped,
        RunState::Failed,
        RunState::Completed(RunLimit::Rounds),
        RunState::Canceled,
    ];
    let mut number = 0;
    for standing in standings {
        let stopping = standing == RunState::Stopping;
        let flight = if stopping { WorkerActivity::InTurn } else { WorkerActivity::Idle };
        for command in Command::ALL {
            number += 1;
            reach_state(on, number, standing).await;
            let before = on.run(number).await;
            let answer = on.command_run(number, command, 2).await;
            match (answer, next_state(standing, flight, command)) {
                (Ok(run), Ok(expected)) => {
                    assert_eq!((run.state, run.updated_at), (expected, instant(2)));
                    assert_eq!(on.run(number).await, run);
                }
                (Err(RunnerError::Refused(told)), Err(refusal)) => {
                    assert_eq!(told, refusal);
                    assert_eq!(on.run(number).await, before);
                }
                (answer, expected) => panic!("{standing:?} {command:?}: {answer:?}, {expected:?}"),
            }
            on.delete_run(number).await;
        }
    }
}

pub(crate) async fn start_makes_a_run_due_and_a_refused_command_changes_nothing(on: &Engine) {
    on.create_run(1).await;
    let refused = on.command_run(1, Command::Retry, 1).await;
    assert!(matches!(refused, Err(RunnerError::Refused(_))), "{refused:?}");
    assert_eq!(next_due(&on.acquire_run(2).await), None);
    on.command_run_ok(1, Command::Start, 3).await;
    assert_eq!(next_due(&on.acquire_run(2).await), Some(instant(3)));
    assert_eq!(on.acquire_run_task(3).await.record.run.id, run_id(1));
}

pub(crate) async fn stop_without_a_worker_takes_effect_at_once(on: &Engine) {
    on.start_run(1, 0).await;
    let stopped = on.command_run_ok(1, Command::Stop, 1).await;
    assert_eq!(stopped.state, RunState::Stopped);
    assert_eq!(next_due(&on.acquire_run(2).await), None);
    // Also after a lease has expired.
    on.command_run_ok(1, Command::Resume, 3).await;
    on.acquire_run_task(3).await;
    let stopped = on.command_run_ok(1, Command::Stop, 18).await;
    assert_eq!((stopped.state, stopped.ran), (RunState::Stopped, seconds(15)));
    assert_eq!(next_due(&on.acquire_run(19).await), None);
}

pub(crate) async fn stop_during_a_step_keeps_its_turn(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let call = on.begin_call(&task, 1, 1).await;
    let stopping = on.command_run_ok(1, Command::Stop, 2).await;
    assert_eq!(stopping.state, RunState::Stopping);
    assert!(on.renew_run(&task, 3).await);
    let end = call_result(1, CallStatus::Ok, tokens(7, 40));
    let kept = on.settle_run(&task, Some(end), turn_result(1, call.cursor), 4).await;
    assert_eq!(kept, Settlement::Saved);
    let story = on.story(1).await;
    assert_eq!((story.run.state, story.turns.len()), (RunState::Stopped, 1));
    assert_eq!(next_due(&on.acquire_run(5).await), None);
    // The run continues from its cursor.
    on.command_run_ok(1, Command::Resume, 6).await;
    assert_eq!(on.acquire_run_task(6).await.turns, story.turns);
}

pub(crate) async fn cancel_ends_the_lease_of_the_worker(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let call = on.begin_call(&task, 1, 1).await;
    on.command_run_ok(1, Command::Cancel, 2).await;
    assert!(!on.renew_run(&task, 3).await);
    let then = AfterTurn::Continue;
    let end = StepResult::Turn { draft: turn_draft(1, call.cursor), then };
    assert_eq!(on.settle_run(&task, None, end, 4).await, Settlement::Discarded);
    let story = on.story(1).await;
    assert_eq!((story.run.state, story.turns.len()), (RunState::Canceled, 0));
    assert_eq!(next_due(&on.acquire_run(100).await), None);
}

pub(crate) async fn delete_ends_the_lease_of_the_worker(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let call = on.begin_call(&task, 1, 1).await;
    on.delete_run(1).await;
    assert!(!on.renew_run(&task, 3).await);
    let end = call_result(1, CallStatus::Ok, tokens(7, 40));
    let dropped = on.settle_run(&task, Some(end), turn_result(1, call.cursor), 4).await;
    assert_eq!(dropped, Settlement::Discarded);
    assert_eq!(next_due(&on.acquire_run(100).await), None);
}

pub(crate) async fn ui_language_is_applied_where_the_creation_named_none(on: &Engine) {
    let language = |tag: &str| Language::new(tag.to_owned()).expect("it is a tag");
    let start = |number, tag| {
        let order = CommandRequest { command: Command::Start, ui_language: Some(language(tag)) };
        RunCommand { order, ..request(run_id(number), Command::Start, instant(1)) }
    };
    on.create_run(1).await;
    let run = on.runs.command(start(1, "zh-TW")).await.expect("it starts");
    assert_eq!(run.settings.output_language, language("zh-TW"));
    assert_eq!(on.run(1).await, run);
    assert_eq!(on.acquire_run_task(1).await.record.run.settings.output_language, language("zh-TW"));
    let named =
        RunSettingsDraft { output_language: Some("de".to_owned()), ..RunSettingsDraft::default() };
    let mut made = create(2);
    made.opening.settings = settings(named);
    on.create_run_as(made).await;
    let run = on.runs.command(start(2, "zh-TW")).await.expect("it starts");
    assert_eq!(run.settings.output_language, language("de"));
    assert_eq!(on.run(2).await, run);
}

pub(crate) async fn run_with_an_unpriced_model_does_not_start_while_cost_is_limited(on: &Engine) {
    let draft = RunSettingsDraft {
        model_judge: Some("openai:x".to_owned()),
        ..RunSettingsDraft::default()
    };
    let mut made = create(1);
    made.opening.settings = settings(draft);
    let before = on.create_run_as(made).await;
    let limits = DailyLimits { tokens: None, cost: Some(NanoUsd::new(1)) };
    let budget = Arc::new(Budget { limits, ..Budget::default() });
    let limited = |command| {
        let budget = Arc::clone(&budget);
        RunCommand { budget, ..request(run_id(1), command, instant(1)) }
    };
    for command in [Command::Start, Command::Resume] {
        let refused = on.runs.command(limited(command)).await;
        assert!(matches!(refused, Err(RunnerError::ModelWithoutPrice(_))), "{refused:?}");
        assert_eq!(on.run(1).await, before);
    }
    on.runs.command(limited(Command::Cancel)).await.expect("a cancel costs nothing");
}
