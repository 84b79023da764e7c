//! The source of a setting's value: a flag, the environment, or the file, in that order.

use std::fmt;
use std::path::{Path, PathBuf};

use toml::{Table, Value};

/// A value and the name under which its owner knows it.
#[derive(Debug, Clone)]
pub(crate) struct Found {
    /// `--port`, `DEBATE_SERVER_PORT`, or `server_port in …/config.toml`.
    pub(crate) origin: String,
    pub(crate) text: String,
}

/// An invalid value, with what is accepted instead.
#[derive(Debug, thiserror::Error)]
#[error("{origin}={shown}: expected {accepted}")]
pub(crate) struct BadValue {
    origin: String,
    shown: String,
    accepted: String,
}

impl Found {
    pub(crate) fn bad(&self, accepted: impl fmt::Display) -> BadValue {
        let (origin, shown) = (self.origin.clone(), self.text.clone());
        BadValue { origin, shown, accepted: accepted.to_string() }
    }

    /// The same without the value, which is a secret.
    pub(crate) fn bad_secret(&self, accepted: impl fmt::Display) -> BadValue {
        let shown = "(not shown)".to_owned();
        BadValue { origin: self.origin.clone(), shown, accepted: accepted.to_string() }
    }

    /// The value as a path, `~` expanded.
    pub(crate) fn path(&self) -> PathBuf {
        expand_home(&self.text)
    }
}

/// The environment and the file; flags come with each question.
pub(crate) struct Sources {
    environment: fn(&str) -> Option<String>,
    file: Option<(PathBuf, Table)>,
}

impl Sources {
    pub(crate) const fn new(
        environment: fn(&str) -> Option<String>,
        file: Option<(PathBuf, Table)>,
    ) -> Self {
        Self { environment, file }
    }

    /// The setting known as `variable` in the environment. An empty value counts as none.
    pub(crate) fn find(&self, flag: Option<(&str, &String)>, variable: &str) -> Option<Found> {
        let flag = flag.map(|(name, text)| found(format!("--{name}"), text.clone()));
        flag.or_else(|| self.in_environment(variable)).or_else(|| self.in_file(variable))
    }

    /// A variable that has no place in the file. An empty value counts as none.
    pub(crate) fn variable(&self, name: &str) -> Option<Found> {
        self.in_environment(name)
    }

    /// Each table below `[key]` of the file by its name, and where the file is.
    pub(crate) fn tables(&self, key: &str) -> Vec<(&Path, &String, &Value)> {
        let Some((path, table)) = &self.file else { return Vec::new() };
        let tables = table.get(key).and_then(Value::as_table).into_iter().flatten();
        tables.map(|(name, table)| (path.as_path(), name, table)).collect()
    }

    fn in_environment(&self, variable: &str) -> Option<Found> {
        let text = (self.environment)(variable).filter(|text| !text.trim().is_empty())?;
        Some(found(variable.to_owned(), text))
    }

    fn in_file(&self, variable: &str) -> Option<Found> {
        let (path, table) = self.file.as_ref()?;
        let key = file_key(variable);
        let text = match table.get(&key)? {
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
        let origin = format!("{key} in {}", path.display());
        Some(found(origin, text)).filter(|found| !found.text.trim().is_empty())
    }
}

fn found(origin: String, text: String) -> Found {
    Found { origin, text }
}

/// `DEBATE_SERVER_PORT` in the environment is `server_port` in the file.
pub(crate) fn file_key(variable: &str) -> String {
    variable.strip_prefix("DEBATE_").unwrap_or(variable).to_ascii_lowercase()
}

/// `~` and `~/…` mean the user's home.
pub(crate) fn expand_home(text: &str) -> PathBuf {
    let rest = match text.strip_prefix('~') {
        Some("") => Some(""),
        Some(rest) => rest.strip_prefix('/'),
        None => None,
    };
    match (rest, std::env::home_dir()) {
        (Some(rest), Some(home)) => home.join(rest),
        (Some(_) | None, _) => Path::new(text).to_owned(),
    }
}
