//! The value of a setting: from a flag, the environment, the configuration file, or the default.

use std::collections::BTreeMap;
use std::ffi::OsString;
use std::fmt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use crate::{FlagValues, Setting, SettingGroup, ValueKind};

/// Reads an environment variable.
pub type VariableReader = fn(&str) -> Option<OsString>;

/// The values of a configuration file by key, and the path of the file.
#[derive(Clone, Default)]
pub struct FileValues {
    /// The path, for messages.
    pub path: PathBuf,
    /// The values as text.
    pub values: BTreeMap<String, String>,
}

/// Everything that can hold a value. The first source that has one wins: flag, environment, file,
/// default. An empty value in the environment or in the file counts as absent.
pub struct Sources {
    flags: FlagValues,
    variable: VariableReader,
    file: Option<FileValues>,
}

/// A value and the name of its source.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SettingValue {
    /// `--port`, `DEBATE_SERVER_PORT`, `server_port in …/config.toml` or `the default`.
    pub origin: String,
    /// The value as it was written.
    pub text: String,
}

/// A setting as it is in force. The values of secrets are masked.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EffectiveSetting {
    /// The environment variable of the setting.
    pub variable: &'static str,
    /// The value and its source; none if the setting has no value.
    pub value: Option<SettingValue>,
}

/// An invalid value, with what is accepted instead.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("{configured_value}: expected {accepted}")]
pub struct SettingError {
    configured_value: String,
    accepted: String,
}

/// Replaces a secret in messages and listings.
const MASK: &str = "(not shown)";

const SECONDS_MAX: f64 = 86_400.0;

impl SettingValue {
    /// An error that shows the value.
    #[must_use]
    pub fn invalid(&self, accepted: impl fmt::Display) -> SettingError {
        let configured_value = format!("{}={}", self.origin, self.text);
        SettingError { configured_value, accepted: accepted.to_string() }
    }

    /// An error that does not show the value, which is a secret.
    #[must_use]
    pub fn invalid_secret(&self, accepted: impl fmt::Display) -> SettingError {
        self.masked().invalid(accepted)
    }

    /// The value as a path, `~` expanded.
    #[must_use]
    pub fn to_path(&self) -> PathBuf {
        expand_home(&self.text)
    }

    /// The words of a list that is separated by commas.
    #[must_use]
    pub fn to_list(&self) -> Vec<String> {
        let words = self.text.split(',').map(str::trim).filter(|word| !word.is_empty());
        words.map(str::to_owned).collect()
    }

    /// The value as a token. Only characters that a header can carry are accepted.
    pub fn to_token(&self) -> Result<String, SettingError> {
        let token = self.text.trim();
        if token.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Ok(token.to_owned());
        }
        Err(self.invalid_secret(ValueKind::Secret))
    }

    fn masked(&self) -> Self {
        Self { text: MASK.to_owned(), ..self.clone() }
    }
}

impl Sources {
    /// Sources of a command with these flags and this file.
    #[must_use]
    pub const fn new(
        flags: FlagValues,
        variable: VariableReader,
        file: Option<FileValues>,
    ) -> Self {
        Self { flags, variable, file }
    }

    /// The value that was given; none if the default applies.
    pub fn configured_value(
        &self,
        setting: &Setting,
    ) -> Result<Option<SettingValue>, SettingError> {
        if let (Some(text), Some(flag)) = (self.flags.get(setting.variable), setting.flag) {
            return Ok(Some(value(format!("--{}", flag.name), text)));
        }
        match self.environment(setting.variable)? {
            Some(found) => Ok(Some(found)),
            None => Ok(self.in_file(setting)),
        }
    }

    /// The effective value: a configured one, or else the default if the setting has one.
    pub fn find(&self, setting: &Setting) -> Result<Option<SettingValue>, SettingError> {
        let default = || setting.default.map(|text| value("the default".to_owned(), text));
        Ok(self.configured_value(setting)?.or_else(default))
    }

    /// An environment variable that may not be in the table. An empty value counts as absent.
    pub fn environment(&self, variable: &str) -> Result<Option<SettingValue>, SettingError> {
        let Some(text) = (self.variable)(variable) else { return Ok(None) };
        let text = text.into_string().map_err(|_| SettingError {
            configured_value: variable.to_owned(),
            accepted: "UTF-8 text".to_owned(),
        })?;
        Ok(Some(value(variable.to_owned(), &text)).filter(|found| !found.text.trim().is_empty()))
    }

    /// The text of a setting; empty if it has neither a value nor a default.
    pub fn text(&self, setting: &Setting) -> Result<String, SettingError> {
        Ok(self.find(setting)?.map(|found| found.text).unwrap_or_default())
    }

    /// The effective value as an integer; `None` without a configured value and a default.
    pub fn optional_number(&self, setting: &Setting) -> Result<Option<u64>, SettingError> {
        let Some(found) = self.find(setting)? else { return Ok(None) };
        let number = found.text.trim().parse().ok().filter(|number| match setting.kind {
            ValueKind::Integer(min, max) => (min..=max).contains(number),
            ValueKind::Text
            | ValueKind::Secret
            | ValueKind::Bool
            | ValueKind::Switch
            | ValueKind::Seconds
            | ValueKind::OneOf(_) => false,
        });
        number.map(Some).ok_or_else(|| found.invalid(setting.kind))
    }

    /// A whole number of a type that has room for every accepted value.
    ///
    /// # Panics
    ///
    /// If the setting has no default in the table.
    pub fn number<N: TryFrom<u64>>(&self, setting: &Setting) -> Result<N, SettingError> {
        let number = self.optional_number(setting)?.expect("a number in the table has a default");
        let invalid = SettingError {
            configured_value: format!("{}={number}", setting.variable),
            accepted: "a smaller number on this machine".to_owned(),
        };
        N::try_from(number).map_err(|_| invalid)
    }

