//! The result of a step is saved once, and only under the current lease.

use debate_app::Settlement;
use debate_core::runner::{
    Actor, AfterTurn, CallStatus, Command, Cursor, Judgement, Metadata, Outcome, RunLimit,
    RunState, StepResult, Turn, TurnDraft, Verdict, Winner,
};
use debate_core::{Seq, Usage};

use super::fixture::{
    call_result, cursor_at, next_due, run_id, seconds, tokens, turn_draft, turn_result,
};
use crate::engine::Engine;
use crate::support::instant;

/// Turns with values that are hard to store, in every field.
fn hard_to_carry() -> [TurnDraft; 4] {
    let verdict = Verdict::new("Beide «gut».\n\tUnd \0 nichts", [10, 0], Winner::A, true)
        .expect("it can be one");
    let with = |number, at, outcome, judgement| TurnDraft {
        metadata: Metadata { outcome, judgement, duration_ms: None },
        ..turn_draft(number, at)
    };
    [
        TurnDraft {
            content: "\r\n\u{feff}ẞ\u{10ffff} '; drop table runs; --".to_owned(),
            model: None,
            usage: Usage::UNREPORTED,
            ..turn_draft(1, cursor_at(1, Actor::DebaterA))
        },
        TurnDraft {
            content: String::new(),
            ..with(2, cursor_at(1, Actor::DebaterB), Outcome::Refused, None)
        },
        with(3, cursor_at(1, Actor::Judge), Outcome::Ok, Some(Judgement::Given(verdict))),
        with(4, cursor_at(2, Actor::DebaterA), Outcome::Truncated, Some(Judgement::Missing)),
    ]
}

pub(crate) async fn settle_saves_every_field_of_a_turn(on: &Engine) {
    on.start_run(1, 0).await;
    let mut expected = Vec::new();
    for (second, said) in (1..).zip(hard_to_carry()) {
        let task = on.acquire_run_task(second).await;
        assert_eq!(task.turns, expected);
        let end = StepResult::Turn { draft: said.clone(), then: AfterTurn::Continue };
        assert_eq!(on.settle_run(&task, None, end, second).await, Settlement::Saved);
        expected.push(Turn {
            id: said.id,
            run: run_id(1),
            seq: Seq::new(second),
            cursor: said.cursor,
            content: said.content,
            model: said.model,
            usage: said.usage,
            metadata: said.metadata,
            created_at: instant(second),
        });
        assert_eq!(on.story(1).await.turns, expected);
    }
    let run = on.run(1).await;
    assert_eq!((run.cursor, run.completed_rounds), (cursor_at(2, Actor::DebaterB), 1));
}

pub(crate) async fn turns_of_a_complete_run_are_saved_in_order(on: &Engine) {
    on.start_run(1, 0).await;
    let mut places = Vec::new();
    for number in 1..=6 {
        places.push(on.execute_step(number, number).await);
    }
    let rounds = [1, 2].into_iter();
    let expected: Vec<Cursor> =
        rounds.flat_map(|round| Actor::ALL.map(|actor| cursor_at(round, actor))).collect();
    assert_eq!(places, expected);
    let story = on.story(1).await;
    assert_eq!(story.turns.iter().map(|turn| turn.cursor).collect::<Vec<_>>(), expected);
    assert_eq!((story.run.completed_rounds, story.run.cursor), (2, cursor_at(3, Actor::DebaterA)));
    assert_eq!(story.run.spent, 240);
    let calls = on.calls(1).await;
    assert_eq!(calls.iter().map(|call| call.cursor).collect::<Vec<_>>(), expected);
    assert!(calls.iter().all(|call| call.number == 1));
}

pub(crate) async fn failed_attempt_is_shown_and_due_again_later(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    on.begin_call(&task, 1, 1).await;
    let end =
        StepResult::Retry { error: "busy; attempt 2 of 4 in 8 s".to_owned(), wait: seconds(8) };
    let call = call_result(1, CallStatus::Error, Usage::ZERO);
    assert_eq!(on.settle_run(&task, Some(call), end, 2).await, Settlement::Saved);
    let run = on.run(1).await;
    assert_eq!((run.state, run.spent), (RunState::Running, 0));
    assert_eq!(run.last_error.as_deref(), Some("busy; attempt 2 of 4 in 8 s"));
    assert_eq!(run.ran, seconds(10));
    assert_eq!(next_due(&on.acquire_run(9).await), Some(instant(10)));
    let again = on.acquire_run_task(10).await;
    assert_eq!(again.record.tries, 1);
    let cursor = again.record.run.cursor;
    on.settle_run(&again, None, turn_result(1, cursor), 11).await;
    let next = on.acquire_run_task(12).await;
    assert_eq!((next.record.tries, &next.record.run.last_error), (0, &None));
}

pub(crate) async fn permanent_failure_ends_the_run(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let end = StepResult::Failed { error: "no such model".to_owned() };
    assert_eq!(on.settle_run(&task, None, end, 2).await, Settlement::Saved);
    let run = on.run(1).await;
    assert_eq!(run.state, RunState::Failed);
    assert_eq!(run.last_error.as_deref(), Some("no such model"));
    assert_eq!(next_due(&on.acquire_run(100).await), None);
    let run = on.command_run_ok(1, Command::Retry, 101).await;
    assert_eq!((run.state, run.last_error), (RunState::Running, None));
}

