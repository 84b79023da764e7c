//! The configuration file, and the variables that override it.

use std::fs::{File, Metadata};
use std::io::{self, Read};
use std::os::unix::fs::MetadataExt;
use std::path::{Path, PathBuf};

use anyhow::{Context, bail};
use rustix::process::geteuid;
use toml::Table;

use super::{DatabaseArgs, models};
use crate::settings::{expand_home, file_key};

/// The default of `AW_CONFIG`.
pub(super) const PATH: &str = "~/.aweave/config.toml";

/// The settings a file may hold, beside its tables.
pub(super) const VARIABLES: &[&str] = &[
    "DEBATE_SERVER_HOST",
    "DEBATE_SERVER_PORT",
    "DEBATE_AUTH_TOKEN",
    "DEBATE_DB_PATH",
    "DEBATE_DB_DIR",
    "DEBATE_DB_NAME",
    "DEBATE_DATABASE_URL",
    "DEBATE_ACCEPT_DATABASE_AS_IS",
    "DEBATE_CONFIRM_CARRY_OVER",
    "DEBATE_DATABASE_TIMEOUT_MS",
    "DEBATE_POLL_TIMEOUT_MS",
    "DEBATE_HTTP_TIMEOUT_MS",
    "DEBATE_MAX_CONTENT_LENGTH",
    "DEBATE_AUTO_RULING",
    "DEBATE_ALLOWED_HOSTS",
    "DEBATE_ALLOWED_ORIGINS",
    "DEBATE_BASE_PATH",
    "DEBATE_MAX_CONNECTIONS",
    "DEBATE_MAX_CONNECTIONS_PER_ADDRESS",
    "DEBATE_MAX_WAITERS",
    "DEBATE_MAX_WAITERS_PER_DEBATE",
    "DEBATE_MAX_SOCKETS",
    "DEBATE_WRONG_TOKENS_PER_MINUTE",
    "DEBATE_WRITE_BATCH",
    "DEBATE_MIN_FREE_MB",
    "DEBATE_MAX_ROUNDS",
    "DEBATE_MAX_RUNTIME_SECONDS",
    "DEBATE_MAX_TOTAL_OUTPUT_TOKENS",
    "DEBATE_MAX_TOKENS_DEBATER",
    "DEBATE_MAX_TOKENS_JUDGE",
    "RUNNER_MODEL_DEBATER",
    "RUNNER_MODEL_JUDGE",
    "RUNNER_WORKERS",
    "RUNNER_LEASE_SECONDS",
    "RUNNER_ON_UNKNOWN",
    "RUNNER_DAILY_TOKENS",
    "RUNNER_DAILY_COST",
    "RUNNER_CALL_TIMEOUT_SECONDS",
    "DEBATE_ADMIN_TOKEN",
    "GUARDRAIL_RULES",
    "GUARDRAIL_MODEL",
    "GUARDRAIL_DAILY_TOKENS",
    "GUARDRAIL_WORKERS",
    "GUARDRAIL_AUTO_APPROVE",
    "FORUM_RATE_LIMIT_ANONYMOUS",
    "FORUM_RATE_LIMIT_AGENT",
    "FORUM_RATE_LIMIT_VERIFIED",
    "FORUM_RATE_LIMIT_ADMIN",
    "FORUM_RATE_LIMIT_NETWORK",
    "FORUM_REGISTRATIONS_PER_MINUTE",
    "FORUM_REGISTRATIONS_PER_DAY",
    "FORUM_LIMIT_LOOPBACK",
    "TRUSTED_PROXIES",
    "AW_CONFIG",
];

/// The tables a file may hold, each of tables by name.
pub(super) const PROVIDER: &str = "provider";
pub(super) const COMMAND: &str = "command";

/// A value that is not UTF-8 would otherwise count as unset, even a token.
pub(super) fn check_variables() -> anyhow::Result<()> {
    for variable in VARIABLES.iter().copied().chain(models::USUAL_VARIABLES) {
        if let Some(value) = std::env::var_os(variable)
            && value.to_str().is_none()
        {
            bail!("{variable}: the value is not valid UTF-8; expected text");
        }
    }
    Ok(())
}

