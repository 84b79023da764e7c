//! The limits on the write-ahead log and on free disk space.

use std::fs;

use debate_app::StoreError;
use debate_app::arena::{ArenaError, WriteOutcome};
use debate_core::DebateId;
use debate_core::arena::Draft;
use debate_store::SqliteOptions;

use crate::engine::{Engine, turn};
use crate::sqlite::temp_database::{TempDatabase, engine_at};
use crate::support::{content, draft};

const WAL_BYTES_MAX: u64 = 256 * 1024;

/// A few claims of this length fill a log of `WAL_BYTES_MAX`.
const CLAIM_BYTES: usize = 9_000;

/// Adds long claims until the store refuses one. Returns the number of the refused claim.
async fn fill_wal(on: &Engine, debate: DebateId) -> u32 {
    for number in 1..1_000 {
        match on.try_argument(debate, long_claim(number)).await {
            Ok(_) => {}
            Err(ArenaError::Store(StoreError::WalFull(_))) => return number,
            Err(err) => panic!("claim {number}: {err:?}"),
        }
    }
    panic!("the log has no limit");
}

fn long_claim(number: u32) -> Draft {
    Draft { content: content(&"x".repeat(CLAIM_BYTES)), ..draft(number, turn(number)) }
}

#[tokio::test]
async fn writes_stop_at_the_wal_limit_and_resume_when_the_reader_ends() {
    let folder = TempDatabase::new();
    let options =
        SqliteOptions { wal_bytes_max: WAL_BYTES_MAX, ..SqliteOptions::at(folder.path()) };
    let on = engine_at(&options);
    let debate = on.open_debate(1).await;
    let reader = folder.read_only_connection();
    reader.execute_batch("begin; select count(*) from arguments").unwrap();
    let refused = fill_wal(&on, debate).await;
    assert!(refused > 3, "refused after {refused} claims");
    let wal_bytes = fs::metadata(folder.beside("-wal")).unwrap().len();
    assert!(wal_bytes < WAL_BYTES_MAX * 2, "{wal_bytes}");
    let log = on.arguments(debate).await;
    assert_eq!(log.len(), usize::try_from(refused).unwrap(), "the refused claim is not there");

    reader.execute_batch("rollback").unwrap();
    let written =
        on.try_argument(debate, long_claim(refused)).await.expect("the log can be truncated");
    assert_eq!(written.outcome, WriteOutcome::Fresh);
    let wal_bytes = fs::metadata(folder.beside("-wal")).unwrap().len();
    assert!(wal_bytes < WAL_BYTES_MAX, "{wal_bytes}");
}

#[tokio::test]
async fn writes_without_a_foreign_reader_never_reach_the_wal_limit() {
    let folder = TempDatabase::new();
    let options =
        SqliteOptions { wal_bytes_max: WAL_BYTES_MAX, ..SqliteOptions::at(folder.path()) };
    let on = engine_at(&options);
    let debate = on.open_debate(1).await;
    for number in 1..=100 {
        on.add_draft(debate, long_claim(number), number).await;
    }
}

#[tokio::test]
async fn writes_are_refused_while_the_disk_has_too_little_free_space() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.open_debate(1).await;
    drop(on);
    let options = SqliteOptions { free_bytes_min: u64::MAX, ..SqliteOptions::at(folder.path()) };
    let on = engine_at(&options);
    let refused = on.try_argument(debate, draft(1, turn(1))).await;
    assert!(matches!(refused, Err(ArenaError::Store(StoreError::Full(_)))), "{refused:?}");
    assert_eq!(on.arguments(debate).await.len(), 1);
    drop(on);
    let options = SqliteOptions { free_bytes_min: 0, ..options };
    engine_at(&options).add_argument(debate, 1, turn(1)).await;
}
