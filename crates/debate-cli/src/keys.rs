//! An agent's key: from the file that a flag names, from the environment, or from the file that
//! registration wrote. Never from the command line, where every process of the machine reads it.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use debate_core::forum::AgentKey;
use uuid::Uuid;

use crate::address::ServerUrl;
use crate::fault::Fault;
use crate::settings::{Surroundings, Token, read_private};

/// The variable that may hold a key.
const VARIABLE: &str = "AW_AGENT_KEY";

/// Where the caller's key is.
pub(crate) enum Keeper {
    /// The file that `--key-file` names.
    Named(PathBuf),
    /// The environment.
    Variable(Token),
    /// The usual file, one for each server: a key is not shown to any but its own.
    Usual(PathBuf),
}

impl Keeper {
    pub(crate) fn find(
        named: Option<&Path>,
        url: &ServerUrl,
        around: &Surroundings,
    ) -> Result<Self, Fault> {
        if let Some(path) = named {
            return Ok(Self::Named(path.to_owned()));
        }
        if let Some(text) = around.text(VARIABLE)? {
            return key_of(&text, VARIABLE).map(Self::Variable);
        }
        let home = around.home.as_ref();
        let home = home.ok_or_else(|| Fault::input("the home folder is unknown", "set HOME"))?;
        Ok(Self::Usual(home.join(".aweave").join("keys").join(file_name(url))))
    }

    /// The key; none where nobody said that there is one.
    pub(crate) fn key(&self) -> Result<Option<Token>, Fault> {
        let path = match self {
            Self::Named(path) => path,
            Self::Variable(key) => return Ok(Some(key.clone())),
            Self::Usual(path) if is_missing(path) => return Ok(None),
            Self::Usual(path) => path,
        };
        if is_missing(path) {
            let message = format!("key file {} not found", path.display());
            return Err(Fault::input(message, "check the path of --key-file"));
        }
        let text = read_private(path, "key")?;
        key_of(&text, &path.display().to_string()).map(Some)
    }

    /// What to call it.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::Named(path) | Self::Usual(path) => path.display().to_string(),
            Self::Variable(_) => VARIABLE.to_owned(),
        }
    }

    /// The file, if it is one.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::Named(path) | Self::Usual(path) => Some(path),
            Self::Variable(_) => None,
        }
    }

    /// A place for the key of a new agent. What is there stays: a key that is written over is lost
    /// for ever.
    pub(crate) fn place_for_another(&self) -> Result<Slot, Fault> {
        let Some(path) = self.file() else {
            let message = format!("{VARIABLE} is set and would override the new key");
            return Err(Fault::input(message, "unset it, or choose a file with --key-file"));
        };
        if !is_missing(path) {
            return Err(occupied(path));
        }
        if let (Self::Usual(path), Some(folder)) = (self, path.parent()) {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|cause| Fault::File { path: path.clone(), cause })?;
        }
        Slot::beside(path)
    }

    /// A place for the successor of the key; none where it is in no file. One rotation at a time:
    /// of two, the file might keep the key that the other one has outlived.
    pub(crate) fn place_for_successor(&self) -> Result<Option<(Slot, Turn)>, Fault> {
        let Some(named) = self.file() else { return Ok(None) };
        // The file itself, also where its name is a link to it.
        let failed = |cause| Fault::File { path: named.to_owned(), cause };
        let path = fs::canonicalize(named).map_err(failed)?;
        let turn = Turn::at(&path)?;
        Ok(Some((Slot::beside(&path)?, turn)))
    }
}

/// Held while a key is rotated, by a lock on its folder: the file itself is replaced.
#[derive(Debug)]
pub(crate) struct Turn(File);

impl Turn {
    fn at(path: &Path) -> Result<Self, Fault> {
        let failed = |cause| Fault::File { path: path.to_owned(), cause };
        let folder = File::open(folder_of(path)).map_err(failed)?;
        match folder.try_lock() {
            Ok(()) => Ok(Self(folder)),
            Err(TryLockError::WouldBlock) => {
                let message = "another command is rotating a key in the same folder";
                Err(Fault::input(message, "wait until that command has finished"))
            }
            Err(TryLockError::Error(cause)) => Err(failed(cause)),
        }
    }

    /// Lets others begin.
    pub(crate) fn end(self) {
        drop(self.0);
    }
}

fn folder_of(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|err| err.kind() == io::ErrorKind::NotFound)
}

