//! Only regular files become databases.

use std::fs;
use std::os::unix::fs::{FileTypeExt, PermissionsExt, symlink};
use std::os::unix::net::UnixListener;
use std::path::Path;

use debate_store::{OpenError, Sqlite, SqliteOptions};
use rustix::fs::{CWD, FileType, Mode, mknodat};

use crate::engine::notifier;
use crate::sqlite::temp_database::{TempDatabase, mode};

fn refusal(path: &Path) -> String {
    let refusal = Sqlite::open(&SqliteOptions::at(path.to_owned()), notifier());
    let Err(refusal) = refusal else { panic!("{} was taken", path.display()) };
    assert!(matches!(refusal, OpenError::NotRegular { .. }), "{refusal}");
    refusal.to_string()
}

#[test]
fn device_is_refused_and_keeps_its_mode() {
    let before = mode(Path::new("/dev/null"));
    let words = refusal(Path::new("/dev/null"));
    assert!(words.contains("/dev/null is a device"), "{words}");
    assert_eq!(mode(Path::new("/dev/null")), before);
    assert!(!Path::new("/dev/null.lock").exists());
    assert!(fs::metadata("/dev/null").unwrap().file_type().is_char_device());
}

#[test]
fn link_to_a_device_is_refused() {
    let folder = TempDatabase::new();
    symlink("/dev/null", folder.path()).unwrap();
    refusal(&folder.path());
    assert!(!folder.beside(".lock").exists());
}

fn make_pipe(path: &Path) {
    mknodat(CWD, path, FileType::Fifo, Mode::from_raw_mode(0o644), 0).expect("the name is free");
}

fn make_socket(path: &Path) {
    drop(UnixListener::bind(path).expect("the name is free"));
}

fn make_directory(path: &Path) {
    fs::create_dir(path).expect("the name is free");
}

#[test]
fn pipe_socket_and_directory_are_refused_without_side_files() {
    for kind in ["a pipe", "a socket", "a folder"] {
        let folder = TempDatabase::new();
        match kind {
            "a pipe" => make_pipe(&folder.path()),
            "a socket" => make_socket(&folder.path()),
            _ => make_directory(&folder.path()),
        }
        let before = mode(&folder.path());
        let words = refusal(&folder.path());
        assert!(words.contains(kind), "{words}");
        assert_eq!(mode(&folder.path()), before, "{kind}");
        assert!(!folder.beside(".lock").exists(), "{kind}");
    }
}

#[test]
fn lock_file_that_is_a_link_is_not_followed() {
    let folder = TempDatabase::new();
    let target = folder.beside("-target");
    symlink(&target, folder.beside(".lock")).unwrap();
    let Err(refusal) = folder.open() else { panic!("the link was followed") };
    assert!(matches!(refusal, OpenError::File { .. }), "{refusal}");
    assert!(!target.exists());
}

#[test]
fn link_to_a_missing_file_creates_that_file() {
    let folder = TempDatabase::new();
    symlink("elsewhere/real.db", folder.path()).unwrap();
    drop(folder.open().unwrap());
    let real = folder.path().with_file_name("elsewhere").join("real.db");
    assert!(real.exists() && real.with_file_name("real.db.lock").exists());
    assert!(!folder.beside(".lock").exists());
}

#[test]
fn link_to_itself_is_refused() {
    let folder = TempDatabase::new();
    symlink(folder.path(), folder.path()).unwrap();
    let Err(refusal) = folder.open() else { panic!("there is no file") };
    assert!(matches!(refusal, OpenError::File { .. }), "{refusal}");
}

/// Only root can change the owner of a file, so other users skip the check.
#[test]
fn empty_file_of_another_user_is_refused_unchanged() {
    let folder = TempDatabase::new();
    fs::write(folder.path(), "").unwrap();
    fs::set_permissions(folder.path(), fs::Permissions::from_mode(0o644)).unwrap();
    if std::os::unix::fs::chown(folder.path(), Some(65_534), None).is_err() {
        return;
    }
    let words = refusal(&folder.path());
    assert!(words.contains("an empty file of another user"), "{words}");
    assert_eq!(mode(&folder.path()), 0o644);
    assert!(!folder.beside(".lock").exists());
}
