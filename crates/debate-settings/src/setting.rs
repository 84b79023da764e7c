//! A setting and its forms: environment variable, flag, key of the configuration file, help line.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use clap::{Arg, ArgMatches, Args, Command, FromArgMatches};

/// One row of the table of settings.
#[derive(Debug, Clone, Copy)]
pub struct Setting {
    /// The environment variable, which is also the name in messages and documents.
    pub variable: &'static str,
    /// The type and range of accepted values.
    pub kind: ValueKind,
    /// The value where none is given, written as a user would write it.
    pub default: Option<&'static str>,
    /// The flag of `aw serve`, if the setting has one. Secrets have none, because other users of
    /// the machine can see the arguments of a process.
    pub flag: Option<Flag>,
    /// Markdown. The first sentence is the line in `--help`.
    pub description: &'static str,
}

/// A command line flag.
#[derive(Debug, Clone, Copy)]
pub struct Flag {
    /// The name without `--`.
    pub name: &'static str,
    /// The placeholder for the value in `--help`.
    pub value_name: &'static str,
}

/// The values that a setting accepts.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ValueKind {
    /// Text that the reader of the setting parses.
    Text,
    /// Text that is never shown, and that makes the file that contains it private.
    Secret,
    /// Either `true` or `false`.
    Bool,
    /// `true` or `false`; the flag without a value means `true`.
    Switch,
    /// A whole number between two bounds, both included.
    Integer(u64, u64),
    /// Seconds from 0 to 86400, with decimals.
    Seconds,
    /// One of these words.
    OneOf(&'static [&'static str]),
}

/// Settings in one table of `docs/configuration.md`. Groups with the same title share a table.
#[derive(Debug, Clone, Copy)]
pub struct SettingGroup {
    /// The heading of the section in the document.
    pub title: &'static str,
    /// The heading in `aw serve --help`; none for the general options.
    pub help_heading: Option<&'static str>,
    /// Whether the configuration file can contain these settings.
    pub in_file: bool,
    /// The rows, in the order of the document.
    pub settings: &'static [Setting],
}

/// Accepted values, as the end of the sentence "expected …".
impl fmt::Display for ValueKind {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Text => f.write_str("text"),
            Self::Secret => f.write_str("printable ASCII characters without spaces"),
            Self::Bool | Self::Switch => f.write_str("true or false"),
            Self::Integer(min, max) => write!(f, "a whole number from {min} to {max}"),
            Self::Seconds => f.write_str("a number of seconds from 0 to 86400"),
            Self::OneOf(words) => f.write_str(&words.join(" or ")),
        }
    }
}

impl Setting {
    /// The key in the configuration file: `DEBATE_SERVER_PORT` is `server_port`.
    #[must_use]
    pub fn file_key(&self) -> String {
        let name = self.variable.strip_prefix("DEBATE_").unwrap_or(self.variable);
        name.to_ascii_lowercase()
    }

    /// Whether the value must not be shown.
    #[must_use]
    pub const fn is_secret(&self) -> bool {
        matches!(self.kind, ValueKind::Secret)
    }

    /// The first sentence of the description, without Markdown and without its full stop.
    #[must_use]
    pub fn summary(&self) -> String {
        let sentence =
            self.description.split_once(". ").map_or(self.description, |(first, _)| first);
        sentence.trim_end_matches('.').replace('`', "")
    }

    /// The line in `--help`: `Port to listen on [DEBATE_SERVER_PORT, 3456]`.
    #[must_use]
    pub fn help(&self) -> String {
        let default = self.default.map(|default| format!(", {default}")).unwrap_or_default();
        format!("{} [{}{default}]", self.summary(), self.variable)
    }

    /// The flag as an argument for clap, known by the name of the variable.
    pub(crate) fn arg(&self, heading: Option<&'static str>) -> Option<Arg> {
        let flag = self.flag?;
        let arg = Arg::new(self.variable)
            .long(flag.name)
            .value_name(flag.value_name)
            .help(self.help())
            .help_heading(heading);
        Some(match self.kind {
            ValueKind::Switch => arg.num_args(0..=1).default_missing_value("true"),
            ValueKind::Text
            | ValueKind::Secret
            | ValueKind::Bool
            | ValueKind::Integer(..)
            | ValueKind::Seconds
            | ValueKind::OneOf(_) => arg,
        })
    }
}

/// The settings whose flags a command has.
pub trait FlagSet {
    /// Every group with a flag of the command.
    const GROUPS: &'static [SettingGroup];

    /// Whether the command has the flag of this setting.
    #[must_use]
    fn contains(_setting: &Setting) -> bool {
        true
    }
}

/// The values of flags, by the variable of their setting.
pub type FlagValues = BTreeMap<&'static str, String>;

/// Flags of the settings in `S`, for `#[command(flatten)]`.
pub struct Flags<S> {
    values: FlagValues,
    set: PhantomData<S>,
}

impl<S> Flags<S> {
    /// The flags that were given.
    #[must_use]
    pub const fn values(&self) -> &FlagValues {
        &self.values
    }
}

impl<S> Default for Flags<S> {
    fn default() -> Self {
        Self { values: FlagValues::new(), set: PhantomData }
    }
}

/// Only the names: a database URL may contain a password.
impl<S> fmt::Debug for Flags<S> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.debug_set().entries(self.values.keys()).finish()
    }
}

fn rows<S: FlagSet>() -> impl Iterator<Item = (Option<&'static str>, &'static Setting)> {
    let rows = S::GROUPS
        .iter()
        .flat_map(|group| group.settings.iter().map(|setting| (group.help_heading, setting)));
    rows.filter(|(_, setting)| S::contains(setting))
}

impl<S: FlagSet> Args for Flags<S> {
    fn augment_args(command: Command) -> Command {
        command.args(rows::<S>().filter_map(|(heading, setting)| setting.arg(heading)))
    }

    fn augment_args_for_update(command: Command) -> Command {
        Self::augment_args(command)
    }
}

impl<S: FlagSet> FromArgMatches for Flags<S> {
    fn from_arg_matches(matches: &ArgMatches) -> Result<Self, clap::Error> {
        let mut flags = Self::default();
        flags.update_from_arg_matches(matches)?;
        Ok(flags)
    }

    fn update_from_arg_matches(&mut self, matches: &ArgMatches) -> Result<(), clap::Error> {
        for (_, setting) in rows::<S>().filter(|(_, setting)| setting.flag.is_some()) {
            if let Some(text) = matches.get_one::<String>(setting.variable) {
                self.values.insert(setting.variable, text.clone());
            }
        }
        Ok(())
    }
}
