//! Files that are not opened, and are not touched either.

use std::fs;

use debate_app::Storage;
use debate_store::{OpenError, Sqlite, SqliteOptions};

use crate::engine::notifier;
use crate::sqlite::file::{Folder, asked};

#[test]
fn a_file_in_use_is_refused_to_a_second_server() {
    let folder = Folder::new();
    let first = folder.open().unwrap();
    let Err(refusal) = folder.open() else { panic!("two servers have the same file") };
    assert!(matches!(&refusal, OpenError::InUse(path) if *path == folder.path()), "{refusal}");
    drop(first);
    folder.open().unwrap();
}

#[test]
fn a_file_in_use_is_refused_by_any_of_its_names() {
    let folder = Folder::new();
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
fn a_lock_whose_holder_has_died_is_in_nobodys_way() {
    let folder = Folder::new();
    drop(folder.open().unwrap());
    assert!(folder.beside(".lock").exists());
    folder.open().unwrap();
}

#[test]
fn a_database_of_a_newer_version_is_refused_untouched() {
    let folder = Folder::new();
    drop(folder.open().unwrap());
    let conn = folder.stranger();
    conn.execute_batch("update schema_meta set value = '7' where key = 'version'").unwrap();
    conn.execute_batch("create table of_the_future (id integer)").unwrap();
    drop(conn);
    let refusal = folder.refusal();
    assert!(matches!(refusal, OpenError::Newer { found: 7, known: 6 }), "{refusal}");
}

#[test]
fn a_refused_file_stays_as_readable_as_it_was() {
    use std::os::unix::fs::PermissionsExt;
    let folder = Folder::new();
    folder.stranger().execute_batch("create table recipes (id integer)").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o644)).unwrap();
    folder.refusal();
    assert_eq!(crate::sqlite::file::mode(&folder.path()), 0o644);
}

#[test]
fn a_database_of_something_else_is_refused_untouched() {
    let layouts = [
        "create table recipes (id integer primary key, title text)",
        "create table debates (id text primary key)",
        "create table arguments (id text primary key)",
        "create table schema_meta (key text, value text)",
        "create view debates as select 1; create view arguments as select 2;",
    ];
    for layout in layouts {
        let folder = Folder::new();
        folder.stranger().execute_batch(layout).unwrap();
        let refusal = folder.refusal();
        assert!(matches!(&refusal, OpenError::NotOurs(path) if *path == folder.path()), "{layout}");
    }
}

#[test]
fn tables_of_our_names_but_not_our_columns_are_refused_untouched() {
    let folder = Folder::new();
    let layout = "create table debates (id text, motto text); create table arguments (id text);";
    folder.stranger().execute_batch(layout).unwrap();
    let refusal = folder.refusal();
    assert!(matches!(refusal, OpenError::LossyMigration(_)), "{refusal}");
    assert!(refusal.to_string().contains("motto"), "{refusal}");
}

#[test]
fn a_file_that_is_no_database_is_refused_untouched() {
    let folder = Folder::new();
    fs::write(folder.path(), "Dear diary, today we debated again. ".repeat(100)).unwrap();
    let refusal = folder.refusal();
    assert!(matches!(refusal, OpenError::Sqlite(_)), "{refusal}");
}

#[test]
fn an_empty_file_becomes_a_database() {
    let folder = Folder::new();
    fs::write(folder.path(), "").unwrap();
    drop(folder.open().unwrap());
    let version = "select value from schema_meta where key = 'version'";
    assert_eq!(asked(&folder.onlooker(), version), "6");
}

#[test]
fn opening_again_changes_nothing() {
    let folder = Folder::new();
    drop(folder.open().unwrap());
    let first = folder.bytes();
    drop(folder.open().unwrap());
    assert!(folder.bytes() == first);
}

#[test]
fn a_store_says_which_engine_it_is_and_that_it_is_well() {
    let folder = Folder::new();
    let status = folder.open().unwrap().status();
    assert_eq!(status.engine, format!("sqlite {}", rusqlite::version()));
    assert!(status.failure.is_none());
}
