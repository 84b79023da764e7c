//! Backups of a file that a server may write to. A backup gets its name only after it was checked.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rusqlite::backup::{self, StepResult};
use rusqlite::{Connection, OpenFlags};
use rustix::fs::OFlags;
use rustix::process::geteuid;

use super::migrate::{self, CURRENT_VERSION};
use super::{OpenError, Sqlite, open};
use crate::archive::Archive;

/// The reason why no backup was made.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// A file with the name of the backup exists.
    #[error("{} already exists and was not changed; choose another name", .0.display())]
    Exists(PathBuf),
    /// Another process writes a backup of this name.
    #[error("another process is writing a backup to {}; wait for it", .0.display())]
    UnderWay(PathBuf),
    /// The part file is a link or a file of another user.
    #[error(
        "{} is a link or a file of another user, and was not changed; remove it, or choose another \
         name for the backup", .0.display()
    )]
    ForeignPart(PathBuf),
    /// The integrity check of the copied file failed, so that the source is damaged too.
    #[error("the database is damaged, and the backup was discarded: {0}")]
    Damaged(String),
    /// SQLite could not read the source in one step.
    #[error("the database is locked by another program; try again")]
    Locked,
    /// A file could not be opened or written.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// SQLite failed to copy the pages.
    #[error("SQLite cannot copy the database")]
    Sqlite(#[from] rusqlite::Error),
}

/// A complete and checked backup that does not have its final name yet. Dropping
/// it removes the file.
pub struct Backup {
    part: PathBuf,
    to: PathBuf,
    layout: Option<i64>,
    /// The part file, locked: other processes see that a backup is in progress.
    file: File,
}

impl Backup {
    /// Copies one snapshot of `from` and checks the integrity of the copy.
    pub fn create(from: &Path, to: &Path) -> Result<Self, BackupError> {
        refuse_existing(to)?;
        let source = open::transient_reader(from)?;
        let layout = migrate::detect_schema(&source, from)?.version();
        let part = part_path(to)?;
        let file = create_part(&part, to)?;
        let backup = Self { part, to: to.to_owned(), layout, file };
        copy_pages(&source, &backup.part)?;
        check(&backup.part)?;
        Ok(backup)
    }

    /// The backup as an archive; none if its schema version is not the current one.
    pub fn archive(&self) -> Result<Option<Archive>, OpenError> {
        match self.layout {
            Some(CURRENT_VERSION) => Sqlite::source(&self.part).map(Some),
            Some(_) | None => Ok(None),
        }
    }

    /// Syncs the backup and renames it to its final name. Returns its size in bytes.
    pub fn finish(self) -> Result<u64, BackupError> {
        self.remove_wal();
        self.file.sync_all().map_err(open::file_error(&self.part))?;
        refuse_existing(&self.to)?;
        if !is_file_at(&self.file, &self.part)? {
            return Err(BackupError::ForeignPart(self.part.clone()));
        }
        fs::rename(&self.part, &self.to).map_err(open::file_error(&self.to))?;
        open::sync_parent(&self.to)?;
        let file = self.file.metadata().map_err(open::file_error(&self.to))?;
        Ok(file.len())
    }

    /// Removes the files that SQLite created beside the backup during the check.
    fn remove_wal(&self) {
        for ending in ["-wal", "-shm"] {
            // Usually the file does not exist.
            let _ = fs::remove_file(open::sibling(&self.part, ending));
        }
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        // After `finish` the part file does not exist. Another file of that name is not removed.
        if is_file_at(&self.file, &self.part).is_ok_and(|is_ours| is_ours) {
            let _ = fs::remove_file(&self.part);
            self.remove_wal();
        }
    }
}

/// The path of the part file, without links, because SQLite must not follow any.
fn part_path(to: &Path) -> Result<PathBuf, BackupError> {
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "it names no file");
    let name = to.file_name().ok_or_else(no_name).map_err(open::file_error(to))?;
    let folder = fs::canonicalize(open::parent(to)).map_err(open::file_error(to))?;
    Ok(open::sibling(&folder.join(name), ".part"))
}

/// Creates and locks an empty, private part file. The file of an abandoned backup is overwritten.
fn create_part(part: &Path, to: &Path) -> Result<File, BackupError> {
    let file = open_part(part)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(BackupError::UnderWay(to.to_owned())),
        Err(TryLockError::Error(source)) => return Err(open::file_error(part)(source).into()),
    }
    // The other process may have finished meanwhile: then the open file is its backup.
    if !is_file_at(&file, part)? {
        return Err(BackupError::UnderWay(to.to_owned()));
    }
    file.set_permissions(Permissions::from_mode(0o600)).map_err(open::file_error(part))?;
    file.set_len(0).map_err(open::file_error(part))?;
    for ending in ["-wal", "-shm", "-journal"] {
        match fs::remove_file(open::sibling(part, ending)) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => {
                return Err(open::file_error(part)(err).into());
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(file)
}

/// Opens the part file; creates it if it does not exist. Refuses a link, and a file that is not a
/// regular file of this user with one name, because the file will be overwritten.
fn open_part(part: &Path) -> Result<File, BackupError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    // Without following a link, and without waiting for the other end of a pipe.
    options.custom_flags((OFlags::NOFOLLOW | OFlags::NONBLOCK).bits().cast_signed());
    let file = match options.open(part) {
        Ok(file) => file,
        Err(_) if fs::symlink_metadata(part).is_ok_and(|found| !found.is_file()) => {
            return Err(BackupError::ForeignPart(part.to_owned()));
        }
        Err(err) => return Err(open::file_error(part)(err).into()),
    };
    let found = file.metadata().map_err(open::file_error(part))?;
    let is_own = found.uid() == geteuid().as_raw() && found.nlink() == 1;
    if found.is_file() && is_own {
        Ok(file)
    } else {
        Err(BackupError::ForeignPart(part.to_owned()))
    }
}

/// Whether `path` names this file itself and not a link to it.
fn is_file_at(file: &File, path: &Path) -> Result<bool, BackupError> {
    let ours = file.metadata().map_err(open::file_error(path))?;
    let named = fs::symlink_metadata(path);
    Ok(named.is_ok_and(|named| (named.dev(), named.ino()) == (ours.dev(), ours.ino())))
}

/// A link counts as existing, whether its target exists or not.
fn refuse_existing(to: &Path) -> Result<(), BackupError> {
    match fs::symlink_metadata(to) {
        Ok(_) => Err(BackupError::Exists(to.to_owned())),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(err) => Err(open::file_error(to)(err).into()),
    }
}

/// Copies all pages in a single step, which is one read transaction. With several steps, each
/// commit of another process between two of them would restart the copy.
fn copy_pages(source: &Connection, part: &Path) -> Result<(), BackupError> {
    let mut copy = connect(part)?;
    // Durability is not needed: an interrupted part file is discarded.
    copy.execute_batch("pragma journal_mode = off; pragma synchronous = off;")?;
    let step = backup::Backup::new(source, &mut copy)?.step(-1)?;
    // Any other result means that the source is locked.
    if matches!(step, StepResult::Done) { Ok(()) } else { Err(BackupError::Locked) }
}

fn check(part: &Path) -> Result<(), BackupError> {
    let conn = connect(part)?;
    let result: String = conn.query_row("pragma integrity_check(1)", [], |row| row.get(0))?;
    if result == "ok" { Ok(()) } else { Err(BackupError::Damaged(result)) }
}

fn connect(path: &Path) -> Result<Connection, BackupError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Ok(Connection::open_with_flags(path, flags)?)
}
