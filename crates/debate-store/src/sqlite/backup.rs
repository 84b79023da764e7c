//! A copy of a file that a server may be writing to. It has its name only when it is good.

use std::fs::{self, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{MetadataExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};

use rusqlite::backup::{self, StepResult};
use rusqlite::{Connection, OpenFlags};
use rustix::fs::OFlags;
use rustix::process::geteuid;

use super::migrate::{self, CURRENT_VERSION};
use super::{OpenError, Sqlite, SqliteArchive, open};

/// Why there is no backup.
#[derive(Debug, thiserror::Error)]
pub enum BackupError {
    /// There is something of this name.
    #[error("{} already exists and was not changed; choose another name", .0.display())]
    Exists(PathBuf),
    /// Another process is making one of this name.
    #[error("another process is writing a backup to {}; wait for it", .0.display())]
    UnderWay(PathBuf),
    /// The part file is not one that a backup of this user makes.
    #[error(
        "{} is a link or a file of another user, and was not changed; remove it, or choose another \
         name for the backup", .0.display()
    )]
    ForeignPart(PathBuf),
    /// What was copied is not sound, so neither is what it was copied from.
    #[error("the database is damaged, and the backup was discarded: {0}")]
    Damaged(String),
    /// SQLite could not read all of it at once.
    #[error("the database is locked by another program; try again")]
    Locked,
    /// The file system said no.
    #[error(transparent)]
    Open(#[from] OpenError),
    /// SQLite said no.
    #[error("SQLite cannot copy the database")]
    Sqlite(#[from] rusqlite::Error),
}

/// A backup that is whole and sound, and does not have its name yet. Dropped, it is removed.
pub struct Backup {
    part: PathBuf,
    to: PathBuf,
    layout: Option<i64>,
    /// Tells others that somebody is at it; held to the end.
    file: File,
}

impl Backup {
    /// Copies `from`, all of it as it is at one moment, and checks the copy.
    pub fn take(from: &Path, to: &Path) -> Result<Self, BackupError> {
        refuse_existing(to)?;
        let source = open::visitor(from)?;
        let layout = migrate::look(&source, from)?.version();
        let part = part_of(to)?;
        let file = begin(&part, to)?;
        let backup = Self { part, to: to.to_owned(), layout, file };
        copy_pages(&source, &backup.part)?;
        check(&backup.part)?;
        Ok(backup)
    }

    /// What was copied, to be folded; none when it has another layout than this build's.
    pub fn read(&self) -> Result<Option<SqliteArchive>, OpenError> {
        match self.layout {
            Some(CURRENT_VERSION) => Sqlite::read(&self.part).map(Some),
            Some(_) | None => Ok(None),
        }
    }

    /// Gives it its name, once all of it is on the disk. Tells its size.
    pub fn keep(self) -> Result<u64, BackupError> {
        self.remove_beside();
        self.file.sync_all().map_err(open::at(&self.part))?;
        refuse_existing(&self.to)?;
        if !is_named(&self.file, &self.part)? {
            return Err(BackupError::ForeignPart(self.part.clone()));
        }
        fs::rename(&self.part, &self.to).map_err(open::at(&self.to))?;
        let folder = folder_of(&self.to);
        File::open(folder).and_then(|folder| folder.sync_all()).map_err(open::at(folder))?;
        let file = self.file.metadata().map_err(open::at(&self.to))?;
        Ok(file.len())
    }

    /// What SQLite may have put beside it while it was checked.
    fn remove_beside(&self) {
        for ending in ["-wal", "-shm"] {
            // Mostly there is nothing to remove.
            let _ = fs::remove_file(open::beside(&self.part, ending));
        }
    }
}

impl Drop for Backup {
    fn drop(&mut self) {
        // After `keep` nothing is left of this name. Another file of this name is not ours.
        if is_named(&self.file, &self.part).is_ok_and(|is_ours| is_ours) {
            let _ = fs::remove_file(&self.part);
            self.remove_beside();
        }
    }
}

/// The part file of a backup, in a folder whose path has no links: SQLite is not to follow any.
fn part_of(to: &Path) -> Result<PathBuf, BackupError> {
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "it names no file");
    let name = to.file_name().ok_or_else(no_name).map_err(open::at(to))?;
    let folder = fs::canonicalize(folder_of(to)).map_err(open::at(to))?;
    Ok(open::beside(&folder.join(name), ".part"))
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

/// An empty, private file that nobody else is at; one that was given up is begun anew.
fn begin(part: &Path, to: &Path) -> Result<File, BackupError> {
    let file = open_part(part)?;
    match file.try_lock() {
        Ok(()) => {}
        Err(TryLockError::WouldBlock) => return Err(BackupError::UnderWay(to.to_owned())),
        Err(TryLockError::Error(source)) => return Err(open::at(part)(source).into()),
    }
    // Whoever was at it may have finished meanwhile: then this is the backup, by its old name.
    if !is_named(&file, part)? {
        return Err(BackupError::UnderWay(to.to_owned()));
    }
    file.set_permissions(Permissions::from_mode(0o600)).map_err(open::at(part))?;
    file.set_len(0).map_err(open::at(part))?;
    for ending in ["-wal", "-shm", "-journal"] {
        match fs::remove_file(open::beside(part, ending)) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => {
                return Err(open::at(part)(err).into());
            }
            Ok(()) | Err(_) => {}
        }
    }
    Ok(file)
}