fn occupied(path: &Path) -> Fault {
    let message = format!("{} already exists and may contain an agent key", path.display());
    let suggestion = "run `aw forum me` to see the agent of this key; to register another agent, \
                      choose another file with --key-file, or move this one away";
    Fault::input(message, suggestion)
}

/// The server's address as the name of a file; no two servers share one.
fn file_name(url: &ServerUrl) -> String {
    let address = url.to_string().replacen("://", "-", 1);
    format!("{}.key", address.replace('%', "%25").replace('/', "%2F"))
}

/// What is wrong with it is told, what it says is not.
fn key_of(text: &str, whence: &str) -> Result<Token, Fault> {
    AgentKey::parse(text.trim()).map(Token::from).map_err(|err| {
        let suggestion = "store only the key that `aw forum register` returned there";
        Fault::input(format!("the content of {whence} {err}"), suggestion)
    })
}

/// A draft beside a key file. It is made before a server is asked for a key, so that there is a
/// place for every key that comes.
#[derive(Debug)]
pub(crate) struct Slot {
    draft: PathBuf,
    path: PathBuf,
    file: File,
}

impl Slot {
    /// For the key in `path`, to be written or written anew.
    pub(crate) fn beside(path: &Path) -> Result<Self, Fault> {
        let failed = |cause| Fault::File { path: path.to_owned(), cause };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".{name}.{}.new", Uuid::now_v7().simple()));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft);
        Ok(Self { file: file.map_err(failed)?, draft, path: path.to_owned() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Puts a key where there is none. Never over another, however many try at once.
    pub(crate) fn keep(mut self, key: &str) -> Result<(), Unsaved> {
        let kept = self.write(key).and_then(|()| {
            fs::hard_link(&self.draft, &self.path)?;
            self.sync_folder()
        });
        self.settled(kept, key)
    }

    /// Puts a key where its predecessor is.
    pub(crate) fn replace(mut self, key: &str) -> Result<(), Unsaved> {
        let kept = self.write(key).and_then(|()| {
            fs::rename(&self.draft, &self.path)?;
            self.sync_folder()
        });
        self.settled(kept, key)
    }

    fn write(&mut self, key: &str) -> io::Result<()> {
        writeln!(self.file, "{key}")?;
        self.file.sync_all()
    }

    /// A name is on disk once its folder is.
    fn sync_folder(&self) -> io::Result<()> {
        File::open(folder_of(&self.path))?.sync_all()
    }

    fn settled(self, kept: io::Result<()>, key: &str) -> Result<(), Unsaved> {
        kept.map_err(|cause| Unsaved { path: self.path.clone(), cause, key: key.to_owned() })
    }
}

/// The draft goes, kept or not: a key has one place.
impl Drop for Slot {
    fn drop(&mut self) {
        // After a rename it is not there, and where it can't be removed nobody but its owner reads
        // it.
        let _ = fs::remove_file(&self.draft);
    }
}

/// A key that could not be kept.
pub(crate) struct Unsaved {
    path: PathBuf,
    cause: io::Error,
    key: String,
}

impl Unsaved {
    /// Shows the key, this once: nobody else has it, and whoever loses it loses the agent.
    pub(crate) fn show(self) -> Fault {
        let _ =
            writeln!(io::stderr(), "aw: the new key, which is not saved anywhere: {}", self.key);
        Fault::KeyUnsaved { path: self.path, cause: self.cause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_server_has_a_key_file_of_its_own() {
        let urls = [
            "http://127.0.0.1:3456",
            "https://127.0.0.1:3456",
            "http://x.example",
            "https://x.example",
            "https://x.example/team",
            "https://x.example/team/a",
            "https://x.example/team%2Fa",
        ];
        let names = urls.map(|url| file_name(&ServerUrl::parse(url).expect(url)));
        assert_eq!(names[0], "http-127.0.0.1:3456.key");
        let mut distinct = names.to_vec();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
        assert!(names.iter().all(|name| !name.contains('/')), "{names:?}");
    }

    #[test]
    fn what_is_no_key_is_not_repeated() {
        let fault = key_of("awk_secret-but-too-short", "a file").err().expect("it is none");
        let told = fault.response().error.expect("it failed");
        let all = format!("{} {:?}", told.message, told.suggestion);
        assert!(all.contains("a file") && !all.contains("secret"), "{all}");
    }
}
