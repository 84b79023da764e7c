//! The configuration of a server, from the rows of `debate_settings::table`.

mod file;
mod forum;
mod models;
mod runner;
mod values;

use std::ffi::OsString;
use std::time::Duration;

use anyhow::bail;
use debate_core::RateLimit;
use debate_http::BasePath;
use debate_settings::table::{
    ACCEPT_DATABASE_AS_IS, ALLOWED_HOSTS, ALLOWED_ORIGINS, AUTH_TOKEN, AUTO_RULING, BASE_PATH,
    CONFIRM_CARRY_OVER, DATABASE_TIMEOUT_MS, DatabaseConfirmations, DatabaseSelection, GROUPS,
    HTTP_TIMEOUT_MS, MAX_CONNECTIONS, MAX_CONNECTIONS_PER_ADDRESS, MAX_CONTENT_LENGTH, MAX_SOCKETS,
    MAX_WAITERS, MAX_WAITERS_PER_DEBATE, MIN_FREE_MB, POLL_TIMEOUT_MS, SEATS, SERVER_HOST,
    SERVER_PORT, ServeSettings, WRITE_BATCH, WRONG_TOKENS_PER_MINUTE,
};
use debate_settings::{EffectiveSetting, FlagValues, Flags, SettingError, Sources};
use debate_store::Consent;

use self::file::ConfigFile;
pub(crate) use self::forum::{EvaluationPolicy, ForumConfig};
pub(crate) use self::runner::RunnerConfig;
pub(crate) use self::values::TOKEN_CHARS_MIN;
use self::values::{is_short, parse_base_path, parse_hosts, parse_origins, rate_limit};
use crate::arbitrator::ArbitratorFile;
use crate::database::{self, DatabaseLocation};

/// The arguments of `aw serve`.
#[derive(Debug, clap::Args)]
#[command(after_help = "\
Brackets show each flag's environment variable and its default. A flag overrides the variable, and
the variable overrides the configuration file. Tokens have no flags, because other users of the
machine could see them: set DEBATE_AUTH_TOKEN, or auth_token in a file that only you can read.")]
pub(crate) struct ServeArgs {
    #[command(flatten)]
    flags: Flags<ServeSettings>,
}

/// The flags that select the database of an `aw db` command.
#[derive(Debug, Default, clap::Args)]
pub(crate) struct DatabaseArgs {
    #[command(flatten)]
    flags: Flags<DatabaseSelection>,
}

/// The flags of `aw db migrate`.
#[derive(Debug, clap::Args)]
pub(crate) struct MigrateArgs {
    #[command(flatten)]
    database: DatabaseArgs,
    #[command(flatten)]
    confirmations: Flags<DatabaseConfirmations>,
}

impl DatabaseArgs {
    /// The database that a server with these settings would use.
    pub(crate) fn location(&self) -> anyhow::Result<DatabaseLocation> {
        let (sources, _) = load_sources(self.flags.values().clone())?;
        database::configured_location(&sources)
    }
}

impl MigrateArgs {
    /// The database to migrate, and the confirmations of the operator.
    pub(crate) fn load(&self) -> anyhow::Result<(DatabaseLocation, Consent)> {
        let mut flags = self.database.flags.values().clone();
        flags.extend(self.confirmations.values().clone());
        let (sources, _) = load_sources(flags)?;
        Ok((database::configured_location(&sources)?, consent(&sources)?))
    }
}

fn load_sources(flags: FlagValues) -> anyhow::Result<(Sources, Option<ConfigFile>)> {
    let variable = |name: &str| -> Option<OsString> { std::env::var_os(name) };
    let file = file::read(&Sources::new(flags.clone(), variable, None))?;
    let values = file.as_ref().map(ConfigFile::values);
    Ok((Sources::new(flags, variable, values), file))
}

/// Every setting that a server started in this environment would have, secrets masked.
pub(crate) fn effective_settings() -> Result<Vec<EffectiveSetting>, String> {
    let load = || -> anyhow::Result<Vec<EffectiveSetting>> {
        let (sources, _) = load_sources(FlagValues::new())?;
        Ok(sources.effective(GROUPS)?)
    };
    load().map_err(|err| format!("{err:#}"))
}

