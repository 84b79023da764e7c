//! The settings of the server and of the command line, defined once.
//!
//! A row of [`table`] holds a setting's name, accepted values, default, flag and description. The
//! flags of `aw serve`, the keys of the configuration file, the lines of `--help`, the tables of
//! `docs/configuration.md` and the parsed values all come from that row. To add a setting, add a
//! row, run the tests of this crate with `UPDATE_DOCS=1`, and read the value through [`Sources`].

mod config_file;
mod page;
mod setting;
mod sources;
pub mod table;

pub use config_file::render_config_file;
pub use page::render_tables;
pub use setting::{Flag, FlagSet, FlagValues, Flags, Setting, SettingGroup, ValueKind};
pub use sources::{
    EffectiveSetting, FileValues, SettingError, SettingValue, Sources, VariableReader, expand_home,
};
