//! The settings with which a background server is started, as digests, so that a restart can tell
//! which of them it would change.

use std::collections::{BTreeMap, BTreeSet};
use std::fmt;
use std::fs;

use debate_settings::table::{
    AUTH_TOKEN, COMMAND_LINE, CONFIG_FILE, GROUPS, LOG_FILE, PROVIDERS, SERVER_HOST, SERVER_PORT,
};
use debate_settings::{FlagValues, Setting, Sources};
use debate_wire::hex;
use sha2::{Digest, Sha256};
use toml::{Table, Value};

use crate::commands::CommandContext;
use crate::failure::Failure;

/// The SHA-256 of each value, by the name of its variable.
pub(super) type Digests = BTreeMap<String, String>;

/// The settings of a server that is started now.
pub(super) struct StartSettings {
    /// Variables of the environment, which a restart from another environment would lose.
    pub(super) environment: Digests,
    /// Values of the configuration file, which every restart reads again.
    file: Digests,
    /// The variables with keys of providers.
    keys: BTreeSet<String>,
}

/// A setting that a restart would change.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(super) enum SettingChange {
    /// The server has it, and the caller's environment does not.
    Missing(String),
    /// The value in the caller's environment differs.
    Different(String),
    /// The caller's environment has it, and the server does not.
    Added(String),
    /// An earlier version of `aw` started the server and recorded no settings.
    Unknown,
}

impl fmt::Display for SettingChange {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Missing(name) => write!(f, "{name} is missing in this environment"),
            Self::Different(name) => write!(f, "{name} is different in this environment"),
            Self::Added(name) => write!(f, "{name} is new in this environment"),
            Self::Unknown => f.write_str("an earlier version of aw recorded no settings"),
        }
    }
}

impl StartSettings {
    /// The settings of a server that this command would start.
    pub(super) fn load(context: &CommandContext<'_>) -> Result<Self, Failure> {
        let variable = context.environment.variable;
        let sources = Sources::new(FlagValues::new(), variable, None);
        let file = read_file(&sources)?;
        let named_keys = key_variables(&file);
        let in_file = file_values(&file);
        let names = settings().map(|row| row.variable).chain(named_keys.iter().map(String::as_str));
        let mut environment = Digests::new();
        for name in names {
            if let Some(found) = sources.environment(name)? {
                environment.insert(name.to_owned(), digest(&found.text));
            }
        }
        // A token from a file becomes the server's token too.
        if let Some(token) = &context.settings.token {
            environment.insert(AUTH_TOKEN.variable.to_owned(), digest(token.secret()));
        }
        let file = settings().filter_map(|row| {
            let text = in_file.get(row.file_key().as_str())?;
            Some((row.variable.to_owned(), digest(text)))
        });
        let keys = PROVIDERS.settings.iter().map(|row| row.variable.to_owned());
        Ok(Self { environment, file: file.collect(), keys: keys.chain(named_keys).collect() })
    }

    /// The changes that a restart with these settings makes to a server that was started with
    /// `before`. A new key of a provider is not listed.
    pub(super) fn changes(&self, before: Option<&Digests>) -> Vec<SettingChange> {
        let Some(before) = before else { return vec![SettingChange::Unknown] };
        let kept = before.iter().filter_map(|(name, digest)| {
            match self.environment.get(name).or_else(|| self.file.get(name)) {
                None => Some(SettingChange::Missing(name.clone())),
                Some(now) if now != digest => Some(SettingChange::Different(name.clone())),
                Some(_) => None,
            }
        });
        let added = self.environment.keys().filter(|name| {
            !before.contains_key(name.as_str()) && !self.keys.contains(name.as_str())
        });
        kept.chain(added.cloned().map(SettingChange::Added)).collect()
    }
}

/// The settings that a background server takes from its environment. It gets its address and its
/// log from the command that starts it.
fn settings() -> impl Iterator<Item = &'static Setting> {
    let own = [SERVER_HOST, SERVER_PORT, LOG_FILE].map(|row| row.variable);
    let groups = GROUPS.iter().filter(|group| group.title != COMMAND_LINE.title);
    groups.flat_map(|group| group.settings).filter(move |row| !own.contains(&row.variable))
}

