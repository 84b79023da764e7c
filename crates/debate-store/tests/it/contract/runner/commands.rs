//! What people do to a debate: start, resume, retry, stop, cancel, delete.

use std::sync::Arc;

use debate_app::Settlement;
use debate_app::runner::{RunCommand, RunnerError};
use debate_core::runner::{
    AfterTurn, Budget, CallStatus, Command, CommandRequest, DailyLimits, Language, NanoUsd,
    RunLimit, RunSettingsDraft, RunState, StepResult, WorkerActivity, next_state,
};

use super::fixture::{
    create, ended, next_due, request, run_id, said, seconds, settings, spoke, tokens,
};
use crate::engine::Engine;
use crate::support::instant;

/// Brings debate `number` into a standing, by what leads there.
async fn brought_to(on: &Engine, number: u32, standing: RunState) {
    match standing {
        RunState::Created => drop(on.created(number).await),
        RunState::Running => drop(on.started(number, 0).await),
        RunState::Stopping => {
            on.at_work(number, 0).await;
            on.told(number, Command::Stop, 1).await;
        }
        RunState::Stopped => {
            on.started(number, 0).await;
            on.told(number, Command::Stop, 1).await;
        }
        RunState::Failed => {
            let task = on.at_work(number, 0).await;
            let end = StepResult::Failed { error: "no".to_owned() };
            assert_eq!(on.settled(&task, None, end, 1).await, Settlement::Saved);
        }
        RunState::Completed(limit) => {
            let task = on.at_work(number, 0).await;
            let end = StepResult::LimitReached { cursor: task.record.run.cursor, limit };
            assert_eq!(on.settled(&task, None, end, 1).await, Settlement::Saved);
        }
        RunState::Canceled => {
            on.created(number).await;
            on.told(number, Command::Cancel, 1).await;
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
            brought_to(on, number, standing).await;
            let before = on.run(number).await;
            let answer = on.commanded(number, command, 2).await;
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
            on.forgot(number).await;
        }
    }
}

pub(crate) async fn start_makes_a_run_due_and_a_refused_command_changes_nothing(on: &Engine) {
    on.created(1).await;
    let refused = on.commanded(1, Command::Retry, 1).await;
    assert!(matches!(refused, Err(RunnerError::Refused(_))), "{refused:?}");
    assert_eq!(next_due(&on.found(2).await), None);
    on.told(1, Command::Start, 3).await;
    assert_eq!(next_due(&on.found(2).await), Some(instant(3)));
    assert_eq!(on.taken(3).await.record.run.id, run_id(1));
}

pub(crate) async fn stop_without_a_worker_takes_effect_at_once(on: &Engine) {
    on.started(1, 0).await;
    let stopped = on.told(1, Command::Stop, 1).await;
    assert_eq!(stopped.state, RunState::Stopped);
    assert_eq!(next_due(&on.found(2).await), None);
    // And after a lease ran out.
    on.told(1, Command::Resume, 3).await;
    on.taken(3).await;
    let stopped = on.told(1, Command::Stop, 18).await;
    assert_eq!((stopped.state, stopped.ran), (RunState::Stopped, seconds(15)));
    assert_eq!(next_due(&on.found(19).await), None);
}

pub(crate) async fn stop_during_a_step_keeps_its_turn(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let call = on.begun(&task, 1, 1).await;
    let stopping = on.told(1, Command::Stop, 2).await;
    assert_eq!(stopping.state, RunState::Stopping);
    assert!(on.renewed(&task, 3).await);
    let end = ended(1, CallStatus::Ok, tokens(7, 40));
    let kept = on.settled(&task, Some(end), spoke(1, call.cursor), 4).await;
    assert_eq!(kept, Settlement::Saved);
    let story = on.story(1).await;
    assert_eq!((story.run.state, story.turns.len()), (RunState::Stopped, 1));
    assert_eq!(next_due(&on.found(5).await), None);
    // It goes on where it stopped.
    on.told(1, Command::Resume, 6).await;
    assert_eq!(on.taken(6).await.turns, story.turns);
}

pub(crate) async fn cancel_ends_the_lease_of_the_worker(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let call = on.begun(&task, 1, 1).await;
    on.told(1, Command::Cancel, 2).await;
    assert!(!on.renewed(&task, 3).await);
    let then = AfterTurn::Continue;
    let end = StepResult::Turn { draft: said(1, call.cursor), then };
    assert_eq!(on.settled(&task, None, end, 4).await, Settlement::Discarded);
    let story = on.story(1).await;
    assert_eq!((story.run.state, story.turns.len()), (RunState::Canceled, 0));
    assert_eq!(next_due(&on.found(100).await), None);
}

pub(crate) async fn delete_ends_the_lease_of_the_worker(on: &Engine) {
    let task = on.at_work(1, 0).await;
    let call = on.begun(&task, 1, 1).await;
    on.forgot(1).await;
    assert!(!on.renewed(&task, 3).await);
    let end = ended(1, CallStatus::Ok, tokens(7, 40));
    let dropped = on.settled(&task, Some(end), spoke(1, call.cursor), 4).await;
    assert_eq!(dropped, Settlement::Discarded);
    assert_eq!(next_due(&on.found(100).await), None);
}

pub(crate) async fn ui_language_is_applied_where_the_creation_named_none(on: &Engine) {
    let language = |tag: &str| Language::new(tag.to_owned()).expect("it is a tag");
    let start = |number, tag| {
        let order = CommandRequest { command: Command::Start, ui_language: Some(language(tag)) };
        RunCommand { order, ..request(run_id(number), Command::Start, instant(1)) }
    };
    on.created(1).await;
    let run = on.runs.command(start(1, "zh-TW")).await.expect("it starts");
    assert_eq!(run.settings.output_language, language("zh-TW"));
    assert_eq!(on.run(1).await, run);
    assert_eq!(on.taken(1).await.record.run.settings.output_language, language("zh-TW"));
    let named =
        RunSettingsDraft { output_language: Some("de".to_owned()), ..RunSettingsDraft::default() };
    let mut made = create(2);
    made.opening.settings = settings(named);
    on.created_as(made).await;
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
    let before = on.created_as(made).await;
    let limits = DailyLimits { tokens: None, cost: Some(NanoUsd::new(1)) };
    let budget = Arc::new(Budget { limits, ..Budget::default() });
    let limited = |command| {
        let budget = Arc::clone(&budget);
        RunCommand { budget, ..request(run_id(1), command, instant(1)) }
    };
    for command in [Command::Start, Command::Resume] {
        let refused = on.runs.command(limited(command)).await;
        assert!(matches!(refused, Err(RunnerError::Unpriced(_))), "{refused:?}");
        assert_eq!(on.run(1).await, before);
    }
    on.runs.command(limited(Command::Cancel)).await.expect("a cancel costs nothing");
}
