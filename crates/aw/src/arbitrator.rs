//! The file with the arbitrator token, which the server creates at its first start.

use std::fs::{self, DirBuilder, File, OpenOptions};
use std::io::{self, ErrorKind, Read, Write};
use std::os::unix::fs::{DirBuilderExt, MetadataExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use debate_app::random_bytes;
use debate_core::arena::SecretKind;
use debate_http::Token;
use debate_settings::table::ARBITRATOR_TOKEN_FILE;
use debate_settings::{SettingError, SettingValue, Sources, expand_home};
use rustix::process::geteuid;

use crate::database::DatabaseLocation;

/// The most bytes of the file that are read. A token with a line break is shorter.
const BYTES_MAX: u64 = 1024;

/// The file that the settings select.
pub(crate) struct ArbitratorFile {
    path: PathBuf,
    /// Whether a setting names the file.
    is_named: bool,
}

impl ArbitratorFile {
    pub(crate) fn from_sources(sources: &Sources) -> Result<Self, SettingError> {
        let named = sources.configured_value(&ARBITRATOR_TOKEN_FILE)?;
        let default = || expand_home(ARBITRATOR_TOKEN_FILE.default.unwrap_or_default());
        let is_named = named.is_some();
        Ok(Self { path: named.as_ref().map_or_else(default, SettingValue::to_path), is_named })
    }

    /// The token in the file, which is created if it does not exist. None if it cannot be created,
    /// and on PostgreSQL without the setting: all processes on one database need the same token.
    pub(crate) fn load(&self, database: &DatabaseLocation) -> anyhow::Result<Option<Token>> {
        let is_shared = matches!(database, DatabaseLocation::Server { .. });
        if is_shared && !self.is_named {
            tracing::warn!(
                setting.name = ARBITRATOR_TOKEN_FILE.variable,
                "arbitrator token not configured; debates with seats are refused"
            );
            return Ok(None);
        }
        if let Some(token) = read(&self.path)? {
            return Ok(Some(token));
        }
        if let Err(err) = create(&self.path) {
            tracing::warn!(
                file.path = %self.path.display(),
                error = %err,
                "arbitrator token cannot be created; debates with seats are refused"
            );
            return Ok(None);
        }
        // Another process may have been first; its token is in the file then.
        let token = read(&self.path)?;
        Ok(Some(token.with_context(|| format!("{} was removed", self.path.display()))?))
    }
}

/// The token in the file; none if there is no file.
fn read(path: &Path) -> anyhow::Result<Option<Token>> {
    let shown = path.display();
    let file = match File::open(path) {
        Ok(file) => file,
        // A file in a folder that this process cannot enter counts as absent.
        Err(_) if fs::metadata(path).is_err() => return Ok(None),
        Err(err) => return Err(err).with_context(|| format!("cannot read {shown}")),
    };
    let metadata = file.metadata().with_context(|| format!("cannot read {shown}"))?;
    let (owner, own) = (metadata.uid(), geteuid().as_raw());
    if owner != own {
        bail!(
            "{shown} contains the arbitrator token, but user {owner} owns it: run \
             chown {own} {shown}"
        );
    }
    if metadata.mode() & 0o077 != 0 {
        bail!(
            "{shown} contains the arbitrator token and other users can read or change it: run \
             chmod 600 {shown}"
        );
    }
    let mut text = String::new();
    let is_text = metadata.is_file() && file.take(BYTES_MAX).read_to_string(&mut text).is_ok();
    let token = text.trim();
    if !is_text || !SecretKind::Arbitrator.matches(token) {
        bail!(
            "{shown} does not contain an arbitrator token ({} and {} characters of base64url): \
             restore the file, or remove it and the server creates a new token",
            SecretKind::Arbitrator.prefix(),
            SecretKind::CHARACTERS
        );
    }
    Ok(Some(Token::new(token)))
}

/// Creates the file with a new token, unless another process creates it first. The file has its
/// whole content as soon as it has its name.
fn create(path: &Path) -> io::Result<()> {
    if path.starts_with("~") {
        return Err(io::Error::new(ErrorKind::NotFound, "the user has no home folder"));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = folder.unwrap_or(Path::new("."));
    DirBuilder::new().recursive(true).mode(0o700).create(folder)?;
    let token = SecretKind::Arbitrator.render(random_bytes());
    let mut draft = path.as_os_str().to_owned();
    let [first, second, ..] = random_bytes();
    draft.push(format!(".{}-{first}-{second}.new", std::process::id()));
    let draft = PathBuf::from(draft);
    let result = write_draft(&draft, &token).and_then(|()| link(&draft, path));
    // The draft is a second name of the file now, or of no use.
    let _ = fs::remove_file(&draft);
    result?;
    File::open(folder)?.sync_all()
}

fn write_draft(draft: &Path, token: &str) -> io::Result<()> {
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(draft)?;
    writeln!(file, "{token}")?;
    file.sync_all()
}

/// Gives the draft its name, unless another file has it.
fn link(draft: &Path, path: &Path) -> io::Result<()> {
    match fs::hard_link(draft, path) {
        Err(err) if err.kind() != ErrorKind::AlreadyExists => Err(err),
        Ok(()) | Err(_) => Ok(()),
    }
}