/// The variable with the key of a provider; none for a provider without one.
pub(crate) fn key_variable(
    provider: &str,
    context: &CommandContext<'_>,
) -> Result<Option<String>, Failure> {
    let sources = Sources::new(FlagValues::new(), context.environment.variable, None);
    let file = read_file(&sources)?;
    if let Some(named) = provider_tables(&file)
        .find(|(name, _)| *name == provider)
        .and_then(|(_, table)| table.get("key_env")?.as_str())
    {
        return Ok(Some(named.to_owned()));
    }
    let prefix = format!("{}_", provider.to_ascii_uppercase());
    let row = PROVIDERS.settings.iter().find(|row| row.variable.starts_with(&prefix));
    Ok(row.map(|row| row.variable.to_owned()))
}

/// The configuration file; empty if it cannot be read, which the server reports at its start.
fn read_file(sources: &Sources) -> Result<Table, Failure> {
    let path = sources.find(&CONFIG_FILE)?.map(|found| found.to_path()).unwrap_or_default();
    let text = fs::read_to_string(path).unwrap_or_default();
    Ok(text.parse().unwrap_or_default())
}

fn provider_tables(file: &Table) -> impl Iterator<Item = (&String, &Table)> {
    let tables = file.get("provider").and_then(Value::as_table).into_iter().flatten();
    tables.filter_map(|(name, value)| Some((name, value.as_table()?)))
}

/// The variables that `key_env` of the providers in the file names.
fn key_variables(file: &Table) -> BTreeSet<String> {
    let named = provider_tables(file).filter_map(|(_, table)| table.get("key_env")?.as_str());
    named.map(str::to_owned).collect()
}

/// The values of the file that an environment variable could hold too, by key.
fn file_values(file: &Table) -> BTreeMap<&str, String> {
    let values = file.iter().filter_map(|(key, value)| {
        let text = match value {
            Value::String(text) => text.clone(),
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::Boolean(flag) => flag.to_string(),
            Value::Datetime(_) | Value::Array(_) | Value::Table(_) => return None,
        };
        Some((key.as_str(), text))
    });
    values.collect()
}

fn digest(text: &str) -> String {
    hex(&Sha256::digest(text.trim()))
}

#[cfg(test)]
mod tests {
    use super::*;

    fn digests(values: &[(&str, &str)]) -> Digests {
        values.iter().map(|(name, text)| ((*name).to_owned(), digest(text))).collect()
    }

    fn settings_now() -> StartSettings {
        StartSettings {
            environment: digests(&[
                ("OPENAI_API_KEY", "sk-new"),
                ("DEBATE_DB_PATH", "/b"),
                ("AW_LOG", "debug"),
            ]),
            file: digests(&[("ANTHROPIC_API_KEY", "a-1"), ("DEBATE_AUTO_RULING", "false")]),
            keys: ["OPENAI_API_KEY", "ANTHROPIC_API_KEY"].map(str::to_owned).into(),
        }
    }

    #[test]
    fn missing_different_and_new_settings_are_changes_and_new_keys_are_not() {
        let before = digests(&[
            ("DEBATE_DB_PATH", "/a"),
            ("GEMINI_API_KEY", "g-1"),
            ("ANTHROPIC_API_KEY", "a-1"),
        ]);
        let changes: Vec<_> = settings_now().changes(Some(&before));
        assert_eq!(
            changes,
            [
                SettingChange::Different("DEBATE_DB_PATH".to_owned()),
                SettingChange::Missing("GEMINI_API_KEY".to_owned()),
                SettingChange::Added("AW_LOG".to_owned()),
            ]
        );
        let changes: Vec<String> = changes.iter().map(ToString::to_string).collect();
        assert!(!changes.concat().contains(&digest("g-1")), "{changes:?}");
    }

    #[test]
    fn record_without_settings_is_a_change() {
        assert_eq!(settings_now().changes(None), [SettingChange::Unknown]);
    }
}
