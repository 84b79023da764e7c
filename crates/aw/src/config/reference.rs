//! Compares `docs/configuration.md` with the settings and their defaults.

use std::collections::BTreeMap;
use std::fmt::Display;

use debate_app::forum::guardrail::FirstLayer;
use debate_core::runner::OnUnknown;

use super::file::{PATH, VARIABLES};
use super::models::USUAL_VARIABLES;
use super::{Config, ServeArgs, Unruled};
use crate::database::{FOLDER, NAME, Place};
use crate::settings::expand_home;
use crate::telemetry;

const DOCUMENT: &str = include_str!("../../../../docs/configuration.md");

/// Settings of the process that no file can hold.
const PROCESS: [&str; 3] = ["AW_LOG", "AW_LOG_FORMAT", "AW_LOG_FILE"];

/// Name and default of each row of the server's tables.
fn documented() -> BTreeMap<&'static str, &'static str> {
    let server = DOCUMENT.split("\n## Command line").next().unwrap_or_default();
    let rows = server.lines().filter_map(|line| line.strip_prefix("| `"));
    let rows = rows.filter_map(|row| {
        let mut cells = row.split(" | ");
        let name = cells.next()?.trim_end_matches('`');
        Some((name, cells.next()?.trim_matches('`')))
    });
    rows.collect()
}

fn load_defaults() -> Config {
    let file = tempfile::NamedTempFile::new().expect("a temporary file can be created");
    let mut args = ServeArgs::default();
    args.database.config = Some(file.path().display().to_string());
    Config::load(&args, |_| None).expect("the defaults can be used")
}

fn shown<T: Display>(value: Option<T>) -> String {
    value.map_or_else(|| "none".to_owned(), |value| value.to_string())
}

fn listed(values: &[String]) -> String {
    shown(Some(values.join(",")).filter(|text| !text.is_empty()))
}

fn of_server(config: &Config) -> Vec<(&'static str, String)> {
    let Place::File { path, by_default: true } = &config.database else {
        panic!("the default database is a file")
    };
    assert_eq!(*path, expand_home(FOLDER).join(NAME));
    let base_path = Some(config.base_path.as_str()).filter(|path| !path.is_empty());
    let is_trusting = format!("{:?}", config.forum.trusted_proxies) != "TrustedProxies([])";
    vec![
        ("DEBATE_SERVER_HOST", config.host.clone()),
        ("DEBATE_SERVER_PORT", config.port.to_string()),
        ("DEBATE_AUTH_TOKEN", shown(config.token.as_ref())),
        ("DEBATE_ALLOWED_HOSTS", listed(&config.allowed_hosts)),
        ("DEBATE_ALLOWED_ORIGINS", listed(&config.allowed_origins)),
        ("DEBATE_BASE_PATH", shown(base_path)),
        ("TRUSTED_PROXIES", shown(is_trusting.then_some("some"))),
        ("DEBATE_DB_PATH", format!("{FOLDER}/{NAME}")),
        ("DEBATE_DB_DIR", FOLDER.to_owned()),
        ("DEBATE_DB_NAME", NAME.to_owned()),
        ("DEBATE_DATABASE_URL", "none".to_owned()),
        ("DEBATE_DATABASE_TIMEOUT_MS", config.database_timeout.as_millis().to_string()),
        ("DEBATE_ACCEPT_DATABASE_AS_IS", config.consent.database_as_is.to_string()),
        ("DEBATE_CONFIRM_CARRY_OVER", config.consent.carry_over.to_string()),
        ("DEBATE_POLL_TIMEOUT_MS", config.poll_timeout.as_millis().to_string()),
        ("DEBATE_HTTP_TIMEOUT_MS", config.http_timeout.as_millis().to_string()),
        ("DEBATE_AUTO_RULING", config.auto_ruling.to_string()),
        ("AW_CONFIG", PATH.to_owned()),
        ("AW_LOG", telemetry::LEVEL.to_owned()),
        ("AW_LOG_FORMAT", "none".to_owned()),
        ("AW_LOG_FILE", "none".to_owned()),
    ]
}

fn of_bounds(config: &Config) -> Vec<(&'static str, String)> {
    let bounds = &config.bounds;
    vec![
        ("DEBATE_MIN_FREE_MB", (bounds.free_bytes_min >> 20).to_string()),
        ("DEBATE_MAX_CONTENT_LENGTH", bounds.content_bytes_max.to_string()),
        ("DEBATE_MAX_CONNECTIONS", bounds.connections_max.to_string()),
        ("DEBATE_MAX_CONNECTIONS_PER_ADDRESS", bounds.connections_per_address_max.to_string()),
        ("DEBATE_MAX_WAITERS", bounds.waiters_max.to_string()),
        ("DEBATE_MAX_WAITERS_PER_DEBATE", bounds.waiters_per_debate_max.to_string()),
        ("DEBATE_MAX_SOCKETS", bounds.sockets_max.to_string()),
        ("DEBATE_WRONG_TOKENS_PER_MINUTE", bounds.wrong_tokens_per_minute.count().to_string()),
        ("DEBATE_WRITE_BATCH", bounds.write_batch_max.to_string()),
    ]
}

