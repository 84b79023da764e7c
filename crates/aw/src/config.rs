//! Everything that can be set, with its default and its bounds, in one place.

use std::fs;
use std::io;
use std::ops::RangeInclusive;
use std::os::unix::fs::PermissionsExt;
use std::path::{Path, PathBuf};
use std::time::Duration;

use anyhow::{Context, bail};
use toml::Table;

use crate::database::{self, Place};
use crate::settings::{BadValue, Found, Sources, expand_home, file_key};

/// `aw serve`
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
#[command(after_help = "\
Every flag has an environment variable, named in brackets; a flag wins over the variable, and the
variable over the file. The token has no flag, because other users could see it: set
DEBATE_AUTH_TOKEN, or auth_token in a file that only you can read.")]
pub(crate) struct ServeArgs {
    /// The address to listen on [DEBATE_SERVER_HOST, 127.0.0.1]
    #[arg(long, value_name = "ADDRESS")]
    pub(crate) host: Option<String>,
    /// The port to listen on; 0 picks a free one [DEBATE_SERVER_PORT, 3456]
    #[arg(long)]
    pub(crate) port: Option<String>,
    #[command(flatten)]
    pub(crate) database: DatabaseArgs,
    /// How long a waiting client is held at most [DEBATE_POLL_TIMEOUT_MS, 60000]
    #[arg(long, value_name = "MS")]
    pub(crate) poll_timeout_ms: Option<String>,
    /// The longest plain request, and the longest idle connection [DEBATE_HTTP_TIMEOUT_MS, 65000]
    #[arg(long, value_name = "MS")]
    pub(crate) http_timeout_ms: Option<String>,
    /// The most bytes an argument has [DEBATE_MAX_CONTENT_LENGTH, 10240]
    #[arg(long, value_name = "BYTES")]
    pub(crate) max_content_length: Option<String>,
    /// Whether a resolution closes its debate by itself [DEBATE_AUTO_RULING, true]
    #[arg(long, value_name = "true|false")]
    pub(crate) auto_ruling: Option<String>,
    /// Further names the server is reached by, comma-separated [DEBATE_ALLOWED_HOSTS]
    #[arg(long, value_name = "NAMES")]
    pub(crate) allowed_hosts: Option<String>,
    /// Web pages that may call it, comma-separated origins [DEBATE_ALLOWED_ORIGINS]
    #[arg(long, value_name = "ORIGINS")]
    pub(crate) allowed_origins: Option<String>,
    /// The most connections at once [DEBATE_MAX_CONNECTIONS, 20000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_connections: Option<String>,
    /// The most connections at once from one machine [DEBATE_MAX_CONNECTIONS_PER_ADDRESS, 256]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_connections_per_address: Option<String>,
    /// The most clients that wait at once [DEBATE_MAX_WAITERS, 20000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_waiters: Option<String>,
    /// The most clients that wait on one debate [DEBATE_MAX_WAITERS_PER_DEBATE, 5000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_waiters_per_debate: Option<String>,
    /// The most WebSockets at once [DEBATE_MAX_SOCKETS, 5000]
    #[arg(long, value_name = "COUNT")]
    pub(crate) max_sockets: Option<String>,
    /// The most writes that share one commit; 1 turns sharing off [DEBATE_WRITE_BATCH, 512]
    #[arg(long, value_name = "COUNT")]
    pub(crate) write_batch: Option<String>,
}

/// Where the debates are: what every command that needs them takes.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
pub(crate) struct DatabaseArgs {
    /// The database file [DEBATE_DB_PATH, ~/.aweave/db/debate.db]
    #[arg(long, value_name = "FILE")]
    pub(crate) db_path: Option<String>,
    /// The database by URL: postgres://…, file:PATH or sqlite:PATH [DEBATE_DATABASE_URL]
    #[arg(long, value_name = "URL")]
    pub(crate) database_url: Option<String>,
    /// A file with the same settings [AW_CONFIG, ~/.aweave/config.toml]
    #[arg(long, value_name = "FILE")]
    pub(crate) config: Option<String>,
}

