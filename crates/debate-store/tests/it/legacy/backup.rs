//! The file of an original server is backed up before it is changed, and refused while that server
//! has it open.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command};

use debate_store::OpenError;
use rusqlite::Connection;

use super::fixture::{Layout, closed_file, file_in_use, story};
use crate::sqlite::temp_database::{TempDatabase, mode, query_text};
use crate::support::debate_id;

fn backups(folder: &TempDatabase) -> Vec<PathBuf> {
    let path = folder.path();
    let beside = fs::read_dir(path.parent().expect("it is in a folder")).expect("it is there");
    let paths = beside.map(|entry| entry.expect("it can be listed").path());
    let is_backup = |path: &PathBuf| path.to_string_lossy().contains("debate.db.original-");
    paths.filter(is_backup).collect()
}

fn old_rows(path: &PathBuf) -> String {
    let conn = Connection::open(path).expect("it can be opened");
    query_text(
        &conn,
        "select (select group_concat(id || title || debate_type || state || created_at) from
             (select * from debates order by id)) ||
             (select group_concat(id || debate_id || type || role || content || seq) from
             (select * from arguments order by debate_id, seq))",
    )
}

#[test]
fn backup_beside_the_file_holds_every_row_as_it_was() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let before = old_rows(&folder.path());
        drop(folder.open().unwrap());
        let [backup] = &backups(&folder)[..] else { panic!("{:?}", backups(&folder)) };
        assert_eq!(old_rows(backup), before, "{layout:?}");
        assert_eq!(mode(backup), 0o600);
        drop(folder.open().unwrap());
        assert_eq!(backups(&folder).len(), 1, "a second opening makes no second one");
    }
}

/// The server is killed after the backup, and starts again.
#[test]
fn second_attempt_uses_the_backup_of_the_first() {
    let folder = closed_file(Layout::Prisma, &story());
    let again = TempDatabase::new();
    fs::copy(folder.path(), again.path()).unwrap();
    drop(folder.open().unwrap());
    let first = backups(&folder).pop().unwrap();
    let there = again.path().with_file_name(first.file_name().unwrap());
    fs::copy(&first, &there).unwrap();
    let written = fs::metadata(&there).unwrap().modified().unwrap();
    drop(again.open().unwrap());
    assert_eq!(backups(&again), std::slice::from_ref(&there));
    assert_eq!(fs::metadata(&there).unwrap().modified().unwrap(), written);
}

#[test]
fn file_is_unchanged_if_its_backup_fails() {
    let folder = closed_file(Layout::Prisma, &story());
    // A directory that the backup cannot be renamed to makes the backup fail.
    let probe = closed_file(Layout::Prisma, &story());
    drop(probe.open().unwrap());
    let name = backups(&probe).pop().unwrap();
    let name = name.file_name().unwrap().to_string_lossy().into_owned();
    fs::create_dir(folder.path().with_file_name(format!("{name}.part"))).unwrap();
    let refusal = folder.refusal();
    assert!(matches!(refusal, OpenError::NoBackup(_)), "{refusal}");
}

#[test]
fn current_database_is_not_backed_up() {
    let folder = TempDatabase::new();
    drop(folder.open().unwrap());
    crate::earlier_versions::file_back_to(&folder, 5);
    drop(folder.open().unwrap());
    assert!(backups(&folder).is_empty());
}

/// Another process that has the file open.
struct Owner(Child);

impl Owner {
    fn of(folder: &TempDatabase) -> Self {
        let file = File::open(folder.path()).expect("it is there");
        let child = Command::new("sleep").arg("600").stdin(file).spawn().expect("sleep is there");
        Self(child)
    }
}

impl Drop for Owner {
    fn drop(&mut self) {
        self.0.kill().and_then(|()| self.0.wait()).expect("it runs until it is killed");
    }
}

#[test]
fn file_is_refused_unchanged_while_the_original_server_has_it_open() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let owner = Owner::of(&folder);
        let refusal = folder.refusal();
        let words = refusal.to_string();
        assert!(words.contains(&format!("process {} (sleep)", owner.0.id())), "{words}");
        assert!(backups(&folder).is_empty());
        drop(owner);
        drop(folder.open().unwrap());
    }
}

/// Its newest rows are only in its log.
#[tokio::test]
async fn file_of_a_killed_original_server_is_migrated_with_its_log() {
    let (folder, found) = (TempDatabase::new(), TempDatabase::new());
    let conn = file_in_use(&folder, Layout::Express, &story());
    for end in ["", "-wal"] {
        fs::copy(folder.beside(end), found.beside(end)).unwrap();
    }
    drop(conn);
    let before = old_rows(&folder.path());
    let on = found.engine();
    assert_eq!(on.arguments(debate_id(1)).await, story()[0].expected_arguments(Layout::Express));
    drop(on);
    assert_eq!(old_rows(&backups(&found)[0]), before);
}

/// A current database is not refused because another process reads it.
#[test]
fn current_database_opens_while_another_process_reads_it() {
    let folder = TempDatabase::new();
    drop(folder.open().unwrap());
    let _owner = Owner::of(&folder);
    drop(folder.open().unwrap());
}
