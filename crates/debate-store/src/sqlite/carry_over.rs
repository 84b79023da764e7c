//! Carrying over the database of an earlier server: a backup first, and a report to whoever opens
//! the file.

use std::fs;
use std::io::{self, Write};
use std::path::{Path, PathBuf};

use super::backup::{Backup, BackupError};
use super::legacy::{OddRow, Survey};
use super::open::{at, beside};
use super::open_error::OpenError;
use super::regular;

/// How many characters of the digest are in the backup's name.
const DIGEST_CHARACTERS: usize = 12;

/// A step of a carry-over.
#[derive(Debug, Clone)]
pub enum CarryOverEvent {
    /// Some rows were checked; nothing is written yet.
    Checked {
        /// Number of arguments that were checked.
        arguments: u64,
        /// Number of arguments in the file.
        total: u64,
    },
    /// A backup of the file was made, or was there from an interrupted attempt.
    BackedUp {
        /// The backup.
        to: PathBuf,
    },
    /// Some rows were written. They last only once all of them are.
    Written {
        /// Number of arguments that were written.
        arguments: u64,
        /// Number of arguments in the file.
        total: u64,
    },
    /// The carry-over is complete.
    Finished(CarryOverSummary),
}

/// The outcome of a carry-over.
#[derive(Debug, Clone)]
pub struct CarryOverSummary {
    /// Number of debates.
    pub debates: u64,
    /// Number of arguments, motions among them.
    pub arguments: u64,
    /// The file as it was before. It is never removed.
    pub backup: PathBuf,
    /// Values that are stored in another form.
    pub changes: Vec<OddRow>,
    /// A file that lists all of `changes`; none if there are none.
    pub list: Option<PathBuf>,
}

/// A carry-over whose backup is made.
pub(super) struct CarryOver {
    summary: CarryOverSummary,
}

impl CarryOver {
    /// Backs the file up beside itself. The name holds a digest of the debates, so that an attempt
    /// after a kill finds the backup of the attempt before.
    pub(super) fn back_up(
        path: &Path,
        survey: Survey,
        report: &mut dyn FnMut(CarryOverEvent),
    ) -> Result<Self, OpenError> {
        let Survey { debates, arguments, digest, changes } = survey;
        let digest: String = digest.to_string().chars().take(DIGEST_CHARACTERS).collect();
        let backup = beside(path, &format!(".original-{digest}"));
        if !backup.exists() {
            let made = Backup::take(path, &backup).and_then(Backup::keep);
            made.map_err(|err: BackupError| OpenError::NoBackup(Box::new(err)))?;
        }
        report(CarryOverEvent::BackedUp { to: backup.clone() });
        let list = (!changes.is_empty()).then(|| beside(&backup, ".changes.txt"));
        if let Some(list) = &list {
            write_list(list, &changes).map_err(at(list))?;
        }
        Ok(Self { summary: CarryOverSummary { debates, arguments, backup, changes, list } })
    }

    pub(super) fn finish(self, report: &mut dyn FnMut(CarryOverEvent)) {
        report(CarryOverEvent::Finished(self.summary));
    }
}

fn write_list(path: &Path, changes: &[OddRow]) -> io::Result<()> {
    let file = regular::open(path).map_err(io::Error::other)?;
    file.set_len(0)?;
    let mut out = io::BufWriter::new(file);
    for change in changes {
        writeln!(out, "{change}")?;
    }
    out.into_inner().map_err(io::IntoInnerError::into_error)?.sync_all()
}

impl CarryOverSummary {
    /// The size of the backup in bytes; 0 if it is gone.
    #[must_use]
    pub fn backup_bytes(&self) -> u64 {
        fs::metadata(&self.backup).map_or(0, |found| found.len())
    }
}