fn of_runner(config: &Config) -> Vec<(&'static str, String)> {
    let (runner, defaults) = (&config.runner, &config.runner.defaults);
    assert!(runner.models.providers.is_empty() && runner.models.commands.is_empty());
    let on_unknown = match runner.on_unknown {
        OnUnknown::Retry => "retry",
        OnUnknown::Hold => "hold",
    };
    let mut settings = vec![
        ("DEBATE_MAX_ROUNDS", defaults.max_rounds.number().to_string()),
        ("DEBATE_MAX_RUNTIME_SECONDS", defaults.max_runtime_seconds.number().to_string()),
        ("DEBATE_MAX_TOTAL_OUTPUT_TOKENS", defaults.max_total_output_tokens.number().to_string()),
        ("DEBATE_MAX_TOKENS_DEBATER", defaults.max_tokens_debater.number().to_string()),
        ("DEBATE_MAX_TOKENS_JUDGE", defaults.max_tokens_judge.number().to_string()),
        ("RUNNER_MODEL_DEBATER", defaults.model_debater.to_string()),
        ("RUNNER_MODEL_JUDGE", defaults.model_judge.to_string()),
        ("RUNNER_WORKERS", runner.workers.to_string()),
        ("RUNNER_LEASE_SECONDS", runner.lease.as_secs().to_string()),
        ("RUNNER_ON_UNKNOWN", on_unknown.to_owned()),
        ("RUNNER_DAILY_TOKENS", shown(runner.budget.limits.tokens)),
        ("RUNNER_DAILY_COST", shown(runner.budget.limits.cost.map(|_| "some"))),
        ("RUNNER_CALL_TIMEOUT_SECONDS", runner.call_timeout.as_secs().to_string()),
    ];
    settings.extend(USUAL_VARIABLES.map(|variable| (variable, "none".to_owned())));
    settings
}

fn of_forum(config: &Config) -> Vec<(&'static str, String)> {
    let (forum, limits) = (&config.forum, &config.forum.limits);
    let (model, approves) = match &forum.unruled {
        Unruled::Asked(model) => (Some(model.to_string()), false),
        Unruled::ByTier => (None, false),
        Unruled::Approved => (None, true),
    };
    let rules = match forum.rules {
        FirstLayer::BuiltIn => None,
        FirstLayer::Own(_) => Some("some"),
    };
    let network = &limits.network;
    vec![
        ("DEBATE_ADMIN_TOKEN", shown((!forum.reviewers.are_off()).then_some("some"))),
        ("GUARDRAIL_RULES", shown(rules)),
        ("GUARDRAIL_MODEL", shown(model)),
        ("GUARDRAIL_DAILY_TOKENS", shown(forum.daily_tokens)),
        ("GUARDRAIL_AUTO_APPROVE", approves.to_string()),
        ("GUARDRAIL_WORKERS", forum.workers.to_string()),
        ("FORUM_RATE_LIMIT_ANONYMOUS", limits.anonymous.count().to_string()),
        ("FORUM_RATE_LIMIT_AGENT", limits.agent.count().to_string()),
        ("FORUM_RATE_LIMIT_VERIFIED", limits.verified.count().to_string()),
        ("FORUM_RATE_LIMIT_ADMIN", limits.admin.count().to_string()),
        ("FORUM_RATE_LIMIT_NETWORK", network.requests.count().to_string()),
        ("FORUM_REGISTRATIONS_PER_MINUTE", network.registrations_per_minute.count().to_string()),
        ("FORUM_REGISTRATIONS_PER_DAY", network.registrations_per_day.count().to_string()),
        ("FORUM_LIMIT_LOOPBACK", network.limits_loopback.to_string()),
    ]
}

#[test]
fn the_reference_page_lists_every_setting_with_its_default() {
    let config = load_defaults();
    let parts =
        [of_server(&config), of_bounds(&config), of_runner(&config), of_forum(&config)].concat();
    let defaults: BTreeMap<_, _> =
        parts.iter().map(|(name, default)| (*name, default.as_str())).collect();
    assert_eq!(documented(), defaults);
}

#[test]
fn the_reference_page_names_the_settings_that_are_read() {
    let read = VARIABLES.iter().chain(&USUAL_VARIABLES).chain(&PROCESS);
    let mut read: Vec<_> = read.copied().collect();
    read.sort_unstable();
    assert_eq!(documented().into_keys().collect::<Vec<_>>(), read);
}
