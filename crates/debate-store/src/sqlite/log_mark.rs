//! A mark beside an open database file that identifies its write-ahead log.
//!
//! The log holds the newest acknowledged writes. SQLite opens a file whose log is missing without
//! an error, and replays a log that belongs to another file. The mark is written once the log
//! exists and removed at a clean stop, just before SQLite removes the log. After a kill it
//! identifies the log that must exist.

use std::fs::{self, File, Metadata};
use std::io::{self, Write};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};
use std::time::UNIX_EPOCH;

use super::open::{Consent, file_error, sibling, sync_parent};
use super::open_error::OpenError;
use super::regular_file;

const ENDING: &str = ".mark";

/// The first line of every mark.
const TITLE: &str = "aweave write-ahead log mark, version 1";

/// The mark of an open database. Dropping it removes the file.
pub(super) struct LogMark {
    path: PathBuf,
    text: String,
}

/// Refuses a file whose log is not the one that its killed server left.
pub(super) fn check(path: &Path, consent: Consent) -> Result<(), OpenError> {
    let marked = match fs::read_to_string(sibling(path, ENDING)) {
        Ok(text) => text,
        Err(err) if err.kind() == io::ErrorKind::NotFound => return Ok(()),
        Err(err) => return Err(file_error(&sibling(path, ENDING))(err)),
    };
    let log = sibling(path, "-wal");
    let problem = match (fs::symlink_metadata(path), fs::symlink_metadata(&log)) {
        (_, Err(err)) if err.kind() == io::ErrorKind::NotFound => {
            "is missing since the server was killed"
        }
        (_, Err(err)) => return Err(file_error(&log)(err)),
        (Err(err), Ok(_)) => return Err(file_error(path)(err)),
        (Ok(file), Ok(found)) if mark_text(&file, &found) == marked => return Ok(()),
        (Ok(_), Ok(_)) => "or the database file was replaced since the server was killed",
    };
    if consent.database_as_is {
        tracing::warn!(
            wal.path = %log.display(),
            wal.problem = problem,
            "unexpected write-ahead log accepted"
        );
        return Ok(());
    }
    Err(OpenError::LogChanged { log, problem })
}

/// Whether the file has a mark, which an unclean stop leaves.
pub(super) fn exists(path: &Path) -> bool {
    sibling(path, ENDING).exists()
}

/// The content of a mark: both files by inode and, where it is known, creation time, because an
/// inode is reused after its file is deleted. The device is left out because its number may change
/// when the machine restarts.
fn mark_text(file: &Metadata, log: &Metadata) -> String {
    let identity = |found: &Metadata| {
        let made = found.created().ok().and_then(|at| at.duration_since(UNIX_EPOCH).ok());
        let made = made.map_or_else(|| "unknown".to_owned(), |at| at.as_nanos().to_string());
        format!("{} made {made}", found.ino())
    };
    format!("{TITLE}\ndatabase {}\nlog {}\n", identity(file), identity(log))
}

impl LogMark {
    /// Writes the mark of a file that SQLite has open, so that its log exists.
    pub(super) fn write(database: &Path) -> Result<Self, OpenError> {
        let metadata = |path: &Path| fs::symlink_metadata(path).map_err(file_error(path));
        let text = mark_text(&metadata(database)?, &metadata(&sibling(database, "-wal"))?);
        let path = sibling(database, ENDING);
        let part = sibling(database, ".mark.part");
        let mut file = regular_file::open(&part)?;
        write_all(&mut file, &text).map_err(file_error(&part))?;
        fs::rename(&part, &path).map_err(file_error(&path))?;
        // From here on an error drops the mark, which removes the file: SQLite removes the log when
        // the connection closes, and a mark without its log would refuse the next start.
        let mark = Self { path, text };
        // Also makes the name of the log durable, which is in the same folder.
        sync_parent(&mark.path)?;
        Ok(mark)
    }
}

fn write_all(file: &mut File, text: &str) -> io::Result<()> {
    file.set_len(0)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()
}

impl Drop for LogMark {
    fn drop(&mut self) {
        // The database may have been replaced by another one with a mark of its own.
        if !fs::read_to_string(&self.path).is_ok_and(|text| text == self.text) {
            return;
        }
        let removed = fs::remove_file(&self.path).map_err(file_error(&self.path));
        // Durable before SQLite removes the log: otherwise a power failure could leave a mark of a
        // log that was removed.
        if let Err(err) = removed.and_then(|()| sync_parent(&self.path)) {
            tracing::warn!(error = %err, "removing the log mark failed");
        }
    }
}