    /// Whether the effective value is `true`; false without a configured value and a default.
    pub fn is_on(&self, setting: &Setting) -> Result<bool, SettingError> {
        let Some(found) = self.find(setting)? else { return Ok(false) };
        match found.text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err(found.invalid(setting.kind)),
        }
    }

    /// A number of seconds.
    pub fn seconds(&self, setting: &Setting) -> Result<Duration, SettingError> {
        let Some(found) = self.find(setting)? else { return Ok(Duration::ZERO) };
        let seconds = found.text.trim().parse().ok();
        let seconds = seconds.filter(|seconds| (0.0..=SECONDS_MAX).contains(seconds));
        seconds.map(Duration::from_secs_f64).ok_or_else(|| found.invalid(setting.kind))
    }

    /// One of the words that the setting accepts.
    pub fn word(&self, setting: &Setting) -> Result<Option<&'static str>, SettingError> {
        let Some(found) = self.find(setting)? else { return Ok(None) };
        let ValueKind::OneOf(words) = setting.kind else { return Ok(None) };
        let word = words.iter().find(|word| **word == found.text.trim());
        word.map(|word| Some(*word)).ok_or_else(|| found.invalid(setting.kind))
    }

    /// Every setting of these groups with its value and the source of the value, secrets masked.
    pub fn effective(
        &self,
        groups: &[SettingGroup],
    ) -> Result<Vec<EffectiveSetting>, SettingError> {
        let rows = groups.iter().flat_map(|group| group.settings);
        rows.map(|setting| {
            let value = self.find(setting)?;
            let mask =
                |found: SettingValue| if setting.is_secret() { found.masked() } else { found };
            Ok(EffectiveSetting { variable: setting.variable, value: value.map(mask) })
        })
        .collect()
    }

    fn in_file(&self, setting: &Setting) -> Option<SettingValue> {
        let file = self.file.as_ref()?;
        let key = setting.file_key();
        let text = file.values.get(&key).filter(|text| !text.trim().is_empty())?;
        Some(value(format!("{key} in {}", file.path.display()), text))
    }
}

fn value(origin: String, text: &str) -> SettingValue {
    SettingValue { origin, text: text.to_owned() }
}

/// Expands `~` and `~/…` to the home folder of the user.
#[must_use]
pub fn expand_home(text: &str) -> PathBuf {
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

#[cfg(test)]
mod tests {
    use super::*;
    use crate::table::{
        ADMIN_TOKEN, AUTH_TOKEN, AUTO_RULING, FORUM, LIMITS, MAX_SOCKETS, SERVER, SERVER_PORT,
    };

    fn sources(flags: &[(&'static str, &str)]) -> Sources {
        let flags = flags.iter().map(|(name, text)| (*name, (*text).to_owned())).collect();
        let variable = |name: &str| match name {
            "DEBATE_SERVER_PORT" => Some("2".into()),
            "DEBATE_AUTH_TOKEN" => Some("secret-of-the-server".into()),
            "DEBATE_ADMIN_TOKEN" => Some(" ".into()),
            _ => None,
        };
        let values = [("server_port", "3"), ("max_sockets", "4"), ("auto_ruling", "off")];
        let values = values.map(|(key, text)| (key.to_owned(), text.to_owned())).into();
        Sources::new(flags, variable, Some(FileValues { path: "c.toml".into(), values }))
    }

    #[test]
    fn flag_wins_over_variable_file_and_default() {
        let by_flag = sources(&[("DEBATE_SERVER_PORT", "1")]);
        assert_eq!(by_flag.number(&SERVER_PORT), Ok(1_u16));
        let by_variable = sources(&[]);
        assert_eq!(by_variable.number(&SERVER_PORT), Ok(2_u16));
        assert_eq!(by_variable.number(&MAX_SOCKETS), Ok(4_u32));
        assert_eq!(by_variable.is_on(&AUTO_RULING), Ok(false));
        let by_default = Sources::new(FlagValues::new(), |_| None, None);
        assert_eq!(by_default.number(&SERVER_PORT), Ok(3456_u16));
        assert_eq!(by_default.is_on(&AUTO_RULING), Ok(true));
    }

    #[test]
    fn effective_settings_name_their_source_and_mask_secrets() {
        let settings = sources(&[("DEBATE_SERVER_PORT", "1")]);
        let settings = settings.effective(&[SERVER, LIMITS, FORUM]).expect("all are text");
        let shown = |setting: &Setting| {
            let row = settings.iter().find(|row| row.variable == setting.variable);
            let value = row.expect("every row is listed").value.clone();
            value.map(|value| format!("{} ({})", value.text, value.origin))
        };
        assert_eq!(shown(&SERVER_PORT).as_deref(), Some("1 (--port)"));
        assert_eq!(shown(&MAX_SOCKETS).as_deref(), Some("4 (max_sockets in c.toml)"));
        assert_eq!(shown(&AUTH_TOKEN).as_deref(), Some("(not shown) (DEBATE_AUTH_TOKEN)"));
        assert_eq!(shown(&ADMIN_TOKEN), None);
        assert!(!format!("{settings:?}").contains("secret-of"));
    }

    #[test]
    fn invalid_value_is_shown_with_the_accepted_ones() {
        let invalid = sources(&[("DEBATE_SERVER_PORT", "http")]);
        let message = invalid.number::<u16>(&SERVER_PORT).expect_err("it is no number").to_string();
        assert_eq!(message, "--port=http: expected a whole number from 0 to 65535");
    }
}
