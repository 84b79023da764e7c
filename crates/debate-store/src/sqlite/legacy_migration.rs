//! The migration of an original server's database: a backup first, and events for the command that
//! opens the file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::backup::{Backup, BackupError};
use super::legacy::{LegacySummary, RowProblem};
use super::open::{file_error, sibling};
use super::open_error::OpenError;
use super::regular_file;

/// Number of characters of the digest in the name of the backup.
const DIGEST_CHARACTERS: usize = 12;

/// A step of the migration of an original database.
#[derive(Debug, Clone)]
pub enum LegacyMigrationEvent {
    /// Some rows were checked; nothing is written yet.
    Checked {
        /// Number of arguments that were checked.
        arguments: u64,
        /// Number of arguments in the file.
        total: u64,
    },
    /// A backup of the file was made, or was there from an interrupted attempt.
    BackedUp {
        /// The path of the backup.
        to: PathBuf,
    },
    /// Some rows were written. They are committed with the last one.
    Written {
        /// Number of arguments that were written.
        arguments: u64,
        /// Number of arguments in the file.
        total: u64,
    },
    /// The migration is committed.
    Finished(LegacyMigrationSummary),
}

/// The outcome of the migration of an original database.
#[derive(Debug, Clone)]
pub struct LegacyMigrationSummary {
    /// Number of migrated debates.
    pub debates: u64,
    /// Number of migrated arguments, including motions.
    pub arguments: u64,
    /// The backup of the original file. The server never removes it.
    pub backup: PathBuf,
    /// Values that are stored in another form.
    pub changes: Vec<RowProblem>,
    /// A file that lists all of `changes`; none if there are none.
    pub list: Option<PathBuf>,
}

/// A migration whose backup exists.
pub(super) struct LegacyMigration {
    summary: LegacyMigrationSummary,
}

impl LegacyMigration {
    /// Backs the file up beside itself. The name holds a digest of the debates, so that an attempt
    /// after a kill finds the backup of the attempt before.
    pub(super) fn back_up(
        path: &Path,
        summary: LegacySummary,
        report: &mut dyn FnMut(LegacyMigrationEvent),
    ) -> Result<Self, OpenError> {
        let LegacySummary { debates, arguments, digest, changes } = summary;
        let digest: String = digest.to_string().chars().take(DIGEST_CHARACTERS).collect();
        let backup = sibling(path, &format!(".original-{digest}"));
        if !backup.exists() {
            let made = Backup::create(path, &backup).and_then(Backup::finish);
            made.map_err(|err: BackupError| OpenError::NoBackup(Box::new(err)))?;
        }
        report(LegacyMigrationEvent::BackedUp { to: backup.clone() });
        let list = (!changes.is_empty()).then(|| sibling(&backup, ".changes.txt"));
        if let Some(list) = &list {
            write_list(list, &changes).map_err(file_error(list))?;
        }
        Ok(Self { summary: LegacyMigrationSummary { debates, arguments, backup, changes, list } })
    }

    pub(super) fn finish(self, report: &mut dyn FnMut(LegacyMigrationEvent)) {
        report(LegacyMigrationEvent::Finished(self.summary));
    }
}

fn write_list(path: &Path, changes: &[RowProblem]) -> io::Result<()> {
    let file = regular_file::open(path).map_err(io::Error::other)?;
    file.set_len(0)?;
    let mut out = io::BufWriter::new(file);
    for change in changes {
        writeln!(out, "{change}")?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

impl LegacyMigrationSummary {
    /// The size of the backup in bytes; 0 if it is gone.
    #[must_use]
    pub fn backup_bytes(&self) -> u64 {
        fs::metadata(&self.backup).map_or(0, |found| found.len())
    }
}
