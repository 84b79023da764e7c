//! The key of an agent: from the file that a flag names, from the environment, or from the file of
//! the registration. Never from the command line, which other users of the machine can see.

use std::fs::{self, DirBuilder, File, OpenOptions, TryLockError};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use debate_core::forum::AgentKey;
use debate_settings::table::AGENT_KEY;
use uuid::Uuid;

use crate::failure::Failure;
use crate::settings::{ProcessEnvironment, Token, read_private};
use debate_net::BaseUrl;

/// The environment variable that may contain a key.
const VARIABLE: &str = AGENT_KEY.variable;

/// The source of the caller's key.
pub(crate) enum KeySource {
    /// The file that `--key-file` names.
    NamedFile(PathBuf),
    /// The value of `AW_AGENT_KEY`.
    Variable(Token),
    /// The default file. Each server has its own, so that no other server gets the key.
    DefaultFile(PathBuf),
}

impl KeySource {
    pub(crate) fn find(
        named: Option<&Path>,
        url: &BaseUrl,
        environment: &ProcessEnvironment,
    ) -> Result<Self, Failure> {
        if let Some(path) = named {
            return Ok(Self::NamedFile(path.to_owned()));
        }
        if let Some(text) = environment.text(VARIABLE)? {
            return parse_key(&text, VARIABLE).map(Self::Variable);
        }
        let home = environment.home.as_ref();
        let home = home.ok_or_else(|| Failure::input("the home folder is unknown", "set HOME"))?;
        Ok(Self::DefaultFile(home.join(".aweave").join("keys").join(file_name(url))))
    }

    /// The key; none if the default file does not exist.
    pub(crate) fn key(&self) -> Result<Option<Token>, Failure> {
        let path = match self {
            Self::NamedFile(path) => path,
            Self::Variable(key) => return Ok(Some(key.clone())),
            Self::DefaultFile(path) if is_missing(path) => return Ok(None),
            Self::DefaultFile(path) => path,
        };
        if is_missing(path) {
            let message = format!("key file {} not found", path.display());
            return Err(Failure::input(message, "check the path of --key-file"));
        }
        let text = read_private(path, "key")?;
        parse_key(&text, &path.display().to_string()).map(Some)
    }

    /// The name of the source, for messages.
    pub(crate) fn name(&self) -> String {
        match self {
            Self::NamedFile(path) | Self::DefaultFile(path) => path.display().to_string(),
            Self::Variable(_) => VARIABLE.to_owned(),
        }
    }

    /// The path of the file; none for the variable.
    pub(crate) fn file(&self) -> Option<&Path> {
        match self {
            Self::NamedFile(path) | Self::DefaultFile(path) => Some(path),
            Self::Variable(_) => None,
        }
    }

    /// Prepares the file for the key of a new agent. An existing file is refused, because a key
    /// that is overwritten is lost.
    pub(crate) fn prepare_new(&self) -> Result<NewKeyFile, Failure> {
        let Some(path) = self.file() else {
            let message = format!("{VARIABLE} is set and would override the new key");
            return Err(Failure::input(message, "unset it, or choose a file with --key-file"));
        };
        if !is_missing(path) {
            return Err(already_exists(path));
        }
        if let (Self::DefaultFile(path), Some(folder)) = (self, path.parent()) {
            let made = DirBuilder::new().recursive(true).mode(0o700).create(folder);
            made.map_err(|cause| Failure::File { path: path.clone(), cause })?;
        }
        NewKeyFile::create_for(path)
    }

    /// Prepares the replacement of the key; none if the key is not in a file. The lock allows one
    /// rotation at a time: otherwise the file could end with a key that is already invalid.
    pub(crate) fn prepare_replacement(
        &self,
    ) -> Result<Option<(NewKeyFile, RotationLock)>, Failure> {
        let Some(named) = self.file() else { return Ok(None) };
        // A symbolic link is followed, so that the key file itself is replaced.
        let failed = |cause| Failure::File { path: named.to_owned(), cause };
        let path = fs::canonicalize(named).map_err(failed)?;
        let lock = RotationLock::acquire(&path)?;
        Ok(Some((NewKeyFile::create_for(&path)?, lock)))
    }
}

/// The lock of a rotation. It is on the folder, because the key file is replaced.
#[derive(Debug)]
pub(crate) struct RotationLock(File);

impl RotationLock {
    fn acquire(path: &Path) -> Result<Self, Failure> {
        let failed = |cause| Failure::File { path: path.to_owned(), cause };
        let folder = File::open(parent_dir(path)).map_err(failed)?;
        match folder.try_lock() {
            Ok(()) => Ok(Self(folder)),
            Err(TryLockError::WouldBlock) => {
                let message = "another command is rotating a key in the same folder";
                Err(Failure::input(message, "wait until that command has finished"))
            }
            Err(TryLockError::Error(cause)) => Err(failed(cause)),
        }
    }

    pub(crate) fn release(self) {
        drop(self.0);
    }
}

