//! A log file of bounded size, and one earlier copy.

use std::fs::{self, File};
use std::io::{self, Write};
use std::os::unix::fs::OpenOptionsExt;
use std::path::PathBuf;

use anyhow::Context;

/// The size at which the file is copied and emptied.
const BYTES_MAX: u64 = 4 * 1024 * 1024;

pub(crate) struct LogFile {
    path: PathBuf,
    file: File,
    length: u64,
}

impl LogFile {
    /// Opens the file for appending, readable only by its owner.
    pub(crate) fn open(path: PathBuf) -> anyhow::Result<Self> {
        let file = File::options().create(true).append(true).mode(0o600).open(&path);
        let failed = || format!("AW_LOG_FILE={}: cannot open the log file", path.display());
        let file = file.with_context(failed)?;
        let length = file.metadata()?.len();
        Ok(Self { path, file, length })
    }

    /// Copies and empties the file. It is not renamed, because standard error of the process may
    /// be the same file.
    fn rotate(&mut self) -> io::Result<()> {
        let mut copy = self.path.clone().into_os_string();
        copy.push(".1");
        fs::copy(&self.path, copy)?;
        self.file.set_len(0)?;
        self.length = 0;
        Ok(())
    }
}

impl Write for LogFile {
    fn write(&mut self, bytes: &[u8]) -> io::Result<usize> {
        if self.length >= BYTES_MAX {
            self.rotate()?;
        }
        let count = self.file.write(bytes)?;
        self.length = self.length.saturating_add(u64::try_from(count).unwrap_or(u64::MAX));
        Ok(count)
    }

    fn flush(&mut self) -> io::Result<()> {
        self.file.flush()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn log_file_stays_within_its_bound_and_keeps_the_end() {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let path = folder.path().join("log");
        let mut log = LogFile::open(path.clone()).expect("the folder is ours");
        let line = [b'x'; 1023];
        for number in 0..9000_u16 {
            log.write_all(&line).expect("there is room");
            log.write_all(b"\n").expect("there is room");
            assert!(log.length <= BYTES_MAX + 1024, "line {number}");
        }
        let lengths = ["log", "log.1"]
            .map(|name| fs::metadata(folder.path().join(name)).expect("both are there").len());
        assert!(lengths.iter().all(|length| *length <= BYTES_MAX + 1024), "{lengths:?}");
        assert_eq!(lengths.iter().sum::<u64>() % 1024, 0, "no line is torn");
    }
}
