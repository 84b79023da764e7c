//! The configuration file: its keys, its tables, and the permissions that it must have.

use std::collections::BTreeMap;
use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use debate_settings::table::{CONFIG_FILE, file_settings};
use debate_settings::{FileValues, Setting, SettingValue, Sources, expand_home};
use rustix::process::geteuid;
use toml::{Table, Value};

/// The tables of a file. Each contains tables by name.
pub(super) const PROVIDER: &str = "provider";
pub(super) const COMMAND: &str = "command";

/// A configuration file that was read and checked.
pub(super) struct ConfigFile {
    pub(super) path: PathBuf,
    table: Table,
}

impl ConfigFile {
    /// The values of settings as text; lists are joined with commas.
    pub(super) fn values(&self) -> FileValues {
        let values = self.table.iter().filter_map(|(key, value)| {
            let text = match value {
                Value::String(text) => text.clone(),
                Value::Array(items) => {
                    items.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(",")
                }
                Value::Integer(number) => number.to_string(),
                Value::Float(number) => number.to_string(),
                Value::Boolean(flag) => flag.to_string(),
                Value::Datetime(time) => time.to_string(),
                Value::Table(_) => return None,
            };
            Some((key.clone(), text))
        });
        FileValues { path: self.path.clone(), values: values.collect::<BTreeMap<_, _>>() }
    }

    /// Each table below `[key]` by its name.
    pub(super) fn tables(&self, key: &str) -> impl Iterator<Item = (&String, &Value)> {
        self.table.get(key).and_then(Value::as_table).into_iter().flatten()
    }
}

/// Reads the configuration file. A missing file is an error only if it was named.
pub(super) fn read(sources: &Sources) -> anyhow::Result<Option<ConfigFile>> {
    let named = sources.configured_value(&CONFIG_FILE)?;
    let path = named.as_ref().map_or_else(
        || expand_home(CONFIG_FILE.default.unwrap_or_default()),
        SettingValue::to_path,
    );
    let (text, metadata) = match read_open_file(&path) {
        Ok(read) => read,
        Err(err) if err.kind() == io::ErrorKind::NotFound && named.is_none() => return Ok(None),
        Err(err) => {
            let path = path.display();
            let advice = "make the file readable, or set AW_CONFIG to another file";
            return Err(err).with_context(|| format!("cannot read {path} ({advice})"));
        }
    };
    let table: Table = text
        .parse()
        .map_err(|err: toml::de::Error| anyhow::anyhow!("{}: {}", path.display(), err.message()))?;
    check_keys(&path, &table)?;
    let mut secrets = file_settings().filter(|setting| setting.is_secret());
    if secrets.any(|setting| table.contains_key(&setting.file_key())) {
        check_private(&path, &metadata)?;
    }
    if table.contains_key(COMMAND) {
        check_commands(&path, &metadata)?;
    } else if table.contains_key(PROVIDER) {
        check_providers(&path, &metadata)?;
    }
    Ok(Some(ConfigFile { path, table }))
}

/// The text of a file and the metadata of the same open descriptor, so that the checks concern the
/// bytes that were read even if the path is replaced meanwhile.
fn read_open_file(path: &Path) -> io::Result<(String, Metadata)> {
    let mut file = File::open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok((text, file.metadata()?))
}

/// A misspelt setting would otherwise be ignored silently.
fn check_keys(path: &Path, table: &Table) -> anyhow::Result<()> {
    let path = path.display();
    let accepted: Vec<_> = file_settings().map(Setting::file_key).collect();
    for (key, value) in table {
        match (value.is_table(), [PROVIDER, COMMAND].contains(&key.as_str())) {
            (true, true) => {}
            (true, false) => {
                bail!("{path}: unknown table [{key}]; expected [provider.NAME] or [command.NAME]")
            }
            (false, true) => bail!("{path}: {key} must be a table: write [{key}.NAME]"),
            (false, false) if accepted.contains(key) => {}
            (false, false) => {
                bail!("{path}: unknown setting {key}; expected one of {}", accepted.join(", "))
            }
        }
    }
    Ok(())
}

fn check_private(path: &Path, metadata: &Metadata) -> anyhow::Result<()> {
    if metadata.mode() & 0o077 != 0 {
        let path = path.display();
        bail!("{path} contains a secret and other users can read it: run chmod 600 {path}");
    }
    Ok(())
}

/// A file with commands decides which programs this server runs. Only the server's own user and
/// root may be able to change it.
fn check_commands(path: &Path, metadata: &Metadata) -> anyhow::Result<()> {
    let (owner, own) = (metadata.uid(), geteuid().as_raw());
    let path = path.display();
    if owner != own && owner != 0 {
        bail!(
            "{path} defines commands that the server runs, but user {owner} owns it: run \
             chown {own} {path}"
        );
    }
    if metadata.mode() & 0o022 != 0 {
        bail!(
            "{path} defines commands that the server runs, but other users can write to it: run \
             chmod go-w {path}"
        );
    }
    Ok(())
}

/// A file with providers decides where keys are sent, so not everyone may be able to write it.
fn check_providers(path: &Path, metadata: &Metadata) -> anyhow::Result<()> {
    if metadata.mode() & 0o002 != 0 {
        let path = path.display();
        bail!(
            "{path} defines where API keys are sent, but other users can write to it: run \
             chmod o-w {path}"
        );
    }
    Ok(())
}
