//! The file of an earlier server is backed up before it is changed, and left alone while that
//! server still has it open.

use std::fs::{self, File};
use std::path::PathBuf;
use std::process::{Child, Command};

use debate_store::OpenError;
use rusqlite::Connection;

use super::fixture::{Layout, in_use, left_behind, story};
use crate::sqlite::temp_database::{Folder, asked, mode};
use crate::support::debate_id;

fn backups(folder: &Folder) -> Vec<PathBuf> {
    let path = folder.path();
    let beside = fs::read_dir(path.parent().expect("it is in a folder")).expect("it is there");
    let paths = beside.map(|entry| entry.expect("it can be listed").path());
    let is_backup = |path: &PathBuf| path.to_string_lossy().contains("debate.db.original-");
    paths.filter(is_backup).collect()
}

fn old_rows(path: &PathBuf) -> String {
    let conn = Connection::open(path).expect("it can be opened");
    asked(
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
        let folder = left_behind(layout, &story());
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
    let folder = left_behind(Layout::Prisma, &story());
    let again = Folder::new();
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
    let folder = left_behind(Layout::Prisma, &story());
    // A folder by the name of every possible backup would do; one that can't be renamed over does.
    let probe = left_behind(Layout::Prisma, &story());
    drop(probe.open().unwrap());
    let name = backups(&probe).pop().unwrap();
    let name = name.file_name().unwrap().to_string_lossy().into_owned();
    fs::create_dir(folder.path().with_file_name(format!("{name}.part"))).unwrap();
    let refusal = folder.refusal();
    assert!(matches!(refusal, OpenError::NoBackup(_)), "{refusal}");
}

#[test]
fn current_database_is_not_backed_up() {
    let folder = Folder::new();
    drop(folder.open().unwrap());
    crate::earlier_versions::file_back_to(&folder, 5);
    drop(folder.open().unwrap());
    assert!(backups(&folder).is_empty());
}

/// Another process with the file among its open files.
struct Owner(Child);

impl Owner {
    fn of(folder: &Folder) -> Self {
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
        let folder = left_behind(layout, &story());
        let owner = Owner::of(&folder);
        let refusal = folder.refusal();
        let words = refusal.to_string();
        assert!(words.contains(&format!("process {} (sleep)", owner.0.id())), "{words}");
        assert!(backups(&folder).is_empty());
        drop(owner);
        drop(folder.open().unwrap());
    }
}

/// Its newest rows are in its log, and some of them in nothing else.
#[tokio::test]
async fn file_of_a_killed_original_server_is_migrated_with_its_log() {
    let (folder, found) = (Folder::new(), Folder::new());
    let conn = in_use(&folder, Layout::Express, &story());
    for end in ["", "-wal"] {
        fs::copy(folder.beside(end), found.beside(end)).unwrap();
    }
    drop(conn);
    let before = old_rows(&folder.path());
    let on = found.engine();
    assert_eq!(on.log(debate_id(1)).await, story()[0].log(Layout::Express));
    drop(on);
    assert_eq!(old_rows(&backups(&found)[0]), before);
}

/// A reader of a database of ours is no reason to refuse it.
#[test]
fn current_database_opens_while_another_process_reads_it() {
    let folder = Folder::new();
    drop(folder.open().unwrap());
    let _owner = Owner::of(&folder);
    drop(folder.open().unwrap());
}