fn consent(sources: &Sources) -> Result<Consent, SettingError> {
    Ok(Consent {
        database_as_is: sources.is_on(&ACCEPT_DATABASE_AS_IS)?,
        carry_over: sources.is_on(&CONFIRM_CARRY_OVER)?,
    })
}

/// The configuration of a server. It has no Debug, because it contains tokens.
pub(crate) struct Config {
    pub(crate) host: String,
    pub(crate) port: u16,
    pub(crate) token: Option<String>,
    pub(crate) database: DatabaseLocation,
    pub(crate) consent: Consent,
    /// The time limit of a PostgreSQL statement and of a connection to one host.
    pub(crate) database_timeout: Duration,
    pub(crate) poll_timeout: Duration,
    pub(crate) http_timeout: Duration,
    pub(crate) auto_ruling: bool,
    pub(crate) seats: bool,
    pub(crate) arbitrator_file: ArbitratorFile,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) base_path: BasePath,
    pub(crate) limits: ServerLimits,
    pub(crate) runner: RunnerConfig,
    pub(crate) forum: ForumConfig,
    pub(crate) ignored_variables: Vec<IgnoredVariable>,
}

/// Limits on clients, writes and memory.
pub(crate) struct ServerLimits {
    pub(crate) content_bytes_max: usize,
    pub(crate) connections_max: usize,
    pub(crate) connections_per_address_max: usize,
    pub(crate) waiters_max: usize,
    pub(crate) waiters_per_debate_max: usize,
    pub(crate) sockets_max: u32,
    pub(crate) wrong_tokens_per_minute: RateLimit,
    pub(crate) write_batch_max: usize,
    pub(crate) write_queue_max: usize,
    pub(crate) readers: usize,
    /// Free disk space below which SQLite writes are refused.
    pub(crate) free_bytes_min: u64,
    pub(crate) shutdown_grace: Duration,
}

/// A variable of the original server, and the variable that this server reads instead.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) struct IgnoredVariable {
    pub(crate) name: &'static str,
    pub(crate) replacement: &'static str,
}

impl Config {
    pub(crate) fn load(args: &ServeArgs) -> anyhow::Result<Self> {
        let (sources, file) = load_sources(args.flags.values().clone())?;
        Self::from_sources(&sources, file.as_ref())
    }

    fn from_sources(sources: &Sources, file: Option<&ConfigFile>) -> anyhow::Result<Self> {
        let milliseconds = |setting| sources.number(setting).map(Duration::from_millis);
        let token = sources.find(&AUTH_TOKEN)?.map(|found| found.to_token()).transpose()?;
        let config = Self {
            host: sources.text(&SERVER_HOST)?,
            port: sources.number(&SERVER_PORT)?,
            database: database::configured_location(sources)?,
            consent: consent(sources)?,
            database_timeout: milliseconds(&DATABASE_TIMEOUT_MS)?,
            poll_timeout: milliseconds(&POLL_TIMEOUT_MS)?,
            http_timeout: milliseconds(&HTTP_TIMEOUT_MS)?,
            auto_ruling: sources.is_on(&AUTO_RULING)?,
            seats: sources.is_on(&SEATS)?,
            arbitrator_file: ArbitratorFile::from_sources(sources)?,
            allowed_hosts: parse_hosts(sources.find(&ALLOWED_HOSTS)?)?,
            allowed_origins: parse_origins(sources.find(&ALLOWED_ORIGINS)?)?,
            base_path: parse_base_path(sources.find(&BASE_PATH)?)?,
            limits: ServerLimits::from_sources(sources)?,
            runner: RunnerConfig::from_sources(sources, file)?,
            forum: ForumConfig::from_sources(sources, token.as_ref())?,
            ignored_variables: ignored_variables(sources)?,
            token,
        };
        config.check_timeouts()?;
        Ok(config)
    }

