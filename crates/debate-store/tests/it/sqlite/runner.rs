//! Query plans of the runner's statements on SQLite, and rows that cannot be decoded.

use debate_app::runner::RunnerError;
use debate_app::{StoreError, WorkOffer};

use super::query_plans::plan;
use crate::contract::leases::RUNS;
use crate::contract::runner::fixture::run_id;
use crate::contract::runner::sql;
use crate::sqlite::temp_database::TempDatabase;

/// A few runs for a meaningful query plan.
async fn populated(folder: &TempDatabase) -> rusqlite::Connection {
    let on = folder.engine();
    for number in 1..=20 {
        on.start_run(number, number).await;
        on.execute_step(number, number).await;
    }
    drop(on);
    folder.writable_connection()
}

#[tokio::test]
async fn every_statement_uses_an_index_without_sorting() {
    let folder = TempDatabase::new();
    let conn = populated(&folder).await;
    for (statement, index) in [
        (RUNS.due_sqlite, "runs_due"),
        (RUNS.next_due, "runs_due"),
        (sql::PAGE, "runs_by_time"),
        (sql::PAGE_OF_STATUS, "runs_by_status"),
        (sql::RUN, "sqlite_autoindex_runs_1"),
        (sql::RUN_OF_KEY, "sqlite_autoindex_runs_2"),
        (sql::TURNS, "sqlite_autoindex_run_turns_2"),
        (sql::JUDGE_TURNS, "sqlite_autoindex_run_turns_2"),
        (sql::LAST_TURN, "sqlite_autoindex_run_turns_2"),
        (sql::SEQ_OF_TURN, "sqlite_autoindex_run_turns_1"),
        (sql::CALLS, "sqlite_autoindex_run_calls_2"),
        (sql::CALLS_FROM, "sqlite_autoindex_run_calls_2 (run_id=? AND round>?)"),
        (sql::OPEN_CALLS, "sqlite_autoindex_run_calls_2"),
        (sql::CALLS_AT, "sqlite_autoindex_run_calls_2"),
        (sql::CALL, "sqlite_autoindex_run_calls_1"),
        (sql::SAVE_RUN, "sqlite_autoindex_runs_1"),
        (sql::SAVE_CALL, "sqlite_autoindex_run_calls_1"),
        (sql::DELETE_RUN, "sqlite_autoindex_runs_1"),
    ] {
        let plan = plan(&conn, statement);
        assert!(plan.iter().any(|step| step.contains(index)), "{statement}\n{plan:#?}");
        assert!(!plan.iter().any(|step| step.contains("TEMP B-TREE")), "{statement}\n{plan:#?}");
    }
}

/// A page of at most 50 turns is sorted after it was read, to limit it by its bytes.
#[tokio::test]
async fn new_turns_are_read_by_their_index() {
    let folder = TempDatabase::new();
    let conn = populated(&folder).await;
    let plan = plan(&conn, sql::TURNS_AFTER);
    let range = "sqlite_autoindex_run_turns_2 (run_id=? AND seq>?)";
    assert!(plan.iter().any(|step| step.contains(range)), "{plan:#?}");
}

#[tokio::test]
async fn undecodable_row_is_reported_and_affects_no_other_row() {
    for damage in [
        "update runs set status = 'lost'",
        "update runs set next_round = 0",
        "update runs set next_actor = 'chair'",
        "update runs set spent = -1",
        "update runs set max_tokens_judge = 99999999999",
        "update runs set model_judge = 'nobody'",
        "update runs set output_language = ''",
        "update runs set topic = ''",
        "update runs set created_at = 9223372036854775807",
        "update runs set due = 1, held_since = -9223372036854775808",
        "update runs set prompt_version = 'v999'",
    ] {
        let folder = TempDatabase::new();
        let on = folder.engine();
        on.start_run(1, 0).await;
        folder.writable_connection().execute_batch(damage).unwrap();
        on.start_run(2, 30).await;
        let err = on.runs.story(run_id(1)).await.unwrap_err();
        assert!(matches!(err, RunnerError::Store(StoreError::Undecodable(_))), "{damage}: {err:?}");
        assert!(matches!(on.acquire_run(10).await, WorkOffer::Cleaned), "{damage}: it is put off");
        assert_eq!(
            on.acquire_run_task(30).await.record.run.id,
            run_id(2),
            "{damage}: others go on"
        );
        assert!(matches!(on.acquire_run(40).await, WorkOffer::Cleaned), "{damage}: again");
    }
}

#[tokio::test]
async fn repaired_run_continues() {
    for (damage, repair) in [
        ("update runs set prompt_version = 'v999'", "update runs set prompt_version = 'v1'"),
        ("update run_turns set actor = 'chair'", "update run_turns set actor = 'debater_a'"),
        ("update run_calls set model = 'nobody'", "update run_calls set model = 'demo:paced'"),
    ] {
        let folder = TempDatabase::new();
        let on = folder.engine();
        on.start_run(1, 0).await;
        on.execute_step(1, 1).await;
        let task = on.acquire_run_task(2).await;
        on.begin_call(&task, 2, 2).await;
        folder.writable_connection().execute_batch(damage).unwrap();
        assert!(matches!(on.acquire_run(100).await, WorkOffer::Cleaned), "{damage}");
        assert!(matches!(on.acquire_run(100).await, WorkOffer::Nothing { .. }), "{damage}");
        folder.writable_connection().execute_batch(repair).unwrap();
        assert_eq!(on.acquire_run_task(130).await.record.run.id, run_id(1), "{repair}");
    }
}
