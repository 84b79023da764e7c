//! Files of a killed process: a log that is missing or replaced, a change that was interrupted.

use std::fs;
use std::sync::Arc;

use debate_store::{Consent, OpenError, Sqlite, SqliteOptions};
use rusqlite::Connection;

use crate::earlier_versions::CURRENT;
use crate::engine::{Engine, notifier};
use crate::legacy::fixture::{Layout, closed_file, story};
use crate::sqlite::temp_database::{TempDatabase, engine_at, query_text};
use crate::support::{OPPOSE, debate_id};

/// The directory of a server that was killed after some writes.
async fn killed() -> TempDatabase {
    let folder = TempDatabase::new();
    let on = folder.engine();
    on.play_moves(1, &[OPPOSE]).await;
    let mark = fs::read(folder.beside(".mark")).expect("a server has a mark");
    // While another connection reads, SQLite cannot remove the log.
    let onlooker = folder.read_only_connection();
    onlooker.execute_batch("begin; select 1 from debates").expect("it can be read");
    drop(on);
    drop(onlooker);
    fs::write(folder.beside(".mark"), mark).expect("it was there before");
    folder
}

fn refusal(folder: &TempDatabase) -> String {
    let refusal = folder.refusal();
    assert!(matches!(refusal, OpenError::LogChanged { .. }), "{refusal}");
    refusal.to_string()
}

fn accepting(folder: &TempDatabase) -> Engine {
    let consent = Consent { database_as_is: true, ..Consent::default() };
    engine_at(&SqliteOptions { consent, ..SqliteOptions::at(folder.path()) })
}

#[tokio::test]
async fn file_with_its_log_opens_after_a_kill() {
    let left = killed().await;
    let on = left.engine();
    assert_eq!(on.arguments(debate_id(1)).await.len(), 2);
}

#[tokio::test]
async fn file_without_its_log_is_refused_until_it_is_accepted() {
    let left = killed().await;
    fs::remove_file(left.beside("-wal")).unwrap();
    for _ in 0..2 {
        let words = refusal(&left);
        assert!(words.contains("debate.db-wal is missing"), "{words}");
        assert!(words.contains("--accept-database-as-is"), "{words}");
    }
    accepting(&left).open_debate(2).await;
    // After it was accepted once, the file opens normally.
    left.engine().open_debate(3).await;
}

#[tokio::test]
async fn file_with_another_log_is_refused_until_it_is_accepted() {
    let left = killed().await;
    let log = fs::read(left.beside("-wal")).unwrap();
    fs::remove_file(left.beside("-wal")).unwrap();
    fs::write(left.beside("-wal"), log).unwrap();
    let words = refusal(&left);
    assert!(words.contains("or the database file was replaced"), "{words}");
    assert_eq!(accepting(&left).arguments(debate_id(1)).await.len(), 2);
}

#[tokio::test]
async fn replaced_file_with_the_old_log_is_refused() {
    let left = killed().await;
    let other = TempDatabase::new();
    drop(other.open().unwrap());
    fs::rename(other.path(), left.path()).unwrap();
    let words = refusal(&left);
    assert!(words.contains("or the database file was replaced"), "{words}");
}

#[tokio::test]
async fn closed_database_has_no_mark_and_may_have_any_log() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    on.open_debate(1).await;
    assert!(folder.beside(".mark").exists());
    drop(on);
    assert!(!folder.beside(".mark").exists());
    fs::write(folder.beside("-wal"), "").unwrap();
    drop(folder.open().unwrap());
    assert_eq!(Sqlite::migrate(&folder.path()).unwrap().from, Some(CURRENT));
    assert!(!folder.beside(".mark").exists());
}

/// The journal of a transaction that has begun to change the file, beside a copy of that file.
fn interrupted(conn: &Connection, folder: &TempDatabase, found: &TempDatabase) {
    conn.execute_batch(
        "pragma journal_mode = delete; pragma cache_size = 1; pragma cache_spill = 1;
         begin immediate; create table filler (text text);
         with recursive n (i) as (select 1 union all select i + 1 from n where i < 2000)
         insert into filler select hex(randomblob(200)) from n;",
    )
    .expect("it can be changed");
    for end in ["", "-journal"] {
        fs::copy(folder.beside(end), found.beside(end)).expect("it is there");
    }
    let has_spilled = fs::metadata(found.path()).expect("it is there").len() > 100_000;
    assert!(has_spilled, "the change is in the file");
}

#[tokio::test]
async fn interrupted_change_is_rolled_back_when_an_original_database_opens() {
    for layout in Layout::BOTH {
        let (folder, found) = (closed_file(layout, &story()), TempDatabase::new());
        interrupted(&folder.writable_connection(), &folder, &found);
        let err = Sqlite::inspect(&found.path()).unwrap_err();
        assert!(matches!(err, OpenError::Interrupted), "{err:?}");
        let on = found.engine();
        for old in story() {
            assert_eq!(on.arguments(debate_id(old.number)).await, old.expected_arguments(layout));
        }
        assert!(!found.beside("-journal").exists());
    }
}

#[tokio::test]
async fn interrupted_change_is_rolled_back_when_a_current_database_opens() {
    let (folder, found) = (TempDatabase::new(), TempDatabase::new());
    folder.engine().play_moves(1, &[OPPOSE]).await;
    interrupted(&folder.writable_connection(), &folder, &found);
    assert_eq!(Sqlite::migrate(&found.path()).unwrap().from, Some(CURRENT));
    assert_eq!(found.engine().arguments(debate_id(1)).await.len(), 2);
}

#[test]
fn interrupted_first_start_is_rolled_back() {
    let (folder, found) = (TempDatabase::new(), TempDatabase::new());
    interrupted(&folder.writable_connection(), &folder, &found);
    drop(found.open().unwrap());
    let tables = "select cast(count(*) as text) from sqlite_schema where name = 'filler'";
    assert_eq!(query_text(&found.read_only_connection(), tables), "0");
}

#[test]
fn interrupted_change_is_rolled_back_before_a_copy_fills_the_file() {
    let (folder, found) = (TempDatabase::new(), TempDatabase::new());
    interrupted(&folder.writable_connection(), &folder, &found);
    drop(Sqlite::destination(&found.path()).unwrap());
}

/// A kill at any moment of the first start leaves a file in write-ahead mode, or an empty one.
#[test]
fn file_is_in_wal_mode_before_its_tables_are_created() {
    let folder = TempDatabase::new();
    drop(Sqlite::open(&SqliteOptions::at(folder.path()), Arc::clone(&notifier())).unwrap());
    assert!(!folder.beside("-journal").exists());
    assert_eq!(query_text(&folder.read_only_connection(), "pragma journal_mode"), "wal");
}
