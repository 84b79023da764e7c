//! Creation and deletion of runs.

use debate_app::StreamPosition;
use debate_app::runner::{CreatedRun, RunnerError};
use debate_core::runner::{Command, Cursor, NewRun, RunSettingsDraft, RunState, Status};
use debate_core::{Fingerprint, RunId, Topic};
use futures_util::future::join_all;

use super::fixture::{a_key, create, create_with, opening, run_id, seconds, settings};
use crate::engine::{Engine, with_deadline};
use crate::support::{instant, key};

pub(crate) async fn create_saves_every_setting_of_a_run(on: &Engine) {
    let text = |text: &str| Some(text.to_owned());
    let draft = RunSettingsDraft {
        debater_a_side: text("con"),
        output_language: text("pt-BR"),
        judge_mode: text("end"),
        max_rounds: Some(100),
        max_runtime_seconds: Some(86_400),
        max_total_output_tokens: Some(2_000_000),
        max_tokens_debater: Some(20_000),
        max_tokens_judge: Some(1),
        model_debater: text("openai:gpt-4.1"),
        model_debater_a: text("anthropic:claude:latest"),
        model_debater_b: text("ollama:llama3:8b"),
        model_judge: text("command:judge"),
        prompt_version: text("v1"),
    };
    let topic = Topic::new("  Über\tTabs 🦀\n'x' \"y\" \\ ".to_owned()).expect("it can be one");
    let settings = settings(draft);
    let opening = NewRun { topic: topic.clone(), settings: settings.clone(), ..opening(1) };
    let mut create = create(1);
    (create.opening, create.at) = (opening, instant(7));
    let run = on.create_run_as(create).await;
    assert_eq!((run.id, &run.topic, &run.settings), (run_id(1), &topic, &settings));
    assert_eq!((run.state, run.cursor), (RunState::Created, Cursor::START));
    assert_eq!((run.created_at, run.updated_at), (instant(7), instant(7)));
    assert_eq!((run.spent, run.ran, run.completed_rounds), (0, seconds(0), 0));
    assert_eq!(run.last_error, None);

    let story = on.story(1).await;
    assert_eq!(story.run, run);
    assert!(story.turns.is_empty() && story.costs.is_empty());
    assert!(on.calls(1).await.is_empty());
}

pub(crate) async fn retried_create_returns_the_current_state_of_the_run(on: &Engine) {
    on.create_run_as(create_with(1, a_key(), "Tabs")).await;
    let started = on.command_run_ok(1, Command::Start, 5).await;
    let again = on.runs.create(create_with(2, a_key(), "Tabs")).await.expect("a retry");
    assert!(matches!(&again, CreatedRun::Replayed(run) if *run == started), "{again:?}");
    let other = on.runs.story(run_id(2)).await;
    assert!(matches!(other, Err(RunnerError::UnknownRun(_))), "{other:?}");
}

pub(crate) async fn create_with_a_used_key_and_other_content_is_refused(on: &Engine) {
    let first = on.create_run_as(create_with(1, a_key(), "Tabs")).await;
    let mut others = vec![create_with(2, a_key(), "Spaces")];
    let settings = RunSettingsDraft { max_rounds: Some(5), ..RunSettingsDraft::default() };
    let mut other = create_with(3, a_key(), "Tabs");
    let fingerprint = Fingerprint::for_run(&other.opening.topic, &settings);
    other.key = Some((a_key(), fingerprint));
    others.push(other);
    for other in others {
        let outcome = on.runs.create(other).await;
        assert!(matches!(outcome, Err(RunnerError::KeyReused)), "{outcome:?}");
    }
    assert_eq!(on.run(1).await, first);
    // Keys that differ in case are different keys.
    on.create_run_as(create_with(4, key("Once"), "Tabs")).await;
    on.create_run_as(create_with(5, key("once "), "Tabs")).await;
}

pub(crate) async fn create_without_a_key_always_adds_a_run(on: &Engine) {
    for number in 1..=3 {
        on.create_run(number).await;
    }
    for number in 1..=3 {
        assert_eq!(on.run(number).await.state.status(), Status::Created);
    }
}

pub(crate) async fn parallel_creates_with_one_key_add_one_run(on: &Engine) {
    let twins = (1..=16).map(|number| on.runs.create(create_with(number, a_key(), "Tabs")));
    let answers: Vec<_> = with_deadline(join_all(twins))
        .await
        .into_iter()
        .map(|answer| answer.expect("it is welcome"))
        .collect();
    let made: Vec<RunId> = answers
        .iter()
        .filter_map(|answer| match answer {
            CreatedRun::Fresh(run) => Some(run.id),
            CreatedRun::Replayed(_) => None,
        })
        .collect();
    let [made] = made.as_slice() else { panic!("made {made:?}") };
    for answer in answers {
        let (CreatedRun::Fresh(run) | CreatedRun::Replayed(run)) = answer;
        assert_eq!(run.id, *made);
    }
}

pub(crate) async fn deleted_run_is_not_found_and_its_key_is_unused(on: &Engine) {
    on.create_run_as(create_with(1, a_key(), "Tabs")).await;
    on.command_run_ok(1, Command::Start, 0).await;
    on.execute_step(1, 1).await;
    assert_eq!(on.story(1).await.turns.len(), 1);
    on.delete_run(1).await;
    assert_not_found(on).await;
    // Another run can use the same ids.
    on.create_run_as(create_with(1, a_key(), "Spaces")).await;
    on.command_run_ok(1, Command::Start, 2).await;
    on.execute_step(1, 3).await;
    assert_eq!(on.story(1).await.turns.len(), 1);
}

pub(crate) async fn missing_run_is_not_found_by_any_operation(on: &Engine) {
    on.create_run(2).await;
    assert_not_found(on).await;
}

async fn assert_not_found(on: &Engine) {
    let run = run_id(1);
    let answers = [
        on.runs.story(run).await.map(|_| ()),
        on.runs.calls(run).await.map(|_| ()),
        on.runs.newer_than(run, StreamPosition::Start).await.map(|_| ()),
        on.command_run(1, Command::Start, 9).await.map(|_| ()),
        on.runs.delete(run).await,
    ];
    for answer in answers {
        assert!(matches!(answer, Err(RunnerError::UnknownRun(id)) if id == run), "{answer:?}");
    }
}
