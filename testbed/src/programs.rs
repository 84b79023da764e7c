//! PostgreSQL's programs in the folders of the system.

use std::path::{Path, PathBuf};
use std::process::Command;
use std::sync::OnceLock;

use anyhow::{Context, bail};

use crate::account;

/// The oldest supported PostgreSQL.
const MAJOR_MIN: u32 = 14;

/// Debian's folder of PostgreSQL versions, none of which is on the PATH.
const DEBIAN: &str = "/usr/lib/postgresql";

/// The programs do not move while a test runs, so one search is enough.
static FOUND: OnceLock<Programs> = OnceLock::new();

/// A folder with `postgres`, `initdb` and `psql` of one version.
#[derive(Debug, Clone)]
pub struct Programs {
    folder: PathBuf,
    version: String,
}

impl Programs {
    /// The programs on the PATH, or else the newest of Debian's.
    pub fn find() -> anyhow::Result<Self> {
        match FOUND.get() {
            Some(found) => Ok(found.clone()),
            None => Self::search().map(|found| FOUND.get_or_init(|| found).clone()),
        }
    }

    fn search() -> anyhow::Result<Self> {
        let in_path = std::env::var_os("PATH").unwrap_or_default();
        let mut unusable = Vec::new();
        for folder in std::env::split_paths(&in_path).chain(debian_folders()) {
            let Ok(folder) = folder.join("postgres").canonicalize() else { continue };
            let Some(found) = folder.parent().map(Self::in_dir).transpose()? else { continue };
            let complete = ["initdb", "psql"].iter().all(|name| found.program(name).exists());
            if complete && major(&found.version) >= Some(MAJOR_MIN) {
                return Ok(found);
            }
            unusable.push(found.version);
        }
        match unusable.as_slice() {
            [] => bail!("there is no PostgreSQL here: run `scripts/needs postgres=postgresql`"),
            found => bail!(
                "PostgreSQL {MAJOR_MIN} or newer is needed, here is {}: \
                 run `scripts/needs postgres=postgresql`",
                found.join(", ")
            ),
        }
    }

    fn in_dir(folder: &Path) -> anyhow::Result<Self> {
        let folder = folder.to_owned();
        let output = Command::new(folder.join("postgres")).arg("--version").output();
        let output = output.with_context(|| format!("cannot run {}", folder.display()))?;
        // The format is `postgres (PostgreSQL) 15.18 (Debian 15.18-0+deb12u1)`.
        let version_line = String::from_utf8_lossy(&output.stdout);
        let version = version_line.split_whitespace().nth(2).unwrap_or_default().to_owned();
        Ok(Self { folder, version })
    }

    /// The version, such as `15.18`.
    #[must_use]
    pub fn version(&self) -> &str {
        &self.version
    }

    /// A command that runs the program under the account of the server.
    pub(crate) fn command(&self, name: &str) -> Command {
        account::command(self.program(name))
    }

    pub(crate) fn program(&self, name: &str) -> PathBuf {
        self.folder.join(name)
    }
}

/// Debian's folders, newest version first.
fn debian_folders() -> Vec<PathBuf> {
    let entries = std::fs::read_dir(DEBIAN).into_iter().flatten().flatten();
    let mut folders: Vec<_> = entries.map(|entry| entry.path()).collect();
    let version = |folder: &PathBuf| folder.file_name().and_then(|name| major(name.to_str()?));
    folders.sort_by_key(|folder| std::cmp::Reverse(version(folder)));
    folders.into_iter().map(|folder| folder.join("bin")).collect()
}

/// The first number of `15.18`, `9.6` or `17beta1`.
fn major(version: &str) -> Option<u32> {
    version.split(|c: char| !c.is_ascii_digit()).next()?.parse().ok()
}
