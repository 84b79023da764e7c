//! The seats that this user's sessions hold, in `~/.aweave/seats`.
//!
//! Each seat is one file, readable only by its owner and replaced atomically, so that two commands
//! never see half a file. Files that are damaged or of another version are ignored. The folder is
//! bounded: seats of closed or unknown debates are removed after 30 days without use, and the seats
//! that were not used for the longest time if there are more than [`SEATS_MAX`].

mod choice;
mod process_tree;
mod record;
mod session;

pub(crate) use choice::{SeatChoice, SeatQuery};
pub(crate) use record::{KeptSeat, PendingRequest, SeatStatus, SeenArgument, server_key};
pub(crate) use session::Session;

use std::fs::{self, DirBuilder, OpenOptions, Permissions};
use std::io::{self, Read, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::{Duration, SystemTime};

use serde_json::Value;
use uuid::Uuid;

use crate::failure::Failure;
use crate::settings::{ProcessEnvironment, Token};

/// The most seats that are kept.
const SEATS_MAX: usize = 1000;

/// The time without use after which a seat of a closed or unknown debate is removed.
const KEPT_FOR: Duration = Duration::from_hours(30 * 24);

/// The most bytes of a file that are read.
const FILE_BYTES_MAX: u64 = 64 * 1024;

/// The folder with the kept seats.
pub(crate) struct SeatStore {
    folder: PathBuf,
}

impl SeatStore {
    /// The store of this user. Without a home folder it is empty, and nothing can be saved.
    pub(crate) fn new(environment: &ProcessEnvironment) -> Self {
        let home = environment.home.clone().unwrap_or_default();
        Self { folder: home.join(".aweave").join("seats") }
    }

    /// All readable seats. A missing folder has none.
    pub(crate) fn load(&self) -> Vec<KeptSeat> {
        self.files().into_iter().filter_map(|path| read_seat(&path)).collect()
    }

    /// Writes a seat in place of its previous file.
    pub(crate) fn save(&self, seat: &KeptSeat) -> Result<(), Failure> {
        self.create()?;
        let path = self.folder.join(seat.file_name());
        let text = format!("{:#}\n", seat.to_json());
        self.replace(&path, &text).map_err(|err| file_failure(&path, err))
    }

    /// Removes a seat. To remove it again changes nothing.
    pub(crate) fn remove(&self, seat: &KeptSeat) -> Result<(), Failure> {
        let path = self.folder.join(seat.file_name());
        match fs::remove_file(&path) {
            Err(err) if err.kind() != io::ErrorKind::NotFound => Err(file_failure(&path, err)),
            Ok(()) | Err(_) => Ok(()),
        }
    }

    /// Writes the invite of a debate to a file of its own, which its owner gives to the opponent.
    pub(crate) fn save_invite(&self, slug: &str, invite: &Token) -> Result<PathBuf, Failure> {
        self.create()?;
        let path = self.folder.join(format!("{slug}.invite"));
        let text = format!("{}\n", invite.secret());
        self.replace(&path, &text).map_err(|err| file_failure(&path, err))?;
        Ok(path)
    }

    /// Removes seats of closed and unknown debates, damaged files and invites that were not used
    /// for 30 days, and the oldest seats beyond [`SEATS_MAX`]. Failures are ignored: the next
    /// command tries again.
    pub(crate) fn clean_up(&self) {
        let now = now_ms();
        let oldest = now.saturating_sub(to_ms(KEPT_FOR));
        let mut seats = Vec::new();
        for path in self.files() {
            match read_seat(&path) {
                Some(seat) if seat.status != SeatStatus::Open && seat.used < oldest => {
                    let _ = fs::remove_file(&path);
                }
                Some(seat) => seats.push((seat.used, path)),
                None if modified_ms(&path).is_some_and(|modified| modified < oldest) => {
                    let _ = fs::remove_file(&path);
                }
                None => {}
            }
        }
        seats.sort_by_key(|(used, _)| *used);
        let excess = seats.len().saturating_sub(SEATS_MAX);
        for (_, path) in seats.into_iter().take(excess) {
            let _ = fs::remove_file(&path);
        }
    }

    /// The seats that are marked open and were not used for 30 days. Their debates may have ended.
    pub(crate) fn unused(&self) -> Vec<KeptSeat> {
        let oldest = now_ms().saturating_sub(to_ms(KEPT_FOR));
        let is_unused = |seat: &KeptSeat| seat.status == SeatStatus::Open && seat.used < oldest;
        self.load().into_iter().filter(is_unused).collect()
    }

    fn files(&self) -> Vec<PathBuf> {
        if self.folder.is_relative() {
            return Vec::new();
        }
        let entries = fs::read_dir(&self.folder).into_iter().flatten().flatten();
        entries.map(|entry| entry.path()).filter(|path| path.is_file()).collect()
    }

    /// Creates the folder, and closes it to other users if it was open.
    fn create(&self) -> Result<(), Failure> {
        if self.folder.is_relative() {
            return Err(Failure::input("the home folder is unknown", "set HOME"));
        }
        let failed = |err| file_failure(&self.folder, err);
        DirBuilder::new().recursive(true).mode(0o700).create(&self.folder).map_err(failed)?;
        let mode = fs::metadata(&self.folder).map_err(failed)?.permissions().mode();
        if mode & 0o077 != 0 {
            let private = Permissions::from_mode(0o700);
            fs::set_permissions(&self.folder, private).map_err(failed)?;
        }
        Ok(())
    }

    /// Writes a file under another name, syncs it, and moves it into place.
    fn replace(&self, path: &Path, text: &str) -> io::Result<()> {
        let draft = self.folder.join(format!(".{}.new", Uuid::now_v7().simple()));
        let write = || -> io::Result<()> {
            let mut options = OpenOptions::new();
            let mut file = options.write(true).create_new(true).mode(0o600).open(&draft)?;
            file.write_all(text.as_bytes())?;
            file.sync_all()?;
            fs::rename(&draft, path)
        };
        write().inspect_err(|_| {
            // The draft may not exist; the error of the write is the one to report.
            let _ = fs::remove_file(&draft);
        })
    }
}

fn read_seat(path: &Path) -> Option<KeptSeat> {
    let mut text = String::new();
    let file = fs::File::open(path).ok()?;
    file.take(FILE_BYTES_MAX).read_to_string(&mut text).ok()?;
    let value: Value = serde_json::from_str(&text).ok()?;
    KeptSeat::from_json(&value)
}

/// The milliseconds since 1970.
pub(crate) fn now_ms() -> u64 {
    let since = SystemTime::now().duration_since(SystemTime::UNIX_EPOCH);
    since.map_or(0, to_ms)
}

fn modified_ms(path: &Path) -> Option<u64> {
    let modified = fs::metadata(path).ok()?.modified().ok()?;
    modified.duration_since(SystemTime::UNIX_EPOCH).ok().map(to_ms)
}

fn to_ms(duration: Duration) -> u64 {
    u64::try_from(duration.as_millis()).unwrap_or(u64::MAX)
}

fn file_failure(path: &Path, cause: io::Error) -> Failure {
    Failure::File { path: path.to_owned(), cause }
}

#[cfg(test)]
mod tests;