pub(super) fn read_file(
    args: &DatabaseArgs,
    environment: fn(&str) -> Option<String>,
) -> anyhow::Result<Option<(PathBuf, Table)>> {
    let by_variable = || environment("AW_CONFIG").filter(|path| !path.trim().is_empty());
    let chosen = args.config.clone().or_else(by_variable);
    let path = expand_home(chosen.as_deref().unwrap_or(PATH));
    let (text, metadata) = match read_open_file(&path) {
        Ok(read) => read,
        Err(err) if err.kind() == io::ErrorKind::NotFound && chosen.is_none() => return Ok(None),
        Err(err) => {
            let path = path.display();
            let advice = "make the file readable, or set AW_CONFIG to another file";
            return Err(err).with_context(|| format!("cannot read {path} ({advice})"));
        }
    };
    let table: Table = text
        .parse()
        .map_err(|err: toml::de::Error| anyhow::anyhow!("{}: {}", path.display(), err.message()))?;
    check_keys(&path, &table)?;
    let secrets = ["auth_token", "admin_token", "database_url"];
    if secrets.iter().any(|secret| table.contains_key(*secret)) {
        check_private(&path, &metadata)?;
    }
    if table.contains_key(COMMAND) {
        check_commands(&path, &metadata)?;
    } else if table.contains_key(PROVIDER) {
        check_providers(&path, &metadata)?;
    }
    Ok(Some((path, table)))
}

/// The text of a file and the metadata of the same open descriptor, so that the checks concern the
/// bytes that were read even if the path is replaced meanwhile.
fn read_open_file(path: &Path) -> io::Result<(String, Metadata)> {
    let mut file = File::open(path)?;
    let mut text = String::new();
    file.read_to_string(&mut text)?;
    Ok((text, file.metadata()?))
}

/// A misspelt setting would otherwise be ignored silently.
fn check_keys(path: &Path, table: &Table) -> anyhow::Result<()> {
    let path = path.display();
    let known = |key: &String| VARIABLES.iter().any(|variable| file_key(variable) == *key);
    for (key, value) in table {
        match (value.is_table(), [PROVIDER, COMMAND].contains(&key.as_str())) {
            (true, true) => {}
            (true, false) => {
                bail!("{path}: unknown table [{key}]; expected [provider.NAME] or [command.NAME]")
            }
            (false, true) => bail!("{path}: {key} must be a table: write [{key}.NAME]"),
            (false, false) if known(key) => {}
            (false, false) => {
                let accepted: Vec<_> = VARIABLES.iter().map(|name| file_key(name)).collect();
                let accepted = accepted.join(", ");
                bail!("{path}: unknown setting {key}; expected one of {accepted}");
            }
        }
    }
    Ok(())
}

fn check_private(path: &Path, metadata: &Metadata) -> anyhow::Result<()> {
    if metadata.mode() & 0o077 != 0 {
        let path = path.display();
        bail!("{path} contains a secret and other users can read it: run chmod 600 {path}");
    }
    Ok(())
}

/// A file with commands decides which programs this server runs. Only the server's own user and
/// root may be able to change it.
fn check_commands(path: &Path, metadata: &Metadata) -> anyhow::Result<()> {
    let (owner, own) = (metadata.uid(), geteuid().as_raw());
    let path = path.display();
    if owner != own && owner != 0 {
        bail!(
            "{path} defines commands that the server runs, but user {owner} owns it: run \
             chown {own} {path}"
        );
    }
    if metadata.mode() & 0o022 != 0 {
        bail!(
            "{path} defines commands that the server runs, but other users can write to it: run \
             chmod go-w {path}"
        );
    }
    Ok(())
}

/// A file with providers decides where keys are sent, so not everyone may be able to write it.
fn check_providers(path: &Path, metadata: &Metadata) -> anyhow::Result<()> {
    if metadata.mode() & 0o002 != 0 {
        let path = path.display();
        bail!(
            "{path} defines where API keys are sent, but other users can write to it: run \
             chmod o-w {path}"
        );
    }
    Ok(())
}
