//! A file that is moved or damaged while the store uses it: writes that would be lost are refused,
//! and acknowledged writes are kept.

use std::fs;

use debate_app::StoreError;
use debate_app::arena::{ArenaError, TranscriptLimit, WriteOutcome};
use debate_core::DebateId;

use crate::engine::Engine;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{OPPOSE, PROPOSE, draft};

async fn assert_refused(on: &Engine, debate: DebateId) {
    let outcome = on.try_argument(debate, draft(2, PROPOSE)).await;
    assert!(matches!(outcome, Err(ArenaError::Store(StoreError::Moved(_)))), "{outcome:?}");
    assert_eq!(on.arguments(debate).await.len(), 2, "reads go on, and nothing was added");
}

#[tokio::test]
async fn writes_are_refused_while_the_file_is_moved() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.play_moves(1, &[OPPOSE]).await;
    for end in ["", "-wal"] {
        fs::rename(folder.beside(end), folder.beside("-elsewhere")).unwrap();
        assert_refused(&on, debate).await;
        fs::rename(folder.beside("-elsewhere"), folder.beside(end)).unwrap();
    }
    assert_eq!(
        on.try_argument(debate, draft(2, PROPOSE)).await.unwrap().outcome,
        WriteOutcome::Fresh
    );
}

#[tokio::test]
async fn writes_are_refused_after_the_file_was_replaced() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.play_moves(1, &[OPPOSE]).await;
    fs::copy(folder.path(), folder.beside("-copy")).unwrap();
    fs::rename(folder.beside("-copy"), folder.path()).unwrap();
    let before = folder.bytes();
    assert_refused(&on, debate).await;
    drop(on);
    assert!(folder.bytes() == before, "what was put there is not touched");
}

#[tokio::test]
async fn moved_file_is_complete_after_the_store_closed() {
    let (folder, elsewhere) = (TempDatabase::new(), TempDatabase::new());
    let on = folder.engine();
    let debate = on.play_moves(1, &[OPPOSE]).await;
    let log = on.arguments(debate).await;
    fs::rename(folder.path(), elsewhere.path()).unwrap();
    drop(on);
    assert_eq!(elsewhere.engine().arguments(debate).await, log);
}

#[tokio::test]
async fn store_of_a_moved_file_keeps_the_log_of_its_successor() {
    let folder = TempDatabase::new();
    let first = folder.engine();
    first.play_moves(1, &[OPPOSE]).await;
    for end in ["", "-wal", "-shm", ".lock", ".mark"] {
        fs::remove_file(folder.beside(end)).unwrap();
    }
    let next = folder.engine();
    let debate = next.play_moves(2, &[OPPOSE]).await;
    drop(first);
    next.add_argument(debate, 3, PROPOSE).await;
    assert_eq!(next.arguments(debate).await.len(), 3);
}

async fn assert_damaged(on: &Engine, debate: DebateId) {
    for _ in 0..2 {
        let outcome = on.try_argument(debate, draft(2, PROPOSE)).await;
        assert!(matches!(outcome, Err(ArenaError::Store(StoreError::Damaged(_)))), "{outcome:?}");
    }
}

#[tokio::test]
async fn writes_are_refused_after_the_wal_was_truncated() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.play_moves(1, &[OPPOSE]).await;
    let log = fs::OpenOptions::new().write(true).open(folder.beside("-wal")).unwrap();
    let whole = log.metadata().unwrap().len();
    log.set_len(whole - 1).unwrap();
    assert_damaged(&on, debate).await;
    // The store cannot know whether the log is complete again.
    log.set_len(whole).unwrap();
    assert_damaged(&on, debate).await;
}

#[tokio::test]
async fn checkpoint_of_another_program_does_not_refuse_writes() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.play_moves(1, &[OPPOSE]).await;
    let fold = "pragma wal_checkpoint(truncate)";
    let blocked: bool = folder.writable_connection().query_row(fold, [], |row| row.get(0)).unwrap();
    assert!(!blocked && fs::metadata(folder.beside("-wal")).unwrap().len() == 0);
    on.add_argument(debate, 2, PROPOSE).await;
    on.add_argument(debate, 3, OPPOSE).await;
    assert_eq!(on.arguments(debate).await.len(), 4);
}

#[tokio::test]
async fn damage_found_by_a_read_refuses_writes() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.open_long_debate(200).await;
    drop(on);
    let on = folder.engine();
    let file = fs::OpenOptions::new().write(true).open(folder.path()).unwrap();
    file.set_len(file.metadata().unwrap().len() / 2).unwrap();
    let read = on.store.transcript(debate, TranscriptLimit::All).await;
    assert!(matches!(read, Err(ArenaError::Store(StoreError::Damaged(_)))), "{read:?}");
    assert_damaged(&on, debate).await;
}
