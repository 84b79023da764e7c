//! The command line of `aw config`.

use clap::{Args, Subcommand};

use super::Common;

/// The arguments of `aw config`.
#[derive(Debug, Args)]
#[command(
    arg_required_else_help = true,
    after_help = "\
Examples:
  aw config init
  aw config show
  aw config set-key openai

AW_CONFIG names another file than ~/.aweave/config.toml."
)]
pub struct ConfigArgs {
    #[command(flatten)]
    pub(crate) common: Common,
    #[command(subcommand)]
    pub(crate) command: ConfigCommand,
}

#[derive(Debug, Subcommand)]
pub(crate) enum ConfigCommand {
    /// Write a configuration file with every setting and its default as comments
    #[command(after_help = "\
Example:
  aw config init

The command does not overwrite an existing file.")]
    Init,
    /// Show the effective settings and their sources; secrets are not shown
    #[command(after_help = "\
Examples:
  aw config show
  aw config show --format json")]
    Show,
    /// Print the path of the configuration file
    #[command(after_help = "\
Example:
  aw config path --format text")]
    Path,
    /// Save the API key of a provider in the configuration file, readable only by you
    #[command(after_help = "\
Examples:
  aw config set-key openai
  aw config set-key anthropic < key.txt

On a terminal the command asks for the key and does not show it. Restart the server afterwards:
  aw restart")]
    SetKey(SetKeyArgs),
}

#[derive(Debug, Args)]
pub(crate) struct SetKeyArgs {
    /// Provider of the key
    #[arg(value_parser = KEY_PROVIDERS)]
    pub(crate) provider: String,
}

/// The providers with a key in the table of settings: `OPENAI_API_KEY` is the key of `openai`.
const KEY_PROVIDERS: [&str; 3] = ["openai", "anthropic", "gemini"];

#[cfg(test)]
mod tests {
    use debate_settings::table::PROVIDERS;

    use super::KEY_PROVIDERS;

    #[test]
    fn every_key_of_the_settings_can_be_saved() {
        let rows = PROVIDERS.settings.iter().filter(|row| row.is_secret());
        let keys: Vec<_> = rows.map(|row| row.variable.to_owned()).collect();
        let named = KEY_PROVIDERS.map(|name| format!("{}_API_KEY", name.to_ascii_uppercase()));
        assert_eq!(keys, named);
    }
}
