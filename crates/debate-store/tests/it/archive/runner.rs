//! Copies of runs.

use debate_app::runner::CreatedRun;
use debate_core::runner::{
    AfterTurn, BeginCall, BeginCallError, CallStatus, Command, DailyLimits, Judgement, Metadata,
    Outcome, RunLimit, RunState, StepResult, TurnDraft, Verdict, Winner,
};
use debate_core::{RunId, Usage};
use debate_store::{ArchiveError, Item, OpenError, Sqlite};

use super::{End, copy_to, database, export};
use crate::contract::runner::fixture::{
    a_key, beginning, call_result, cost_a_day, create_with, run_id, seconds, tokens, tokens_a_day,
    turn_draft, turn_result,
};
use crate::engine::Engine;
use crate::postgres::store_on;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::instant;

/// Runs in every state, with every kind of value, and a deleted one.
pub(super) async fn fill(on: &Engine) {
    on.create_run_as(create_with(1, a_key(), "Ο Σίσυφος\t🧗 \\N 'x'")).await;
    on.start_run(2, 0).await;
    for number in 1..=4 {
        on.execute_step(number, number).await;
    }
    let judged = on.acquire_run_task(5).await;
    let verdict = Verdict::new("ẞ\r\n«gut»", [9, 10], Winner::B, true).expect("it is one");
    let judgement = Some(Judgement::Given(verdict));
    let metadata = Metadata { outcome: Outcome::Truncated, judgement, duration_ms: None };
    let said = TurnDraft {
        model: None,
        metadata,
        usage: Usage::UNREPORTED,
        ..turn_draft(5, judged.record.run.cursor)
    };
    on.settle_run(&judged, None, StepResult::Turn { draft: said, then: AfterTurn::Continue }, 6)
        .await;
    on.command_run_ok(2, Command::Stop, 7).await;
    let failed = on.start_and_acquire(3, 0).await;
    on.begin_call(&failed, 30, 1).await;
    let sentence = "no such model".to_owned();
    let end = call_result(30, CallStatus::Error, tokens(0, u32::MAX));
    on.settle_run(&failed, Some(end), StepResult::Failed { error: sentence }, 2).await;
    let over = on.start_and_acquire(4, 0).await;
    let end = StepResult::LimitReached {
        cursor: over.record.run.cursor,
        limit: RunLimit::JudgeEarlyStop,
    };
    on.settle_run(&over, None, end, 2).await;
    on.create_run(5).await;
    on.command_run_ok(5, Command::Cancel, 1).await;
    let gone = on.start_and_acquire(6, 0).await;
    on.begin_call(&gone, 60, 1).await;
    on.delete_run(6).await;
    let later = on.start_and_acquire(7, 0).await;
    let end = StepResult::Retry { error: "busy".to_owned(), wait: seconds(9) };
    on.settle_run(&later, None, end, 1).await;
    // A worker makes its second call, and another run is stopping.
    let held = on.start_and_acquire(8, 0).await;
    on.begin_call(&held, 80, 1).await;
    on.try_begin_call(
        &held,
        BeginCall {
            after: Some(call_result(80, CallStatus::Ok, tokens(7, 40))),
            ..beginning(&held, 81, instant(2))
        },
    )
    .await
    .expect("it may begin");
    on.start_and_acquire(9, 0).await;
    on.command_run_ok(9, Command::Stop, 1).await;
}

#[tokio::test]
async fn runs_are_equal_after_a_copy_to_the_other_engine_and_back() {
    let (before, between, after) = (TempDatabase::new(), database(), TempDatabase::new());
    let on = before.engine();
    fill(&on).await;
    let mut told = Vec::new();
    for number in [1, 2, 3, 4, 5, 7, 8, 9] {
        told.push((number, on.story(number).await, on.calls(number).await));
    }
    // Its server keeps the file open.
    let there = copy_to(&End::File(&before), &End::Server(&between)).await.unwrap();
    let rows = ["runs", "run_turns", "run_calls", "run_days"].map(|table| there.read.count(table));
    assert_eq!(rows, [8, 5, 7, 1]);
    let back = copy_to(&End::Server(&between), &End::File(&after)).await.unwrap();
    drop(on);
    assert!(export(&before) == export(&after), "the exports differ");
    let digests = [&there.read, &there.written, &back.read, &back.written].map(|side| side.digest);
    assert!(digests.iter().all(|digest| *digest == digests[0]), "{digests:?}");

    for on in [store_on(between.url()).await, after.engine()] {
        for (number, story, calls) in &told {
            let copy = on.story(*number).await;
            assert_eq!((&copy.run, &copy.turns), (&story.run, &story.turns));
            assert_eq!((&copy.costs, &on.calls(*number).await), (&story.costs, calls));
        }
        assert_continues(&on).await;
    }
}