pub(crate) async fn reached_limit_completes_the_run(on: &Engine) {
    for (number, limit) in (1..).zip([
        RunLimit::Rounds,
        RunLimit::Runtime,
        RunLimit::OutputTokens,
        RunLimit::JudgeEarlyStop,
    ]) {
        let task = on.start_and_acquire(number, 0).await;
        let end = StepResult::LimitReached { cursor: cursor_at(6, Actor::DebaterA), limit };
        assert_eq!(on.settle_run(&task, None, end, 1).await, Settlement::Saved);
        let run = on.run(number).await;
        assert_eq!(run.state, RunState::Completed(limit));
        assert_eq!(run.cursor, cursor_at(6, Actor::DebaterA));
    }
    let task = on.start_and_acquire(9, 0).await;
    let then = AfterTurn::Complete(RunLimit::Rounds);
    let end = StepResult::Turn { draft: turn_draft(9, cursor_at(1, Actor::Judge)), then };
    assert_eq!(on.settle_run(&task, None, end, 1).await, Settlement::Saved);
    let story = on.story(9).await;
    assert_eq!(story.run.state, RunState::Completed(RunLimit::Rounds));
    assert_eq!(story.turns.len(), 1);
    assert_eq!(next_due(&on.acquire_run(100).await), None);
}

pub(crate) async fn released_run_is_due_at_once(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    assert_eq!(on.settle_run(&task, None, StepResult::Released, 4).await, Settlement::Saved);
    assert!(!on.renew_run(&task, 4).await);
    let next = on.acquire_run_task(4).await;
    assert_eq!((next.record.run.ran, next.record.tries), (seconds(4), 0));
}

pub(crate) async fn repeated_result_is_saved_once(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let call = on.begin_call(&task, 1, 1).await;
    let end = Some(call_result(1, CallStatus::Ok, tokens(7, 40)));
    for second in [2, 3] {
        let kept = on.settle_run(&task, end, turn_result(1, call.cursor), second).await;
        assert_eq!(kept, Settlement::Saved, "the turn is there, whoever asks");
    }
    let story = on.story(1).await;
    assert_eq!((story.turns.len(), story.run.spent), (1, 40));
    assert_eq!(story.run.updated_at, instant(2));
    // A result without a turn cannot be recognised as a repetition, and changes nothing.
    let task = on.acquire_run_task(4).await;
    assert_eq!(on.settle_run(&task, None, StepResult::Released, 5).await, Settlement::Saved);
    assert_eq!(on.settle_run(&task, None, StepResult::Released, 6).await, Settlement::Discarded);
    assert_eq!(on.run(1).await.updated_at, instant(5));
}

pub(crate) async fn result_of_a_lost_lease_is_discarded_and_its_tokens_count(on: &Engine) {
    let zombie = on.start_and_acquire(1, 0).await;
    on.begin_call(&zombie, 1, 1).await;
    let heir = on.acquire_run_task(20).await;
    let call = on.begin_call(&heir, 2, 20).await;
    let end = call_result(2, CallStatus::Ok, tokens(7, 40));
    on.settle_run(&heir, Some(end), turn_result(2, call.cursor), 21).await;
    let before = on.story(1).await;
    assert_eq!(before.run.spent, 640);
    let end = call_result(1, CallStatus::Ok, tokens(9, 50));
    let dropped = on.settle_run(&zombie, Some(end), turn_result(1, call.cursor), 30).await;
    assert_eq!(dropped, Settlement::Discarded);
    let after = on.story(1).await;
    assert_eq!((after.run.spent, &after.turns), (90, &before.turns));
    assert_eq!((after.run.state, after.run.cursor), (before.run.state, before.run.cursor));
    let [first, _] = on.calls(1).await.try_into().expect("as many calls were made");
    assert_eq!((first.status, first.usage), (CallStatus::Ok, tokens(9, 50)));
    assert_eq!(first.finished_at, Some(instant(30)));
    let [cost] = after.costs.as_slice() else { panic!("one model was asked") };
    assert_eq!((cost.calls, cost.unknown, cost.completion_tokens), (2, 0, 90));
}

pub(crate) async fn cost_of_a_call_is_saved_after_a_cancel(on: &Engine) {
    let task = on.start_and_acquire(1, 0).await;
    let call = on.begin_call(&task, 1, 1).await;
    on.command_run_ok(1, Command::Cancel, 2).await;
    let end = call_result(1, CallStatus::Error, tokens(7, 12));
    let dropped = on.settle_run(&task, Some(end), turn_result(1, call.cursor), 3).await;
    assert_eq!(dropped, Settlement::Discarded);
    let run = on.run(1).await;
    assert_eq!((run.state, run.spent), (RunState::Canceled, 12));
    assert_eq!(on.only_call(1).await.status, CallStatus::Error);
}

pub(crate) async fn existing_turn_is_not_requested_again(on: &Engine) {
    on.start_run(1, 0).await;
    on.execute_step(1, 1).await;
    on.execute_step(2, 2).await;
    let task = on.acquire_run_task(3).await;
    // The run is acquired with its saved turns and continues after them.
    let again = turn_result(3, cursor_at(1, Actor::DebaterA));
    assert_eq!(on.settle_run(&task, None, again, 4).await, Settlement::Saved);
    let story = on.story(1).await;
    assert_eq!(story.turns.len(), 2);
    assert_eq!(story.run.cursor, cursor_at(1, Actor::Judge));
    assert_eq!(on.execute_step(4, 5).await, cursor_at(1, Actor::Judge));
}