impl DatabaseArgs {
    /// The database that a server with these settings would use.
    pub(crate) fn place(&self, environment: fn(&str) -> Option<String>) -> anyhow::Result<Place> {
        database::place(self, &self.sources(environment)?)
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
    pub(crate) poll_timeout: Duration,
    pub(crate) http_timeout: Duration,
    pub(crate) auto_ruling: bool,
    pub(crate) allowed_hosts: Vec<String>,
    pub(crate) allowed_origins: Vec<String>,
    pub(crate) bounds: Bounds,
}

/// How much of anything there may be.
pub(crate) struct Bounds {
    pub(crate) content_bytes_max: usize,
    pub(crate) connections_max: usize,
    pub(crate) connections_per_address_max: usize,
    pub(crate) waiters_max: usize,
    pub(crate) waiters_per_debate_max: usize,
    pub(crate) sockets_max: u32,
    pub(crate) write_batch_max: usize,
    pub(crate) write_queue_max: usize,
    pub(crate) readers: usize,
    pub(crate) shutdown_grace: Duration,
}

/// The settings a file may hold, beside the tables of later sections.
const VARIABLES: [&str; 19] = [
    "DEBATE_SERVER_HOST",
    "DEBATE_SERVER_PORT",
    "DEBATE_AUTH_TOKEN",
    "DEBATE_DB_PATH",
    "DEBATE_DB_DIR",
    "DEBATE_DB_NAME",
    "DEBATE_DATABASE_URL",
    "DEBATE_POLL_TIMEOUT_MS",
    "DEBATE_HTTP_TIMEOUT_MS",
    "DEBATE_MAX_CONTENT_LENGTH",
    "DEBATE_AUTO_RULING",
    "DEBATE_ALLOWED_HOSTS",
    "DEBATE_ALLOWED_ORIGINS",
    "DEBATE_MAX_CONNECTIONS",
    "DEBATE_MAX_WAITERS",
    "DEBATE_MAX_WAITERS_PER_DEBATE",
    "DEBATE_MAX_SOCKETS",
    "DEBATE_WRITE_BATCH",
    "AW_CONFIG",
];

/// The most bytes an argument may be allowed to have: more would no longer be an argument.
const CONTENT_MAX: u64 = 1024 * 1024;

/// More clients than one process can hold.
const CLIENTS_MAX: u64 = 1_000_000;

/// A day: longer than anyone waits.
const TIMEOUT_MS_MAX: u64 = 86_400_000;

impl Config {
    pub(crate) fn load(
        args: &ServeArgs,
        environment: fn(&str) -> Option<String>,
    ) -> anyhow::Result<Self> {
        let sources = args.database.sources(environment)?;
        let asked = Asked { sources: &sources };
        let port = asked.number(args.port.as_ref(), "DEBATE_SERVER_PORT", 3456, 0..=65535)?;
        let config = Self {
            host: asked
                .find(args.host.as_ref(), "DEBATE_SERVER_HOST")
                .map_or_else(|| "127.0.0.1".to_owned(), |found| found.text),
            port: u16::try_from(port).unwrap_or_default(),
            token: token(sources.find(None, "DEBATE_AUTH_TOKEN"))?,
            database: database::place(&args.database, &sources)?,
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
            bounds: Bounds::load(args, &asked)?,
        };
        config.agree()?;
        Ok(config)
    }

    /// What must hold between two settings.
    fn agree(&self) -> anyhow::Result<()> {
        if self.http_timeout <= self.poll_timeout {
            bail!(
                "DEBATE_HTTP_TIMEOUT_MS={} must exceed DEBATE_POLL_TIMEOUT_MS={}",
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
        Ok(Self {
            content_bytes_max: size(content),
            connections_max: size(connections),
            connections_per_address_max: size(per_address),
            waiters_max: size(waiters),
            waiters_per_debate_max: size(per_debate),
            sockets_max: u32::try_from(sockets).unwrap_or(u32::MAX),
            write_batch_max: size(batch),
            write_queue_max: 4096,
            readers: 4,
            shutdown_grace: Duration::from_secs(10),
        })
    }
}

/// The sources, asked for a setting of a certain kind.
struct Asked<'s> {
    sources: &'s Sources,
}

impl Asked<'_> {
    fn find(&self, flag: Option<&String>, variable: &str) -> Option<Found> {
        let name = file_key(variable).trim_start_matches("server_").replace('_', "-");
        self.sources.find(flag.map(|text| (name.as_str(), text)), variable)
    }