/// Asserts that a server can continue on the copy.
async fn assert_continues(on: &Engine) {
    let again =
        on.runs.create(create_with(99, a_key(), "Ο Σίσυφος\t🧗 \\N 'x'")).await.expect("a retry");
    assert!(matches!(again, CreatedRun::Replayed(run) if run.id == run_id(1)));
    // Its lease is not copied: the run is due, and its call in flight is unknown.
    let task = on.acquire_run_task(3).await;
    assert_eq!((task.record.run.id, task.record.tries), (run_id(8), 1));
    let called: Vec<_> = on.calls(8).await.iter().map(|call| call.status).collect();
    assert_eq!(called, [CallStatus::Ok, CallStatus::Unknown]);
    on.acquire_run(3).await;
    assert_eq!(on.run(9).await.state, RunState::Stopped);
    assert_eq!(on.acquire_run_task(10).await.record.run.id, run_id(7));
    // The day keeps the charge, also of the deleted run.
    let clipped = 600;
    let spent = 4 * 47 + clipped + 1000 + 47 + 1000;
    let begin = |limits| BeginCall { limits, ..beginning(&task, 82, instant(4)) };
    let too_few = [tokens_a_day(spent + 999), cost_a_day((spent + 999) * 1000)];
    for limits in too_few {
        let not = on.try_begin_call(&task, begin(limits)).await.expect_err("one too many");
        assert!(matches!(not, BeginCallError::OverBudget(_)), "{not:?}");
    }
    let cost = cost_a_day((spent + 1000) * 1000).cost;
    let enough = DailyLimits { cost, ..tokens_a_day(spent + 1000) };
    on.try_begin_call(&task, begin(enough)).await.expect("they fit");
    on.settle_run(&task, None, turn_result(8, task.record.run.cursor), 5).await;
    assert_eq!(on.story(8).await.turns.len(), 1);
}

fn named(err: &ArchiveError) -> Option<RunId> {
    match super::item(err) {
        Some(Item::Run(run)) => Some(run),
        Some(Item::Debate(_) | Item::Table(_)) | None => None,
    }
}

async fn damaged(damage: &str) -> TempDatabase {
    let folder = TempDatabase::new();
    fill(&folder.engine()).await;
    let conn = folder.writable_connection();
    conn.execute_batch("pragma foreign_keys = off").expect("it is a setting");
    let second = format!("x'{}'", run_id(2).uuid().simple());
    let changed =
        conn.execute(&damage.replace("SECOND", &second), []).expect("the tables are there");
    assert!(changed > 0, "{damage}");
    folder
}

#[tokio::test]
async fn copy_names_the_run_that_does_not_replay() {
    let between = database();
    for damage in [
        "delete from run_turns where run_id = SECOND and seq = 2",
        "delete from run_turns where run_id = SECOND and seq = 5",
        "delete from run_turns where run_id = SECOND",
        "update run_turns set round = 9 where run_id = SECOND and seq = 1",
        "update run_turns set actor = 'chair' where run_id = SECOND and seq = 1",
        "update run_turns set winner = null where run_id = SECOND and seq = 5",
        "update run_turns set score_a = 11 where run_id = SECOND and seq = 5",
        "update run_turns set content = cast(x'ff' as text) where run_id = SECOND and seq = 3",
        "update run_turns set content = 'a' || char(0) where run_id = SECOND and seq = 3",
        "update runs set last_seq = 6 where id = SECOND",
        "update runs set completed_rounds = 2 where id = SECOND",
        "update runs set spent = spent + 1 where id = SECOND",
        "update runs set status = 'lost' where id = SECOND",
        "update runs set stop_reason = 'canceled' where id = SECOND",
        "update runs set max_rounds = 101 where id = SECOND",
        "update runs set term = -1 where id = SECOND",
        "update runs set held_since = 1 where id = SECOND",
        "update runs set idempotency_key = 'x' where id = SECOND",
        "update runs set last_error = char(0) where id = SECOND",
        "delete from run_calls where run_id = SECOND and round = 2",
        "update run_calls set number = 2 where run_id = SECOND and round = 2",
        "update run_calls set called = 'lost' where run_id = SECOND and round = 2",
    ] {
        let folder = damaged(damage).await;
        let err = copy_to(&End::File(&folder), &End::Server(&between)).await.unwrap_err();
        assert_eq!(named(&err), Some(run_id(2)), "{damage}: {err:?}");
        assert!(End::Server(&between).is_empty().await, "{damage}");
    }
}

#[tokio::test]
async fn copy_reports_turns_and_calls_without_a_run() {
    let between = database();
    for table in ["run_turns", "run_calls"] {
        let folder = TempDatabase::new();
        fill(&folder.engine()).await;
        let conn = folder.writable_connection();
        conn.execute_batch("pragma foreign_keys = off").unwrap();
        let orphan = format!("update {table} set run_id = zeroblob(16) where round = 2");
        conn.execute_batch(&orphan).unwrap();
        conn.execute_batch("delete from runs where last_seq = 5").unwrap();
        let err = copy_to(&End::File(&folder), &End::Server(&between)).await.unwrap_err();
        assert!(matches!(err, ArchiveError::Orphan { item: Item::Run(_), .. }), "{err:?}");
        assert!(End::Server(&between).is_empty().await);
    }
}

#[tokio::test]
async fn destination_with_runs_is_not_changed() {
    let (before, occupied, server) = (TempDatabase::new(), TempDatabase::new(), database());
    fill(&before.engine()).await;
    drop(occupied.engine().create_run(1).await);
    let bytes = occupied.bytes();
    let err = Sqlite::destination(&occupied.path()).err();
    assert!(matches!(err, Some(OpenError::NotEmpty(_))), "{err:?}");
    assert!(occupied.bytes() == bytes);
    copy_to(&End::File(&occupied), &End::Server(&server)).await.unwrap();
    let digest = End::Server(&server).contents().await.digest;
    let err = copy_to(&End::File(&before), &End::Server(&server)).await.unwrap_err();
    assert!(matches!(err, ArchiveError::NotEmpty("runs")), "{err:?}");
    assert_eq!(End::Server(&server).contents().await.digest, digest);
}