    /// The variables whose tokens are too short to resist guessing.
    pub(crate) fn short_tokens(&self) -> Vec<&'static str> {
        let is_server_token_short = self.token.as_deref().is_some_and(is_short);
        let tokens = [
            (is_server_token_short, "DEBATE_AUTH_TOKEN"),
            (self.forum.has_short_token, "DEBATE_ADMIN_TOKEN"),
        ];
        tokens.into_iter().filter(|(short, _)| *short).map(|(_, variable)| variable).collect()
    }

    fn check_timeouts(&self) -> anyhow::Result<()> {
        if self.http_timeout <= self.poll_timeout {
            bail!(
                "DEBATE_HTTP_TIMEOUT_MS={}: expected more than DEBATE_POLL_TIMEOUT_MS={}",
                self.http_timeout.as_millis(),
                self.poll_timeout.as_millis()
            );
        }
        Ok(())
    }
}

impl ServerLimits {
    fn from_sources(sources: &Sources) -> Result<Self, SettingError> {
        Ok(Self {
            content_bytes_max: sources.number(&MAX_CONTENT_LENGTH)?,
            connections_max: sources.number(&MAX_CONNECTIONS)?,
            connections_per_address_max: sources.number(&MAX_CONNECTIONS_PER_ADDRESS)?,
            waiters_max: sources.number(&MAX_WAITERS)?,
            waiters_per_debate_max: sources.number(&MAX_WAITERS_PER_DEBATE)?,
            sockets_max: sources.number(&MAX_SOCKETS)?,
            wrong_tokens_per_minute: rate_limit(sources, &WRONG_TOKENS_PER_MINUTE)?,
            write_batch_max: sources.number(&WRITE_BATCH)?,
            write_queue_max: 4096,
            readers: 4,
            free_bytes_min: sources.number::<u64>(&MIN_FREE_MB)? << 20,
            shutdown_grace: Duration::from_secs(10),
        })
    }
}

/// The variables of the original server that are set while their replacements are not.
fn ignored_variables(sources: &Sources) -> Result<Vec<IgnoredVariable>, SettingError> {
    let renamed =
        [("AUTH_TOKEN", AUTH_TOKEN), ("SERVER_HOST", SERVER_HOST), ("SERVER_PORT", SERVER_PORT)];
    let mut ignored = Vec::new();
    for (name, setting) in renamed {
        if sources.environment(name)?.is_some() && sources.configured_value(&setting)?.is_none() {
            ignored.push(IgnoredVariable { name, replacement: setting.variable });
        }
    }
    Ok(ignored)
}

#[cfg(test)]
mod tests {
    use debate_core::runner::RunDefaults;
    use debate_settings::table::{DB_DIR, DB_NAME, DB_PATH};

    use super::*;

    #[test]
    fn defaults_of_the_table_are_those_of_the_rules() {
        let sources = Sources::new(FlagValues::new(), |_| None, None);
        let config = Config::from_sources(&sources, None).expect("the defaults can be used");
        let defaults = config.runner.defaults;
        let models = (defaults.model_debater.clone(), defaults.model_judge.clone());
        assert_eq!(defaults, RunDefaults::with_models(models.0, models.1));
        let folder_and_name = [DB_DIR, DB_NAME].map(|row| row.default.unwrap_or_default());
        assert_eq!(DB_PATH.default, Some(folder_and_name.join("/").as_str()));
        assert!(config.forum.reviewers.is_empty() && config.token.is_none());
    }

    #[test]
    fn limits_of_numbers_in_the_table_are_those_of_the_rules() {
        for text in ["1", "max"] {
            let rows = debate_settings::table::file_settings();
            let flags = rows.filter_map(|row| match (row.kind, text) {
                (debate_settings::ValueKind::Integer(min, _), "1") if row.flag.is_some() => {
                    Some((row.variable, min.to_string()))
                }
                (debate_settings::ValueKind::Integer(_, max), "max") if row.flag.is_some() => {
                    Some((row.variable, max.to_string()))
                }
                _ => None,
            });
            let sources = Sources::new(flags.collect(), |_| None, None);
            RunnerConfig::from_sources(&sources, None).expect("the rules accept both bounds");
            ForumConfig::from_sources(&sources, None).expect("the rules accept both bounds");
            ServerLimits::from_sources(&sources).expect("the rules accept both bounds");
        }
    }
}
