//! Every setting with its default and its bounds.

mod consent;
mod file;
mod forum;
mod models;
mod original;
#[cfg(test)]
mod reference;
mod runner;
mod values;

use std::ops::RangeInclusive;
use std::time::Duration;

use anyhow::bail;
use debate_core::RateLimit;
use debate_http::BasePath;
use debate_store::Consent;

pub(crate) use self::consent::ConsentArgs;
use self::file::{check_variables, read_file};
pub(crate) use self::forum::{ForumArgs, ForumConfig, Unruled};
pub(crate) use self::original::IgnoredVariable;
pub(crate) use self::runner::{RunnerArgs, RunnerConfig};
pub(crate) use self::values::TOKEN_CHARS_MIN;
use self::values::{Asked, base_path, flag, hosts, is_short, origins, size, token};
use crate::database::{self, Place};
use crate::settings::{BadValue, Sources};

/// `aw serve`
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Brackets show each flag's environment variable and its default. A flag overrides the variable, and
the variable overrides the configuration file. Tokens have no flags, because other users of the
machine could see them: set DEBATE_AUTH_TOKEN, or auth_token in a file that only you can read.")]
pub(crate) struct ServeArgs {
    /// Address to listen on [DEBATE_SERVER_HOST, 127.0.0.1]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
    /// Port to listen on; 0 picks a free port [DEBATE_SERVER_PORT, 3456]
    #[arg(long)]
    pub(crate) port: Option<String>,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    #[command(flatten)]
    pub(crate) consent: ConsentArgs,
    /// Timeout of a PostgreSQL query or connection [DEBATE_DATABASE_TIMEOUT_MS, 10000]
    #[arg(long, value_name = "MS")]
    pub(crate) database_timeout_ms: Option<String>,
    /// Maximum duration of a long poll [DEBATE_POLL_TIMEOUT_MS, 60000]
    #[arg(long, value_name = "MS")]
    pub(crate) poll_timeout_ms: Option<String>,
    /// Request and idle-connection timeout [DEBATE_HTTP_TIMEOUT_MS, 65000]
    #[arg(long, value_name = "MS")]
    pub(crate) http_timeout_ms: Option<String>,
    /// Maximum size of an argument [DEBATE_MAX_CONTENT_LENGTH, 10240]
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_content_length: Option<String>,
    /// Whether a resolution closes its debate automatically [DEBATE_AUTO_RULING, true]
    #[arg(long, value_name = "true|false")]
    pub(crate) auto_ruling: Option<String>,
    /// Additional host names of the server, comma-separated [DEBATE_ALLOWED_HOSTS]
    #[arg(long, value_name = "NAMES")]
    pub(crate) allowed_hosts: Option<String>,
    /// Origins whose pages may call the API, comma-separated [DEBATE_ALLOWED_ORIGINS]
    #[arg(long, value_name = "ORIGINS")]
    pub(crate) allowed_origins: Option<String>,
    /// Path prefix behind a reverse proxy, such as /debating [DEBATE_BASE_PATH]
    #[arg(long, value_name = "PATH")]
    pub(crate) base_path: Option<String>,
    /// Maximum number of connections [DEBATE_MAX_CONNECTIONS, 20000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_connections: Option<String>,
    /// Maximum number of connections from one network [DEBATE_MAX_CONNECTIONS_PER_ADDRESS, 256]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_connections_per_address: Option<String>,
    /// Maximum number of waiting requests [DEBATE_MAX_WAITERS, 20000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_waiters: Option<String>,
    /// Maximum number of waiting requests on one debate [DEBATE_MAX_WAITERS_PER_DEBATE, 5000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_waiters_per_debate: Option<String>,
    /// Maximum number of WebSockets [DEBATE_MAX_SOCKETS, 5000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_sockets: Option<String>,
    /// Maximum wrong tokens per minute from one network [DEBATE_WRONG_TOKENS_PER_MINUTE, 10]
    #[arg(long, value_name = "COUNT")]
    pub(crate) wrong_tokens_per_minute: Option<String>,
    /// Maximum number of writes in one commit; 1 turns batching off [DEBATE_WRITE_BATCH, 512]
    #[arg(long, value_name = "COUNT")]
    pub(crate) write_batch: Option<String>,
    /// Free disk space below which the server refuses writes; 0 turns the check off
    /// [DEBATE_MIN_FREE_MB, 64]
    #[arg(long, value_name = "MB")]
    pub(crate) min_free_mb: Option<String>,
    #[command(flatten)]
    pub(crate) runner: RunnerArgs,
    #[command(flatten)]
    pub(crate) forum: ForumArgs,
}