fn parent_dir(path: &Path) -> &Path {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    folder.unwrap_or(Path::new("."))
}

fn is_missing(path: &Path) -> bool {
    fs::symlink_metadata(path).is_err_and(|err| err.kind() == io::ErrorKind::NotFound)
}

fn already_exists(path: &Path) -> Failure {
    let message = format!("{} already exists and may contain an agent key", path.display());
    let suggestion = "run `aw forum me` to see the agent of this key; to register another agent, \
                      choose another file with --key-file, or move this one away";
    Failure::input(message, suggestion)
}

/// The URL of the server as a file name. Different URLs have different names.
fn file_name(url: &BaseUrl) -> String {
    let address = url.to_string().replacen("://", "-", 1);
    format!("{}.key", address.replace('%', "%25").replace('/', "%2F"))
}

/// Parses a key. An error names the source and does not contain the text.
fn parse_key(text: &str, source: &str) -> Result<Token, Failure> {
    AgentKey::parse(text.trim()).map(Token::from).map_err(|err| {
        let suggestion = "store only the key that `aw forum register` returned there";
        Failure::input(format!("the content of {source} {err}"), suggestion)
    })
}

/// A draft beside a key file. It is created before the request for a key, so that there is a
/// place for every key that comes.
#[derive(Debug)]
pub(crate) struct NewKeyFile {
    draft: PathBuf,
    path: PathBuf,
    file: File,
}

impl NewKeyFile {
    /// Creates a draft in the folder of `path`.
    pub(crate) fn create_for(path: &Path) -> Result<Self, Failure> {
        let failed = |cause| Failure::File { path: path.to_owned(), cause };
        let name = path.file_name().unwrap_or_default().to_string_lossy();
        let draft = path.with_file_name(format!(".{name}.{}.new", Uuid::now_v7().simple()));
        let file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&draft);
        Ok(Self { file: file.map_err(failed)?, draft, path: path.to_owned() })
    }

    pub(crate) fn path(&self) -> &Path {
        &self.path
    }

    /// Saves the key as a new file. An existing file is never replaced, also under concurrency.
    pub(crate) fn save_new(mut self, key: &str) -> Result<(), UnsavedKey> {
        let saved = self.write(key).and_then(|()| {
            fs::hard_link(&self.draft, &self.path)?;
            self.sync_dir()
        });
        self.finish(saved, key)
    }

    /// Saves the key in place of the previous one.
    pub(crate) fn replace(mut self, key: &str) -> Result<(), UnsavedKey> {
        let saved = self.write(key).and_then(|()| {
            fs::rename(&self.draft, &self.path)?;
            self.sync_dir()
        });
        self.finish(saved, key)
    }

    fn write(&mut self, key: &str) -> io::Result<()> {
        writeln!(self.file, "{key}")?;
        self.file.sync_all()
    }

    /// Makes the new name durable.
    fn sync_dir(&self) -> io::Result<()> {
        File::open(parent_dir(&self.path))?.sync_all()
    }

    fn finish(self, saved: io::Result<()>, key: &str) -> Result<(), UnsavedKey> {
        saved.map_err(|cause| UnsavedKey { path: self.path.clone(), cause, key: key.to_owned() })
    }
}

/// Removes the temporary file.
impl Drop for NewKeyFile {
    fn drop(&mut self) {
        // After a rename it does not exist; otherwise only its owner can read it.
        let _ = fs::remove_file(&self.draft);
    }
}

/// A key that could not be saved.
pub(crate) struct UnsavedKey {
    path: PathBuf,
    cause: io::Error,
    key: String,
}

impl UnsavedKey {
    /// Prints the key to standard error once. Without it the agent is lost.
    pub(crate) fn show(self) -> Failure {
        let _ =
            writeln!(io::stderr(), "aw: the new key, which is not saved anywhere: {}", self.key);
        Failure::KeyNotSaved { path: self.path, cause: self.cause }
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn different_servers_have_different_key_files() {
        let urls = [
            "http://127.0.0.1:3456",
            "https://127.0.0.1:3456",
            "http://x.example",
            "https://x.example",
            "https://x.example/team",
            "https://x.example/team/a",
            "https://x.example/team%2Fa",
        ];
        let names = urls.map(|url| file_name(&BaseUrl::parse(url).expect(url)));
        assert_eq!(names[0], "http-127.0.0.1:3456.key");
        let mut distinct = names.to_vec();
        distinct.sort();
        distinct.dedup();
        assert_eq!(distinct.len(), names.len(), "{names:?}");
        assert!(names.iter().all(|name| !name.contains('/')), "{names:?}");
    }

    #[test]
    fn error_does_not_contain_an_invalid_key() {
        let failure = parse_key("awk_secret-but-too-short", "a file").err().expect("it is none");
        let error = failure.response().error.expect("it failed");
        let all = format!("{} {:?}", error.message, error.suggestion);
        assert!(all.contains("a file") && !all.contains("secret"), "{all}");
    }
}
