//! Limits on the disk space of the database: the length of its write-ahead log, and the free space
//! of its file system.
//!
//! The log grows as long as another program holds a read transaction, because no checkpoint can
//! pass the snapshot of a reader. Writes stop before the log fills the disk, while there is still
//! space to truncate it and to shut down cleanly.

use std::path::{Path, PathBuf};

use debate_app::{Cause, StoreError};

use super::SqliteOptions;

pub(super) struct Capacity {
    /// A folder of the file system that holds the database.
    folder: PathBuf,
    wal_warn_bytes: u64,
    wal_bytes_max: u64,
    free_bytes_min: u64,
    /// Whether the current excess of `wal_warn_bytes` was logged.
    has_warned: bool,
}

impl Capacity {
    pub(super) fn new(database: &Path, options: &SqliteOptions) -> Self {
        Self {
            folder: database.parent().unwrap_or(Path::new("/")).to_owned(),
            wal_warn_bytes: options.wal_warn_bytes,
            wal_bytes_max: options.wal_bytes_max,
            free_bytes_min: options.free_bytes_min,
            has_warned: false,
        }
    }

    /// Logs one warning each time the log grows past `wal_warn_bytes`. Returns whether it did.
    pub(super) fn warn_of_long_wal(&mut self, wal_bytes: u64) -> bool {
        let is_long = wal_bytes >= self.wal_warn_bytes;
        let is_new = is_long && !self.has_warned;
        if is_new {
            tracing::warn!(
                wal.bytes = wal_bytes,
                wal.bytes_max = self.wal_bytes_max,
                "write-ahead log is large; another program may hold a read transaction"
            );
        }
        self.has_warned = is_long;
        is_new
    }

    /// Fails when the log has reached its limit.
    pub(super) fn check_wal(&self, wal_bytes: u64) -> Result<(), StoreError> {
        if wal_bytes < self.wal_bytes_max {
            return Ok(());
        }
        let (found, most) = (wal_bytes, self.wal_bytes_max);
        let cause = format!("the log has {found} bytes, the limit is {most}");
        Err(StoreError::WalFull(Cause::new(cause)))
    }

    /// Fails when the file system has less free space than the limit.
    pub(super) fn check_free_space(&self) -> Result<(), StoreError> {
        if self.free_bytes_min == 0 {
            return Ok(());
        }
        // If the system call fails, the write itself fails when the disk is full.
        let Ok(found) = rustix::fs::statvfs(&self.folder) else { return Ok(()) };
        let free = found.f_bavail.saturating_mul(found.f_frsize);
        if free >= self.free_bytes_min {
            return Ok(());
        }
        let least = self.free_bytes_min;
        let cause = format!("{free} bytes are free, the limit of DEBATE_MIN_FREE_MB is {least}");
        Err(StoreError::Full(Cause::new(cause)))
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn capacity(wal_warn_bytes: u64, wal_bytes_max: u64) -> Capacity {
        let options = SqliteOptions::at(PathBuf::from("/tmp/debate.db"));
        let options = SqliteOptions { wal_warn_bytes, wal_bytes_max, ..options };
        Capacity::new(&options.path, &options)
    }

    #[test]
    fn default_limits_are_256_mb_and_1_gb_of_log_and_64_mb_of_free_space() {
        let options = SqliteOptions::at(PathBuf::from("/tmp/debate.db"));
        let limits = [options.wal_warn_bytes, options.wal_bytes_max, options.free_bytes_min];
        assert_eq!(limits, [256 * 1024 * 1024, 1024 * 1024 * 1024, 64 * 1024 * 1024]);
    }

    #[test]
    fn long_wal_is_logged_once_until_it_is_short_again() {
        let mut capacity = capacity(100, 1000);
        let lengths = [99, 100, 101, 500, 99, 0, 100, 100];
        let warned = lengths.map(|bytes| capacity.warn_of_long_wal(bytes));
        assert_eq!(warned, [false, true, false, false, false, false, true, false]);
    }

    #[test]
    fn wal_at_its_limit_is_refused() {
        let capacity = capacity(100, 1000);
        assert!(capacity.check_wal(999).is_ok());
        let refused = capacity.check_wal(1000);
        assert!(matches!(refused, Err(StoreError::WalFull(_))), "{refused:?}");
    }

    #[test]
    fn free_space_is_not_checked_with_a_limit_of_zero() {
        let mut capacity = capacity(100, 1000);
        capacity.free_bytes_min = u64::MAX;
        let refused = capacity.check_free_space();
        assert!(matches!(refused, Err(StoreError::Full(_))), "{refused:?}");
        capacity.free_bytes_min = 0;
        assert!(capacity.check_free_space().is_ok());
    }
}
