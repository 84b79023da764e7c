//! Files that are refused and stay unchanged.

use std::fs;

use debate_app::Storage;
use debate_store::{OpenError, Sqlite, SqliteOptions};

use crate::earlier_versions::CURRENT;
use crate::engine::notifier;
use crate::sqlite::temp_database::{TempDatabase, query_text};

#[test]
fn file_in_use_is_refused_to_a_second_server() {
    let folder = TempDatabase::new();
    let first = folder.open().unwrap();
    let Err(refusal) = folder.open() else { panic!("two servers have the same file") };
    assert!(matches!(&refusal, OpenError::InUse(path) if *path == folder.path()), "{refusal}");
    drop(first);
    folder.open().unwrap();
}

#[test]
fn file_in_use_is_refused_by_every_path() {
    let folder = TempDatabase::new();
    let first = folder.open().unwrap();
    let other = folder.beside("-by-another-name");
    fs::hard_link(folder.path(), &other).unwrap();
    fs::remove_file(folder.beside(".lock")).unwrap();
    for name in [folder.path(), other] {
        let Err(refusal) = Sqlite::open(&SqliteOptions::at(name.clone()), notifier()) else {
            panic!("two servers have the same file")
        };
        assert!(matches!(&refusal, OpenError::InUse(path) if *path == name), "{refusal}");
    }
    drop(first);
    folder.open().unwrap();
}

#[test]
fn lock_of_a_dead_process_is_ignored() {
    let folder = TempDatabase::new();
    drop(folder.open().unwrap());
    assert!(folder.beside(".lock").exists());
    folder.open().unwrap();
}

#[test]
fn database_of_a_newer_version_is_refused_unchanged() {
    let folder = TempDatabase::new();
    drop(folder.open().unwrap());
    let conn = folder.writable_connection();
    let newer = CURRENT + 1;
    conn.execute("update schema_meta set value = ?1 where key = 'version'", [newer.to_string()])
        .unwrap();
    conn.execute_batch("create table of_the_future (id integer)").unwrap();
    drop(conn);
    let refusal = folder.refusal();
    let OpenError::Newer { found, known } = refusal else { panic!("{refusal}") };
    assert_eq!((found, known), (newer, CURRENT));
}

#[test]
fn refused_file_keeps_its_permissions() {
    use std::os::unix::fs::PermissionsExt;
    let folder = TempDatabase::new();
    folder.writable_connection().execute_batch("create table recipes (id integer)").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o644)).unwrap();
    folder.refusal();
    assert_eq!(crate::sqlite::temp_database::mode(&folder.path()), 0o644);
}

#[test]
fn database_of_another_program_is_refused_unchanged() {
    let layouts = [
        "create table recipes (id integer primary key, title text)",
        "create table debates (id text primary key)",
        "create table arguments (id text primary key)",
        "create table schema_meta (key text, value text)",
        "create view debates as select 1; create view arguments as select 2;",
    ];
    for layout in layouts {
        let folder = TempDatabase::new();
        folder.writable_connection().execute_batch(layout).unwrap();
        let refusal = folder.refusal();
        assert!(matches!(&refusal, OpenError::NotOurs(path) if *path == folder.path()), "{layout}");
    }
}

#[test]
fn known_tables_with_other_columns_are_refused_unchanged() {
    let folder = TempDatabase::new();
    let layout = "create table debates (id text, motto text); create table arguments (id text);";
    folder.writable_connection().execute_batch(layout).unwrap();
    let refusal = folder.refusal();
    assert!(matches!(refusal, OpenError::LossyMigration(_)), "{refusal}");
    assert!(refusal.to_string().contains("motto"), "{refusal}");
}

#[test]
fn file_that_is_not_a_database_is_refused_unchanged() {
    let folder = TempDatabase::new();
    fs::write(folder.path(), "Dear diary, today we debated again. ".repeat(100)).unwrap();
    let refusal = folder.refusal();
    assert!(matches!(refusal, OpenError::Sqlite(_)), "{refusal}");
}

#[test]
fn empty_file_becomes_a_database() {
    let folder = TempDatabase::new();
    fs::write(folder.path(), "").unwrap();
    drop(folder.open().unwrap());
    let version = "select value from schema_meta where key = 'version'";
    assert_eq!(query_text(&folder.read_only_connection(), version), CURRENT.to_string());
}

#[test]
fn second_open_changes_nothing() {
    let folder = TempDatabase::new();
    drop(folder.open().unwrap());
    let first = folder.bytes();
    drop(folder.open().unwrap());
    assert!(folder.bytes() == first);
}

#[test]
fn status_names_the_engine_and_no_failure() {
    let folder = TempDatabase::new();
    let status = folder.open().unwrap().status();
    assert_eq!(status.engine, format!("sqlite {}", rusqlite::version()));
    assert!(status.failure.is_none());
}
