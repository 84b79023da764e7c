//! `~/.aweave/run`: the record, the log and the lock of the background server.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Read, Seek, SeekFrom, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use serde_json::{Value, json};
use tokio::time::{Instant, sleep};

use super::process;
use crate::commands::Desk;
use crate::fault::Fault;

/// How long another start is waited for.
const LOCK_TIME: Duration = Duration::from_secs(30);
const LOOK_AGAIN: Duration = Duration::from_millis(20);

/// The most of the log that is looked at for the reason of a failed start.
const REASON_BYTES_MAX: u64 = 16 * 1024;

/// The folder, for the server on one port.
pub(super) struct Folder {
    path: PathBuf,
    port: u16,
}

/// A process that was started here.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) struct Record {
    pub(super) pid: u32,
    birth: String,
}

impl Record {
    pub(super) fn of(pid: u32) -> Self {
        Self { pid, birth: process::birth(pid).unwrap_or_default() }
    }
}

impl Folder {
    pub(super) fn of(desk: &Desk<'_>) -> Result<Self, Fault> {
        let home = desk.around.home.as_ref();
        let home = home.ok_or_else(|| Fault::input("the home folder is unknown", "set HOME"))?;
        let path = home.join(".aweave").join("run");
        Ok(Self { path, port: desk.settings.url.port })
    }

    fn make(&self) -> Result<(), Fault> {
        let made = DirBuilder::new().recursive(true).mode(0o700).create(&self.path);
        made.map_err(|err| file_fault(&self.path, err))
    }

    /// Held until it is dropped, or its holder dies.
    pub(super) async fn lock(&self) -> Result<File, Fault> {
        self.make()?;
        let path = self.path.join("lock");
        let file = private().open(&path).map_err(|err| file_fault(&path, err))?;
        let deadline = Instant::now() + LOCK_TIME;
        loop {
            match file.try_lock() {
                Ok(()) => return Ok(file),
                Err(TryLockError::WouldBlock) if Instant::now() < deadline => {}
                Err(TryLockError::WouldBlock) => {
                    let message = "another aw command is still starting or stopping it";
                    return Err(Fault::NoStart(message.to_owned()));
                }
                Err(TryLockError::Error(err)) => return Err(file_fault(&path, err)),
            }
            sleep(LOOK_AGAIN).await;
        }
    }

    fn record_path(&self) -> PathBuf {
        self.path.join(format!("server-{}.json", self.port))
    }

    pub(super) fn log_path(&self) -> PathBuf {
        self.path.join(format!("server-{}.log", self.port))
    }

    pub(super) fn open_log(&self) -> Result<File, Fault> {
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
        let mut said = Vec::new();
        log.take(REASON_BYTES_MAX).read_to_end(&mut said).ok()?;
        let said = String::from_utf8_lossy(&said).into_owned();
        let last = said.lines().rfind(|line| !line.trim().is_empty())?;
        Some(last.trim().trim_start_matches("aw: ").to_owned())
    }

    /// The process that was started here, if it still is that process.
    pub(super) fn living(&self) -> Option<Record> {
        let text = fs::read_to_string(self.record_path()).ok()?;
        let value: Value = serde_json::from_str(&text).ok()?;
        let pid = u32::try_from(value.get("pid")?.as_u64()?).ok()?;
        let birth = value.get("birth")?.as_str()?.to_owned();
        (process::birth(pid)? == birth).then_some(Record { pid, birth })
    }

    /// Written whole or not at all.
    pub(super) fn remember(&self, record: &Record) -> Result<(), Fault> {
        let path = self.record_path();
        let draft = path.with_extension("json.new");
        let value = json!({
            "pid": record.pid, "birth": record.birth, "port": self.port, "log": self.log_path(),
        });
        let written = || -> io::Result<()> {
            let mut file = private().truncate(true).open(&draft)?;
            writeln!(file, "{value:#}")?;
            file.sync_all()?;
            fs::rename(&draft, &path)
        };
        written().map_err(|err| file_fault(&path, err))
    }

    pub(super) fn forget(&self) -> Result<(), Fault> {
        let path = self.record_path();
        match fs::remove_file(&path) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => Err(file_fault(&path, err)),
            Ok(()) | Err(_) => Ok(()),
        }
    }
}

/// A file for its owner's eyes.
fn private() -> OpenOptions {
    let mut options = OpenOptions::new();
    options.create(true).write(true).mode(0o600);
    options
}

fn file_fault(path: &Path, cause: io::Error) -> Fault {
    Fault::File { path: path.to_owned(), cause }
}
