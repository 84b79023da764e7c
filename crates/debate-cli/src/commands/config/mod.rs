//! `aw config`: the configuration file of the server.

mod file_edit;
mod secret_input;

use std::fs::{self, OpenOptions};
use std::io::{self, Write};
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt};
use std::path::{Path, PathBuf};

use debate_settings::table::{CONFIG_FILE, PROVIDERS};
use debate_settings::{EffectiveSetting, FlagValues, SettingValue, Sources, render_config_file};

use crate::args::{ConfigArgs, ConfigCommand, SetKeyArgs};
use crate::failure::Failure;
use crate::output::{CommandOutput, ConfigOutput};
use crate::settings::ProcessEnvironment;

/// Loads the settings that a server started in this environment would have, or says why it
/// cannot.
pub type LoadSettings = fn() -> Result<Vec<EffectiveSetting>, String>;

pub(super) fn dispatch(
    args: &ConfigArgs,
    environment: &ProcessEnvironment,
    load: LoadSettings,
) -> Result<CommandOutput, Failure> {
    let path = config_path(environment)?;
    let output = match &args.command {
        ConfigCommand::Init => init(path)?,
        ConfigCommand::Show => {
            let advice = "correct the setting; `aw config path` prints the configuration file";
            let settings = load().map_err(|message| Failure::input(message, advice))?;
            ConfigOutput::Settings { path, settings }
        }
        ConfigCommand::Path => ConfigOutput::Path { exists: path.exists(), path },
        ConfigCommand::SetKey(args) => set_key(args, path)?,
    };
    Ok(CommandOutput::Config(output))
}

fn config_path(environment: &ProcessEnvironment) -> Result<PathBuf, Failure> {
    let sources = Sources::new(FlagValues::new(), environment.variable, None);
    let found = sources.find(&CONFIG_FILE)?;
    Ok(found.as_ref().map(SettingValue::to_path).unwrap_or_default())
}

fn init(path: PathBuf) -> Result<ConfigOutput, Failure> {
    create_folder(&path)?;
    let mut options = OpenOptions::new();
    let created = options.write(true).create_new(true).mode(0o600).open(&path);
    let written = created.and_then(|mut file| file.write_all(render_config_file().as_bytes()));
    match written {
        Ok(()) => Ok(ConfigOutput::Written { path }),
        Err(err) if err.kind() == io::ErrorKind::AlreadyExists => {
            let message = format!("{} exists already", path.display());
            Err(Failure::input(message, "edit it, or set AW_CONFIG to another file"))
        }
        Err(cause) => Err(Failure::File { path, cause }),
    }
}

fn set_key(args: &SetKeyArgs, path: PathBuf) -> Result<ConfigOutput, Failure> {
    let variable = format!("{}_API_KEY", args.provider.to_ascii_uppercase());
    let row = PROVIDERS.settings.iter().find(|row| row.variable == variable);
    let row = row.ok_or_else(|| Failure::Local(format!("no setting {variable}")))?;
    let key = secret_input::read(&format!("API key of {}: ", args.provider))?;
    let before = match fs::read_to_string(&path) {
        Err(err) if err.kind() == io::ErrorKind::NotFound => String::new(),
        text => text.map_err(|err| Failure::from_file(&path, err))?,
    };
    let after = file_edit::set(&before, &row.file_key(), &key).ok_or_else(|| {
        let message = format!("cannot add the key to {}", path.display());
        let line = format!("{} = \"YOUR KEY\"", row.file_key());
        Failure::input(message, format!("add this line before the first table: {line}"))
    })?;
    create_folder(&path)?;
    replace(&path, &after).map_err(|cause| Failure::File { path: path.clone(), cause })?;
    Ok(ConfigOutput::KeySaved { path, setting: row.variable })
}

fn create_folder(path: &Path) -> Result<(), Failure> {
    let Some(folder) = path.parent().filter(|folder| !folder.as_os_str().is_empty()) else {
        return Ok(());
    };
    let created = fs::DirBuilder::new().recursive(true).mode(0o700).create(folder);
    created.map_err(|cause| Failure::File { path: folder.to_owned(), cause })
}

/// Replaces the file atomically by one that only its owner can read. A symbolic link stays, and
/// the file behind it is replaced.
fn replace(path: &Path, text: &str) -> io::Result<()> {
    let path = fs::canonicalize(path).unwrap_or_else(|_| path.to_owned());
    let temp_path = path.with_extension("toml.new");
    match fs::remove_file(&temp_path) {
        Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(err),
        Ok(()) | Err(_) => {}
    }
    let mut file = OpenOptions::new().write(true).create_new(true).mode(0o600).open(&temp_path)?;
    file.write_all(text.as_bytes())?;
    file.sync_all()?;
    fs::rename(&temp_path, path)
}
