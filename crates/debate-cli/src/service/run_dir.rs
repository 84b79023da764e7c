//! `~/.aweave/run`: the record, the log and the lock of the background server.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::process;
use crate::commands::CommandContext;
use crate::failure::Failure;

/// The time limit for another command that starts or stops a server.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
const CHECK_INTERVAL: Duration = Duration::from_millis(20);

/// The most bytes of the log that are searched for the reason of a failed start.
const REASON_BYTES_MAX: u64 = 16 * 1024;

/// The folder with the files of the server on one port.
pub(super) struct RunDir {
    path: PathBuf,
    port: u16,
}

/// A server process that `aw` started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessRecord {
    pub(super) pid: u32,
    start_time: String,
}

impl ProcessRecord {
    pub(super) fn new(pid: u32) -> Self {
        Self { pid, start_time: process::start_time(pid).unwrap_or_default() }
    }
}

impl RunDir {
    pub(super) fn new(context: &CommandContext<'_>) -> Result<Self, Failure> {
        let home = context.around.home.as_ref();
        let home = home.ok_or_else(|| Failure::input("the home folder is unknown", "set HOME"))?;
        let path = home.join(".aweave").join("run");
        Ok(Self { path, port: context.settings.url.port })
    }

    fn create(&self) -> Result<(), Failure> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.path);
        made.map_err(|err| file_fault(&self.path, err))
    }

    /// Locks the folder until the file is dropped or the process ends.
    pub(super) async fn lock(&self) -> Result<File, Failure> {
        self.create()?;
        let path = self.path.join("lock");
        let file = private().open(&path).map_err(|err| file_fault(&path, err))?;
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {}
                Err(TryLockError::WouldBlock) => {
                    let message = "another aw command is still starting or stopping it";
                    return Err(Failure::ServerNotStarted(message.to_owned()));
                }
                Err(TryLockError::Error(err)) => return Err(file_fault(&path, err)),
            }
            sleep(CHECK_INTERVAL).await;
        }
    }

    fn record_path(&self) -> PathBuf {
        self.path.join(format!("server-{}.json", self.port))
    }

    pub(super) fn log_path(&self) -> PathBuf {
        self.path.join(format!("server-{}.log", self.port))
    }

    pub(super) fn open_log(&self) -> Result<File, Failure> {
        let path = self.log_path();
        private().append(true).open(&path).map_err(|err| file_fault(&path, err))
    }

    pub(super) fn log_length(&self) -> u64 {
        fs::metadata(self.log_path()).map(|about| about.len()).unwrap_or_default()
    }

    /// The last line that was logged after `from`.
    pub(super) fn log_end(&self, from: u64) -> Option<String> {
        let mut log = File::open(self.log_path()).ok()?;
        log.seek(SeekFrom::Start(from)).ok()?;
        let mut text = Vec::new();
        log.take(REASON_BYTES_MAX).read_to_end(&mut text).ok()?;
        let text = String::from_utf8_lossy(&text).into_owned();
        let last = text.lines().rfind(|line| !line.trim().is_empty())?;
        Some(last.trim().trim_start_matches("aw: ").to_owned())
    }

    /// The recorded process, if it still runs. A process id can be reused, so its start
    /// time must also match.
    pub(super) fn running_process(&self) -> Option<ProcessRecord> {
        let text = fs::read_to_string(self.record_path()).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let pid = u32::try_from(value.get("pid")?.as_u64()?).ok()?;
        let start_time = value.get("birth")?.as_str()?.to_owned();
        (process::start_time(pid)? == start_time).then_some(ProcessRecord { pid, start_time })
    }

    /// Writes the record atomically.
    pub(super) fn write_record(&self, record: &ProcessRecord) -> Result<(), Failure> {
        let path = self.record_path();
        let new = path.with_extension("json.new");
        let value = json!({
            "pid": record.pid, "birth": record.start_time,
            "port": self.port, "log": self.log_path(),
        });
        let write = || -> io::Result<()> {
            let mut file = private().truncate(true).open(&new)?;
            writeln!(file, "{value:#}")?;
            file.sync_all()?;
            fs::rename(&new, &path)
        };
        write().map_err(|err| file_fault(&path, err))
    }

    pub(super) fn remove_record(&self) -> Result<(), Failure> {
        let path = self.record_path();
        match fs::remove_file(&path) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => Err(file_fault(&path, err)),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// Options for a file that only its owner can read.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).write(true).mode(0o600);
    options
}

fn file_fault(path: &Path, cause: io::Error) -> Failure {
    Failure::File { path: path.to_owned(), cause }
}
