//! The check of a file after an unclean stop.

use std::fs::{self, File, OpenOptions};
use std::os::unix::fs::FileExt;

use debate_app::StoreError;
use debate_app::arena::ArenaError;

use crate::engine::{Engine, until};
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{OPPOSE, PROPOSE, debate_id, draft};

/// An index that no write of these tests touches.
const INDEX: &str = "forum_verdicts_by_time";

/// Leaves a log beside a closed file, as a process that was killed does.
fn leave_open(folder: &TempDatabase) {
    File::create(folder.beside("-wal")).expect("the folder is writable");
}

/// The offset of the page of `INDEX` in the file, and its length.
fn page_of_index(folder: &TempDatabase) -> (u64, usize) {
    let conn = folder.read_only_connection();
    let bytes: u64 =
        conn.query_row("pragma page_size", [], |row| row.get(0)).expect("the file is there");
    let root = "select rootpage from sqlite_schema where name = ?1";
    let number: u64 = conn.query_row(root, [INDEX], |row| row.get(0)).expect("the file is there");
    ((number - 1) * bytes, usize::try_from(bytes).expect("the file is there"))
}

/// Replaces the bytes at an offset of the file. Returns the previous bytes.
fn replace(folder: &TempDatabase, at: u64, bytes: &[u8]) -> Vec<u8> {
    let file =
        OpenOptions::new().read(true).write(true).open(folder.path()).expect("the file is there");
    let mut before = vec![0; bytes.len()];
    file.read_exact_at(&mut before, at).expect("the file is there");
    file.write_all_at(bytes, at).expect("the file is there");
    before
}

fn is_damaged(on: &Engine) -> bool {
    matches!(on.storage.status().failure, Some(StoreError::Damaged(_)))
}

#[tokio::test]
async fn damaged_file_refuses_writes_after_an_unclean_end_until_it_is_repaired() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.play_moves(1, &[OPPOSE]).await;
    drop(on);
    let (at, bytes) = page_of_index(&folder);
    let sound = replace(&folder, at, &vec![0xff; bytes]);

    leave_open(&folder);
    let on = folder.engine();
    until(|| is_damaged(&on)).await;
    let refused = on.try_argument(debate, draft(1, PROPOSE)).await;
    assert!(matches!(refused, Err(ArenaError::Store(StoreError::Damaged(_)))), "{refused:?}");
    assert_eq!(on.arguments(debate).await.len(), 2, "reads go on");
    drop(on);

    // Closed cleanly, but still damaged.
    let on = folder.engine();
    until(|| is_damaged(&on)).await;
    drop(on);

    replace(&folder, at, &sound);
    let on = folder.engine();
    until(|| !folder.beside(".damaged").exists()).await;
    on.add_argument(debate, 1, PROPOSE).await;
    drop(on);
    assert!(!folder.beside(".damaged").exists());
}

#[tokio::test]
async fn undecodable_rows_are_counted_after_an_unclean_end() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    for number in 1..=5 {
        on.play_moves(number, &[OPPOSE, PROPOSE]).await;
    }
    drop(on);
    let spoil = "update arguments set kind = 'UNKNOWN' where content in ('Argument 100');
        update debates set debate_type = 'unknown' where title = 'Debate 3';";
    folder.writable_connection().execute_batch(spoil).expect("the tables are there");
    leave_open(&folder);
    let on = folder.engine();
    until(|| on.storage.status().damaged == 2).await;
    let refused = on.try_argument(debate_id(3), draft(1, OPPOSE)).await;
    assert!(matches!(refused, Err(ArenaError::DebateDamaged(_))), "{refused:?}");
    on.add_argument(debate_id(5), 1, OPPOSE).await;
    assert!(on.storage.status().failure.is_none());
}

#[tokio::test]
async fn closing_during_the_check_does_not_wait_for_it() {
    let folder = TempDatabase::new();
    drop(folder.engine());
    leave_open(&folder);
    drop(folder.engine());
    assert!(!folder.beside("-wal").exists(), "the file is closed");
    assert!(fs::metadata(folder.path()).is_ok());
}
