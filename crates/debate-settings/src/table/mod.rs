//! Every setting, in the order of `docs/configuration.md`.

mod command_line;
mod forum;
mod runner;
mod server;

pub use command_line::*;
pub use forum::*;
pub use runner::*;
pub use server::*;

use crate::{FlagSet, Setting, SettingGroup};

/// All settings, by group.
pub const GROUPS: &[SettingGroup] =
    &[SERVER, DATABASE, LIMITS, DEBATES, RUNS, PROVIDERS, FORUM, CONFIG, PROCESS, COMMAND_LINE];

/// The settings of `aw serve`.
#[derive(Debug)]
pub enum ServeSettings {}

impl FlagSet for ServeSettings {
    const GROUPS: &'static [SettingGroup] =
        &[SERVER, CONFIG, DATABASE, LIMITS, DEBATES, RUNS, FORUM];
}

/// The settings that select the database of an `aw db` command.
#[derive(Debug)]
pub enum DatabaseSelection {}

impl FlagSet for DatabaseSelection {
    const GROUPS: &'static [SettingGroup] = &[DATABASE, CONFIG];

    fn contains(setting: &Setting) -> bool {
        [&DB_PATH, &DATABASE_URL, &CONFIG_FILE].iter().any(|row| row.variable == setting.variable)
    }
}

/// The confirmations that `aw serve` and `aw db migrate` accept for a database file.
#[derive(Debug)]
pub enum DatabaseConfirmations {}

impl FlagSet for DatabaseConfirmations {
    const GROUPS: &'static [SettingGroup] = &[DATABASE];

    fn contains(setting: &Setting) -> bool {
        matches!(setting.kind, crate::ValueKind::Switch)
    }
}

/// The row for a variable of the server's settings in the configuration file.
pub fn file_settings() -> impl Iterator<Item = &'static Setting> {
    GROUPS.iter().filter(|group| group.in_file).flat_map(|group| group.settings)
}

/// Defines the rows of one group, and the group itself.
///
/// `NAME: "VARIABLE", kind, [default "…",] [flag "name" "VALUE",] "description";`
macro_rules! settings {
    ($(#[$doc:meta])* $group:ident { title: $title:expr, help_heading: $heading:expr,
        in_file: $in_file:expr }
     $($name:ident: $variable:literal, $kind:expr, $(default $default:literal,)?
        $(flag $flag:literal $value:literal,)? $description:literal;)+) => {
        $(
            #[doc = $description]
            pub const $name: Setting = Setting {
                variable: $variable,
                kind: $kind,
                default: settings!(@option $($default)?),
                flag: settings!(@option $(Flag { name: $flag, value_name: $value })?),
                description: $description,
            };
        )+
        $(#[$doc])*
        pub const $group: SettingGroup = SettingGroup {
            title: $title,
            help_heading: $heading,
            in_file: $in_file,
            settings: &[$($name),+],
        };
    };
    (@option) => { None };
    (@option $value:expr) => { Some($value) };
}
use settings;

#[cfg(test)]
mod tests {
    use std::collections::BTreeSet;

    use super::*;
    use crate::{FlagValues, Sources, ValueKind};

    #[test]
    fn default_is_accepted_by_its_setting() {
        let sources = Sources::new(FlagValues::new(), |_| None, None);
        for setting in GROUPS.iter().flat_map(|group| group.settings) {
            let error = match setting.kind {
                ValueKind::Text | ValueKind::Secret => None,
                ValueKind::Bool | ValueKind::Switch => sources.is_on(setting).err(),
                ValueKind::Integer(..) => sources.optional_number(setting).err(),
                ValueKind::Seconds => sources.seconds(setting).err(),
                ValueKind::OneOf(_) => sources.word(setting).err(),
            };
            assert_eq!(error, None);
        }
    }

    #[test]
    fn flags_and_file_keys_are_unique() {
        let keys: Vec<_> = file_settings().map(Setting::file_key).collect();
        assert_eq!(keys.iter().collect::<BTreeSet<_>>().len(), keys.len(), "{keys:?}");
        let command =
            <crate::Flags<ServeSettings> as clap::Args>::augment_args(clap::Command::new("serve"));
        command.debug_assert();
    }

    #[test]
    fn secrets_have_no_flag_except_the_database_url() {
        let rows = GROUPS.iter().flat_map(|group| group.settings);
        let secrets = rows.filter(|row| row.is_secret() && row.flag.is_some());
        assert_eq!(secrets.map(|row| row.variable).collect::<Vec<_>>(), [DATABASE_URL.variable]);
    }
}
