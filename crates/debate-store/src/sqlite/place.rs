//! Whether the database is still where it was opened.
//!
//! A file that is moved, replaced or deleted under a server can still be written to, and nobody
//! would find again what was acknowledged since. SQLite looks only when it opens a file.

use std::fs;
use std::io;
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use debate_app::{Cause, StoreError};

use super::open::{OpenError, at, beside};

/// The file and its log: by which names they were opened, and which files those were.
pub(super) struct Place {
    files: [(PathBuf, Identity); 2],
}

/// What a file is, whatever it is called: its device and its number there.
type Identity = (u64, u64);

impl Place {
    /// As it is now. The file must have been read, so that its log is there.
    pub(super) fn of(path: &Path) -> Result<Self, OpenError> {
        let known = |path: PathBuf| match identity(&path) {
            Ok(identity) => Ok((path, identity)),
            Err(err) => Err(at(&path)(err)),
        };
        Ok(Self { files: [known(path.to_owned())?, known(beside(path, "-wal"))?] })
    }

    /// Nothing, if by the same names there are the same files.
    pub(super) fn check(&self) -> Result<(), StoreError> {
        for (path, opened) in &self.files {
            let cause = match identity(path) {
                Ok(found) if found == *opened => continue,
                Ok(_) => format!("{} is another file now", path.display()),
                Err(err) => format!("{}: {err}", path.display()),
            };
            return Err(StoreError::Moved(Cause::new(cause)));
        }
        Ok(())
    }
}

fn identity(path: &Path) -> io::Result<Identity> {
    fs::metadata(path).map(|found| (found.dev(), found.ino()))
}