/// The flags that select the database.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
pub(crate) struct DatabaseArgs {
    /// SQLite database file [DEBATE_DB_PATH, ~/.aweave/db/debate.db]
    #[arg(long, value_name = "FILE")]
    pub(crate) db_path: Option<String>,
    /// Database URL: postgres://…, file:PATH or sqlite:PATH [DEBATE_DATABASE_URL]
    #[arg(long, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    /// Configuration file with the same settings [AW_CONFIG, ~/.aweave/config.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
}

impl DatabaseArgs {
    /// The database that a server with these settings would use.
    pub(crate) fn place(&self, environment: fn(&str) -> Option<String>) -> anyhow::Result<Place> {
        database::place(self, &self.sources(environment)?)
    }

    /// That database, and what the operator has agreed to.
    pub(crate) fn place_with_consent(
        &self,
        consent: &ConsentArgs,
        environment: fn(&str) -> Option<String>,
    ) -> anyhow::Result<(Place, Consent)> {
        let sources = self.sources(environment)?;
        let consent = consent.load(&Asked { sources: &sources })?;
        Ok((database::place(self, &sources)?, consent))
    }

    fn sources(&self, environment: fn(&str) -> Option<String>) -> anyhow::Result<Sources> {
        check_variables()?;
        Ok(Sources::new(environment, read_file(self, environment)?))
    }
}

/// What the server is run with.
pub(crate) struct Config {
    pub(crate) host: String,
    pub(crate) port: u16,
    /// Kept out of every log: this type has no Debug.
    pub(crate) token: Option<String>,
    pub(crate) database: Place,
    pub(crate) consent: Consent,
    /// How long an answer of PostgreSQL, or a connection to one of its hosts, may take.
    pub(crate) database_timeout: Duration,
    pub(crate) poll_timeout: Duration,
    pub(crate) http_timeout: Duration,
    pub(crate) auto_ruling: bool,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) base_path: BasePath,
    pub(crate) bounds: Bounds,
    pub(crate) runner: RunnerConfig,
    pub(crate) forum: ForumConfig,
    pub(crate) ignored_variables: Vec<IgnoredVariable>,
}

/// How much of anything there may be.
pub(crate) struct Bounds {
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

/// The most bytes an argument may be allowed to have: more would no longer be an argument.
const CONTENT_MAX: u64 = 1024 * 1024;

/// A petabyte: more than any disk of one server has.
const FREE_MB_MAX: u64 = 1 << 30;

/// A shorter wait would take a busy PostgreSQL for one that hangs, a longer one is no protection.
const DATABASE_TIMEOUT_MS: RangeInclusive<u64> = 1_000..=600_000;

/// More clients than one process can hold.
const CLIENTS_MAX: u64 = 1_000_000;

impl Config {
    pub(crate) fn load(
        args: &ServeArgs,
        environment: fn(&str) -> Option<String>,
    ) -> anyhow::Result<Self> {
        let sources = args.database.sources(environment)?;
        let asked = Asked { sources: &sources };
        let port = asked.number(args.port.as_ref(), "DEBATE_SERVER_PORT", 3456, 0..=65535)?;
        let token = token(sources.find(None, "DEBATE_AUTH_TOKEN"))?;
        let config = Self {
            host: asked
                .find(args.host.as_ref(), "DEBATE_SERVER_HOST")
                .map_or_else(|| "127.0.0.1".to_owned(), |found| found.text),
            port: u16::try_from(port).unwrap_or_default(),
            database: database::place(&args.database, &sources)?,
            consent: args.consent.load(&asked)?,
            database_timeout: Duration::from_millis(asked.number(
                args.database_timeout_ms.as_ref(),
                "DEBATE_DATABASE_TIMEOUT_MS",
                10_000,
                DATABASE_TIMEOUT_MS,
            )?),
            poll_timeout: asked.span(
                args.poll_timeout_ms.as_ref(),
                "DEBATE_POLL_TIMEOUT_MS",
                60_000,
            )?,
            http_timeout: asked.span(
                args.http_timeout_ms.as_ref(),
                "DEBATE_HTTP_TIMEOUT_MS",
                65_000,
            )?,
            auto_ruling: flag(asked.find(args.auto_ruling.as_ref(), "DEBATE_AUTO_RULING"), true)?,
            allowed_hosts: hosts(asked.find(args.allowed_hosts.as_ref(), "DEBATE_ALLOWED_HOSTS"))?,
            allowed_origins: origins(
                asked.find(args.allowed_origins.as_ref(), "DEBATE_ALLOWED_ORIGINS"),
            )?,
            base_path: base_path(asked.find(args.base_path.as_ref(), "DEBATE_BASE_PATH"))?,
            bounds: Bounds::load(args, &asked)?,
            runner: RunnerConfig::load(&args.runner, &asked)?,
            forum: ForumConfig::load(&args.forum, &asked, token.as_ref())?,
            ignored_variables: original::ignored_variables(args, &asked),
            token,
        };
        config.agree()?;
        Ok(config)
    }