    fn number(
        &self,
        flag: Option<&String>,
        variable: &str,
        default: u64,
        accepted: RangeInclusive<u64>,
    ) -> Result<u64, BadValue> {
        let Some(found) = self.find(flag, variable) else { return Ok(default) };
        let number = found.text.trim().parse().ok().filter(|number| accepted.contains(number));
        let (least, most) = accepted.into_inner();
        number.ok_or_else(|| found.bad(format!("a whole number from {least} to {most}")))
    }

    fn span(
        &self,
        flag: Option<&String>,
        variable: &str,
        default_ms: u64,
    ) -> Result<Duration, BadValue> {
        let ms = self.number(flag, variable, default_ms, 1..=TIMEOUT_MS_MAX)?;
        Ok(Duration::from_millis(ms))
    }
}

/// A value that is no text would otherwise count as none, a token included.
fn check_variables() -> anyhow::Result<()> {
    for variable in VARIABLES {
        if let Some(value) = std::env::var_os(variable)
            && value.to_str().is_none()
        {
            bail!("{variable} is not UTF-8: expected text");
        }
    }
    Ok(())
}

fn read_file(
    args: &DatabaseArgs,
    environment: fn(&str) -> Option<String>,
) -> anyhow::Result<Option<(PathBuf, Table)>> {
    let by_variable = || environment("AW_CONFIG").filter(|path| !path.trim().is_empty());
    let chosen = args.config.clone().or_else(by_variable);
    let path = expand_home(chosen.as_deref().unwrap_or("~/.aweave/config.toml"));
    let text = match fs::read_to_string(&path) {
        Ok(text) => text,
        Err(err) if err.kind() == io::ErrorKind::NotFound && chosen.is_none() => return Ok(None),
        Err(err) => return Err(err).with_context(|| format!("cannot read {}", path.display())),
    };
    let table: Table = text
        .parse()
        .map_err(|err: toml::de::Error| anyhow::anyhow!("{}: {}", path.display(), err.message()))?;
    let known = |key: &String| VARIABLES.iter().any(|variable| file_key(variable) == *key);
    let unknown = table.iter().find(|(key, value)| !value.is_table() && !known(key));
    if let Some((key, _)) = unknown {
        let accepted = VARIABLES.map(file_key).join(", ");
        bail!("{}: there is no setting {key}; there are {accepted}", path.display());
    }
    if table.contains_key("auth_token") || table.contains_key("database_url") {
        check_private(&path)?;
    }
    Ok(Some((path, table)))
}

fn check_private(path: &Path) -> anyhow::Result<()> {
    let mode = fs::metadata(path)?.permissions().mode();
    if mode & 0o077 != 0 {
        let path = path.display();
        bail!("{path} holds a secret and others can read it: run chmod 600 {path}");
    }
    Ok(())
}

fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

fn flag(found: Option<Found>, default: bool) -> Result<bool, BadValue> {
    match found {
        None => Ok(default),
        Some(found) => match found.text.trim().to_ascii_lowercase().as_str() {
            "true" | "1" | "yes" | "on" => Ok(true),
            "false" | "0" | "no" | "off" => Ok(false),
            _ => Err(found.bad("true or false")),
        },
    }
}

fn words(found: Option<Found>) -> Vec<String> {
    let text = found.map(|found| found.text).unwrap_or_default();
    text.split(',').map(str::trim).filter(|word| !word.is_empty()).map(str::to_owned).collect()
}

fn hosts(found: Option<Found>) -> Result<Vec<String>, BadValue> {
    let hosts = words(found.clone());
    let is_host = |host: &String| {
        host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
    };
    match found {
        Some(found) if !hosts.iter().all(is_host) => {
            Err(found.bad("names such as debates.example.org or debates.example.org:8443"))
        }
        Some(_) | None => Ok(hosts),
    }
}

fn origins(found: Option<Found>) -> Result<Vec<String>, BadValue> {
    let origins = words(found.clone());
    let is_origin = |origin: &String| {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(|host| !host.is_empty() && !host.contains('/'))
    };
    match found {
        Some(found) if !origins.iter().all(is_origin) => {
            Err(found.bad("origins such as https://debates.example.org, without a path"))
        }
        Some(_) | None => Ok(origins),
    }
}

/// Only what a header can carry; a token that can't be sent would lock its owner out.
fn token(found: Option<Found>) -> Result<Option<String>, BadValue> {
    match found {
        None => Ok(None),
        Some(found) if found.text.trim().bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(Some(found.text.trim().to_owned()))
        }
        Some(found) => Err(found.bad_secret("printable ASCII characters without spaces")),
    }
}