/// Opens the part file, made when absent. Refuses a link, and every file that a backup of this user
/// does not make: the file is about to be overwritten.
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
        Err(err) => return Err(open::at(part)(err).into()),
    };
    let found = file.metadata().map_err(open::at(part))?;
    let is_own = found.uid() == geteuid().as_raw() && found.nlink() == 1;
    if found.is_file() && is_own {
        Ok(file)
    } else {
        Err(BackupError::ForeignPart(part.to_owned()))
    }
}

/// Whether `path` names this file itself, not a link to it.
fn is_named(file: &File, path: &Path) -> Result<bool, BackupError> {
    let ours = file.metadata().map_err(open::at(path))?;
    let named = fs::symlink_metadata(path);
    Ok(named.is_ok_and(|named| (named.dev(), named.ino()) == (ours.dev(), ours.ino())))
}

/// A link counts as existing, whatever it leads to.
fn refuse_existing(to: &Path) -> Result<(), BackupError> {
    match fs::symlink_metadata(to) {
        Ok(_) => Err(BackupError::Exists(to.to_owned())),
        Err(err) if err.kind() == io::ErrorKind::NotFound => Ok(()),
        Err(err) => Err(open::at(to)(err).into()),
    }
}

/// In a single step, which is one read transaction. With several, each commit of another process
/// between two of them would begin all of it anew.
fn copy_pages(source: &Connection, part: &Path) -> Result<(), BackupError> {
    let mut copy = plain(part)?;
    // It is not the file's name yet: whatever interrupts this, it is thrown away.
    copy.execute_batch("pragma journal_mode = off; pragma synchronous = off;")?;
    let step = backup::Backup::new(source, &mut copy)?.step(-1)?;
    // Anything else means that locks stood in the way.
    if matches!(step, StepResult::Done) { Ok(()) } else { Err(BackupError::Locked) }
}

fn check(part: &Path) -> Result<(), BackupError> {
    let conn = plain(part)?;
    let verdict: String = conn.query_row("pragma integrity_check(1)", [], |row| row.get(0))?;
    if verdict == "ok" { Ok(()) } else { Err(BackupError::Damaged(verdict)) }
}

fn plain(path: &Path) -> Result<Connection, BackupError> {
    let flags = OpenFlags::SQLITE_OPEN_READ_WRITE
        | OpenFlags::SQLITE_OPEN_NO_MUTEX
        | OpenFlags::SQLITE_OPEN_NOFOLLOW;
    Ok(Connection::open_with_flags(path, flags)?)
}