    /// The variables whose tokens are too short to resist guessing.
    pub(crate) fn short_tokens(&self) -> Vec<&'static str> {
        let general = self.token.as_deref().is_some_and(is_short);
        let tokens =
            [(general, "DEBATE_AUTH_TOKEN"), (self.forum.has_short_token, "DEBATE_ADMIN_TOKEN")];
        tokens.into_iter().filter(|(short, _)| *short).map(|(_, variable)| variable).collect()
    }

    /// What must hold between two settings.
    fn agree(&self) -> anyhow::Result<()> {
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

impl Bounds {
    fn load(args: &ServeArgs, asked: &Asked<'_>) -> Result<Self, BadValue> {
        let count = |flag: &Option<String>, variable, default, most| {
            asked.number(flag.as_ref(), variable, default, 1..=most)
        };
        let content =
            count(&args.max_content_length, "DEBATE_MAX_CONTENT_LENGTH", 10_240, CONTENT_MAX)?;
        let connections =
            count(&args.max_connections, "DEBATE_MAX_CONNECTIONS", 20_000, CLIENTS_MAX)?;
        let per_address = &args.max_connections_per_address;
        let per_address =
            count(per_address, "DEBATE_MAX_CONNECTIONS_PER_ADDRESS", 256, CLIENTS_MAX)?;
        let waiters = count(&args.max_waiters, "DEBATE_MAX_WAITERS", 20_000, CLIENTS_MAX)?;
        let per_debate = &args.max_waiters_per_debate;
        let per_debate = count(per_debate, "DEBATE_MAX_WAITERS_PER_DEBATE", 5_000, CLIENTS_MAX)?;
        let sockets = count(&args.max_sockets, "DEBATE_MAX_SOCKETS", 5_000, CLIENTS_MAX)?;
        let batch = count(&args.write_batch, "DEBATE_WRITE_BATCH", 512, 4096)?;
        let min_free_mb = args.min_free_mb.as_ref();
        let min_free_mb = asked.number(min_free_mb, "DEBATE_MIN_FREE_MB", 64, 0..=FREE_MB_MAX)?;
        Ok(Self {
            content_bytes_max: size(content),
            connections_max: size(connections),
            connections_per_address_max: size(per_address),
            waiters_max: size(waiters),
            waiters_per_debate_max: size(per_debate),
            sockets_max: u32::try_from(sockets).unwrap_or(u32::MAX),
            wrong_tokens_per_minute: asked.limit(
                args.wrong_tokens_per_minute.as_ref(),
                "DEBATE_WRONG_TOKENS_PER_MINUTE",
                10,
            )?,
            write_batch_max: size(batch),
            write_queue_max: 4096,
            readers: 4,
            free_bytes_min: min_free_mb << 20,
            shutdown_grace: Duration::from_secs(10),
        })
    }
}
