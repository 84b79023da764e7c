//! The folder `~/.aweave/run` with the record, the log and the lock of background servers.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::process;
use super::start_settings::Digests;
use crate::commands::CommandContext;
use crate::failure::Failure;
use crate::settings::ProcessEnvironment;

/// How long to wait for the lock while another command starts or stops a server.
const LOCK_TIMEOUT: Duration = Duration::from_secs(30);
const LOCK_POLL_INTERVAL: Duration = Duration::from_millis(20);

/// The most bytes at the end of the log that are searched for its last line.
const LOG_TAIL_BYTES_MAX: u64 = 16 * 1024;

/// The folder with the files of background servers. The folder and its lock are shared by the
/// servers of all ports; the record and the log belong to the server on `port`.
pub(super) struct RunDir {
    path: PathBuf,
    port: u16,
}

/// A server process that `aw` started.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct ProcessRecord {
    pub(super) pid: u32,
    start_time: String,
    /// The settings of the server; none if an earlier version of `aw` wrote the record.
    pub(super) settings: Option<Digests>,
}

impl ProcessRecord {
    /// The record of a process that has just been started. If it has already ended, its start time
    /// is unknown and recorded as empty, which no running process matches.
    pub(super) fn new(pid: u32, settings: Digests) -> Self {
        let start_time = process::start_time(pid).unwrap_or_default();
        Self { pid, start_time, settings: Some(settings) }
    }
}

impl RunDir {
    pub(super) fn new(context: &CommandContext<'_>) -> Result<Self, Failure> {
        Self::at(context.environment, context.settings.url.port)
    }

    /// The folder for the server on `port`.
    pub(super) fn at(environment: &ProcessEnvironment, port: u16) -> Result<Self, Failure> {
        let home = environment.home.as_ref();
        let home = home.ok_or_else(|| Failure::input("the home folder is unknown", "set HOME"))?;
        Ok(Self { path: home.join(".aweave").join("run"), port })
    }

    pub(super) fn path(&self) -> &Path {
        &self.path
    }

    /// The record of the server's address, which the server itself writes.
    pub(super) fn address_path(&self) -> PathBuf {
        self.path.join(format!("listening-{}.json", self.port))
    }

    fn create(&self) -> Result<(), Failure> {
        let created = DirBuilder::new().recursive(true).mode(0o700).create(&self.path);
        created.map_err(|err| file_failure(&self.path, err))
    }

    /// Locks the folder until the file is dropped or the process ends.
    pub(super) async fn lock(&self) -> Result<File, Failure> {
        self.create()?;
        let path = self.path.join("lock");
        let file = private_file_options().open(&path).map_err(|err| file_failure(&path, err))?;
        let deadline = Instant::now() + LOCK_TIMEOUT;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {}
                Err(TryLockError::WouldBlock) => {
                    let message = "another aw command is still starting or stopping a server";
                    return Err(Failure::ServerNotStarted(message.to_owned()));
                }
                Err(TryLockError::Error(err)) => return Err(file_failure(&path, err)),
            }
            sleep(LOCK_POLL_INTERVAL).await;
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
        private_file_options().append(true).open(&path).map_err(|err| file_failure(&path, err))
    }

    pub(super) fn log_length(&self) -> u64 {
        fs::metadata(self.log_path()).map(|metadata| metadata.len()).unwrap_or_default()
    }

    /// The last line of the log after its first `offset` bytes that is not blank.
    pub(super) fn last_log_line(&self, offset: u64) -> Option<String> {
        last_line(File::open(self.log_path()).ok()?, offset)
    }

    /// The recorded process, if it still runs. A process id can be reused, so its start
    /// time must also match.
    pub(super) fn running_process(&self) -> Option<ProcessRecord> {
        let text = fs::read_to_string(self.record_path()).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let pid = u32::try_from(value.get("pid")?.as_u64()?).ok()?;
        // The file calls the start time `birth`, so that other versions of `aw` can read it.
        let start_time = value.get("birth")?.as_str()?.to_owned();
        let settings = value.get("settings").cloned();
        let settings = settings.and_then(|settings| serde_json::from_value(settings).ok());
        let is_alive = process::start_time(pid)? == start_time;
        is_alive.then_some(ProcessRecord { pid, start_time, settings })
    }

    pub(super) fn write_record(&self, record: &ProcessRecord) -> Result<(), Failure> {
        let value = json!({
            "pid": record.pid, "birth": record.start_time, "port": self.port,
            "log": self.log_path(), "settings": record.settings,
        });
        self.write_private(&self.record_path(), &value)
    }

    /// Writes a file of the folder atomically, readable only by its owner.
    pub(super) fn write_private(&self, path: &Path, value: &Value) -> Result<(), Failure> {
        self.create()?;
        let temp_path = path.with_extension("json.new");
        let write = || -> io::Result<()> {
            let mut file = private_file_options().truncate(true).open(&temp_path)?;
            writeln!(file, "{value:#}")?;
            file.sync_all()?;
            fs::rename(&temp_path, path)
        };
        write().map_err(|err| file_failure(path, err))
    }

    pub(super) fn remove_record(&self) -> Result<(), Failure> {
        let path = self.record_path();
        match fs::remove_file(&path) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => Err(file_failure(&path, err)),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// The last line after the first `offset` bytes that is not blank, without the prefix `aw: `. A
/// line longer than [`LOG_TAIL_BYTES_MAX`] lacks its beginning.
fn last_line(mut log: impl Read + Seek, offset: u64) -> Option<String> {
    let tail = log.seek(SeekFrom::End(0)).ok()?.saturating_sub(LOG_TAIL_BYTES_MAX);
    log.seek(SeekFrom::Start(tail.max(offset))).ok()?;
    let mut text = Vec::new();
    log.take(LOG_TAIL_BYTES_MAX).read_to_end(&mut text).ok()?;
    let text = String::from_utf8_lossy(&text);
    let last = text.lines().rfind(|line| !line.trim().is_empty())?;
    Some(last.trim().trim_start_matches("aw: ").to_owned())
}

/// The seconds since 1970.
pub(super) fn unix_seconds() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, |since| since.as_secs())
}

/// Options for a file that only its owner can read.
fn private_file_options() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).write(true).mode(0o600);
    options
}

fn file_failure(path: &Path, cause: io::Error) -> Failure {
    Failure::File { path: path.to_owned(), cause }
}

#[cfg(test)]
mod tests {
    use std::io::Cursor;

    use super::{LOG_TAIL_BYTES_MAX, last_line};

    #[test]
    fn last_line_is_found_in_a_log_of_any_length() {
        let long = "a line\n".repeat(usize::try_from(LOG_TAIL_BYTES_MAX).expect("it fits"));
        for before in ["", "starting\n", &long] {
            let log = format!("{before}aw: the port is in use\n \n");
            let found = last_line(Cursor::new(log), 0);
            assert_eq!(found.as_deref(), Some("the port is in use"));
        }
    }

    #[test]
    fn last_line_ignores_the_log_before_the_offset() {
        let log = "aw: an earlier failure\n";
        assert_eq!(last_line(Cursor::new(log), 23), None);
        assert_eq!(last_line(Cursor::new(log), 100), None);
        let log = format!("{log}aw: a new failure\n");
        assert_eq!(last_line(Cursor::new(log), 23).as_deref(), Some("a new failure"));
    }
}
