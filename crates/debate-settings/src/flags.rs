//! Command line flags, generated from the rows of the table.

use std::collections::BTreeMap;
use std::fmt;
use std::marker::PhantomData;

use clap::{ArgMatches, Args, Command, FromArgMatches};

use crate::{Setting, SettingGroup};

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
