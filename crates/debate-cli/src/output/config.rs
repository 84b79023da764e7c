//! The output of `aw config`.

use std::path::PathBuf;

use debate_settings::{EffectiveSetting, SettingValue};
use debate_wire::agent::Response;
use serde_json::{Value, json};

use super::table::{Cell, Table};
use super::text::TextStyle;

/// The result of an `aw config` command that succeeded.
pub(crate) enum ConfigOutput {
    Path {
        path: PathBuf,
        exists: bool,
    },
    /// A new file was written.
    Written {
        path: PathBuf,
    },
    /// The key of a provider was saved.
    KeySaved {
        path: PathBuf,
        setting: &'static str,
    },
    /// The effective settings, secrets masked.
    Settings {
        path: PathBuf,
        settings: Vec<EffectiveSetting>,
    },
}

impl ConfigOutput {
    pub(super) fn response(&self) -> Response {
        Response::new(&match self {
            Self::Path { path, exists } => json!({ "path": path, "exists": exists }),
            Self::Written { path } => json!({ "path": path, "written": true }),
            Self::KeySaved { path, setting } => json!({ "path": path, "setting": setting }),
            Self::Settings { path, settings } => {
                let rows: Vec<Value> = settings.iter().map(setting_json).collect();
                json!({ "path": path, "settings": rows })
            }
        })
    }

    pub(super) fn text(&self, style: TextStyle) -> String {
        match self {
            Self::Path { path, .. } => format!("{}\n", path.display()),
            Self::Written { path } => format!("Wrote {}\n", path.display()),
            Self::KeySaved { path, setting } => {
                let path = path.display();
                format!("Saved {setting} in {path}. Restart the server with `aw restart`.\n")
            }
            Self::Settings { settings, .. } => settings_table(settings).text(style),
        }
    }
}

fn setting_json(setting: &EffectiveSetting) -> Value {
    let value = setting.value.as_ref();
    json!({
        "name": setting.variable,
        "value": value.map(|value| &value.text),
        "source": value.map(|value| &value.origin),
    })
}

/// The settings with their values and sources.
pub(super) fn settings_table(settings: &[EffectiveSetting]) -> Table {
    let mut table = Table::new(&["Setting", "Value"]).with_last("Source");
    for setting in settings {
        let (text, origin) = match &setting.value {
            Some(SettingValue { text, origin }) => (text.as_str(), origin.as_str()),
            None => ("", "not set"),
        };
        let colour = if origin == "the default" || origin == "not set" { "2" } else { "32" };
        table.add(vec![Cell::new(setting.variable), Cell::painted(text, colour)], origin);
    }
    table
}
