//! The model providers: from their usual variables, and from the configuration file.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::{anyhow, bail};
use debate_core::runner::{Currency, Price, Prices, Rate};
use debate_llm::{Configuration, Key, Kind, LocalCommand, Provider, ollama_place};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Value;

use super::file::{COMMAND, PROVIDER};
use super::runner::CALL_SECONDS_MAX;
use crate::settings::Sources;

/// The variables that everyone's tools know.
pub(super) const USUAL_VARIABLES: [&str; 5] =
    ["OPENAI_API_KEY", "OPENAI_BASE_URL", "ANTHROPIC_API_KEY", "GEMINI_API_KEY", "OLLAMA_HOST"];

/// What no program that we start gets to see, beside every key.
const SECRETS: [&str; 3] = ["DEBATE_AUTH_TOKEN", "DEBATE_ADMIN_TOKEN", "DEBATE_DATABASE_URL"];

/// The one currency that need not be named.
const USUAL_CURRENCY: &str = "USD";

/// `[provider.NAME]`
#[derive(Debug, Default, Deserialize)]
#[serde(deny_unknown_fields)]
struct ProviderTable {
    kind: Option<String>,
    base_url: Option<String>,
    key_env: Option<String>,
    price_input_per_million: Option<Value>,
    price_output_per_million: Option<Value>,
    currency: Option<String>,
}

/// `[command.NAME]`
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandTable {
    argv: Vec<String>,
    timeout_seconds: Option<u64>,
    price_input_per_million: Option<Value>,
    price_output_per_million: Option<Value>,
    currency: Option<String>,
}

/// The price fields of a table, as they stand in the file.
struct PriceFields<'t> {
    input: Option<&'t Value>,
    output: Option<&'t Value>,
    currency: Option<&'t str>,
}

impl<'t> From<&'t ProviderTable> for PriceFields<'t> {
    fn from(table: &'t ProviderTable) -> Self {
        Self {
            input: table.price_input_per_million.as_ref(),
            output: table.price_output_per_million.as_ref(),
            currency: table.currency.as_deref(),
        }
    }
}

impl<'t> From<&'t CommandTable> for PriceFields<'t> {
    fn from(table: &'t CommandTable) -> Self {
        Self {
            input: table.price_input_per_million.as_ref(),
            output: table.price_output_per_million.as_ref(),
            currency: table.currency.as_deref(),
        }
    }
}

/// Where something stands in the file, for whoever has to correct it.
#[derive(Debug, Clone)]
struct Spot(String);

impl Spot {
    fn new(path: &Path, key: &str, name: &str) -> Self {
        Self(format!("{}: [{key}.{name}]", path.display()))
    }

    fn wrong(&self, what: impl fmt::Display) -> anyhow::Error {
        anyhow!("{}: {what}", self.0)
    }
}

/// Everyone who can be asked, and what their tokens cost.
pub(super) fn load(
    sources: &Sources,
    call_timeout: Duration,
) -> anyhow::Result<(Configuration, Prices)> {
    let mut found = tables::<ProviderTable>(sources, PROVIDER)?;
    for kind in Kind::ALL.into_iter().filter(|kind| is_mentioned(*kind, sources)) {
        let spot = Spot("the environment".to_owned());
        found.entry(kind.name().to_owned()).or_insert((spot, ProviderTable::default()));
    }
    let mut withheld = SECRETS.map(str::to_owned).to_vec();
    withheld.extend(Kind::ALL.into_iter().filter_map(key_variable).map(str::to_owned));
    withheld.extend(found.values().filter_map(|(_, table)| table.key_env.clone()));
    let (mut providers, mut prices) = (Vec::new(), BTreeMap::new());
    for (name, (spot, table)) in found {
        prices.extend(price(&spot, &(&table).into())?.map(|price| (name.clone(), price)));
        providers.push(provider(&spot, name, table, sources)?);
    }
    let mut commands = Vec::new();
    for (name, (spot, table)) in tables::<CommandTable>(sources, COMMAND)? {
        let model = format!("{COMMAND}:{name}");
        prices.extend(price(&spot, &(&table).into())?.map(|price| (model, price)));
        commands.push(command(&spot, name, table, call_timeout, &withheld)?);
    }
    Ok((Configuration { providers, commands }, Prices::new(prices)))
}

/// The tables below `[key]`, by name.
fn tables<T: DeserializeOwned>(
    sources: &Sources,
    key: &str,
) -> anyhow::Result<BTreeMap<String, (Spot, T)>> {
    let read = sources.tables(key).into_iter().map(|(path, name, value)| {
        let spot = Spot::new(path, key, name);
        let table = value.clone().try_into().map_err(|err| spot.wrong(err.message()))?;
        Ok((name.clone(), (spot, table)))
    });
    read.collect()
}

const fn key_variable(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::OpenAi => Some("OPENAI_API_KEY"),
        Kind::Anthropic => Some("ANTHROPIC_API_KEY"),
        Kind::Gemini => Some("GEMINI_API_KEY"),
        Kind::Ollama => None,
    }
}

const fn place_variable(kind: Kind) -> Option<&'static str> {
    match kind {
        Kind::OpenAi => Some("OPENAI_BASE_URL"),
        Kind::Ollama => Some("OLLAMA_HOST"),
        Kind::Anthropic | Kind::Gemini => None,
    }
}

/// Whether the environment speaks of the usual provider of a kind.
fn is_mentioned(kind: Kind, sources: &Sources) -> bool {
    let variables = [key_variable(kind), place_variable(kind)];
    variables.into_iter().flatten().any(|variable| sources.variable(variable).is_some())
}

fn provider(
    spot: &Spot,
    name: String,
    table: ProviderTable,
    sources: &Sources,
) -> anyhow::Result<Provider> {
    let kinds = || Kind::ALL.map(Kind::name).join(", ");
    let kind = match &table.kind {
        Some(kind) => Kind::named(kind),
        None => Kind::named(&name),
    };
    let kind = kind.ok_or_else(|| spot.wrong(format!("`kind` must be one of {}", kinds())))?;
    // What a variable says is meant for the provider that everyone knows by that name: a key must
    // not go to someone else because they speak the same protocol.
    let is_usual = Kind::named(&name) == Some(kind);
    let by_variable = place_variable(kind).filter(|_| is_usual);
    let by_variable = by_variable.and_then(|variable| sources.variable(variable));
    let base_url = match (by_variable, kind) {
        (Some(found), Kind::Ollama) => Some(ollama_place(&found.text)),
        (Some(found), Kind::OpenAi | Kind::Anthropic | Kind::Gemini) => {
            Some(found.text.trim().to_owned())
        }
        (None, _) => table.base_url,
    };
    let key_env = table.key_env.as_deref();
    let usual_key = key_variable(kind).filter(|_| is_usual);
    let key = match key_env.or(usual_key) {
        Some(variable) => key(variable, sources)?,
        None => None,
    };
    match (&key, key_env, &base_url, kind) {
        (None, Some(variable), _, _) => bail!(spot.wrong(format!(
            "`key_env` is {variable}, but that variable is not set: set it, or remove the provider"
        ))),
        (None, None, None, Kind::OpenAi | Kind::Anthropic | Kind::Gemini) => {
            bail!(spot.wrong("API key missing: set `key_env` to the variable that contains it"))
        }
        (Some(_) | None, _, _, _) => Ok(Provider { name, kind, base_url, key }),
    }
}

fn key(variable: &str, sources: &Sources) -> anyhow::Result<Option<Key>> {
    let Some(found) = sources.variable(variable) else { return Ok(None) };
    let key = Key::new(&found.text).map_err(|err| anyhow!("{variable}: {err}"))?;
    Ok(Some(key))
}

fn price(spot: &Spot, fields: &PriceFields<'_>) -> anyhow::Result<Option<Price>> {
    let rate = |field: &str, value: &Value| {
        let text = match value {
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::String(text) => text.clone(),
            Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
                String::new()
            }
        };
        Rate::new(&text).map_err(|err| spot.wrong(format!("`{field}` {err}")))
    };
    match ((fields.input, fields.output), fields.currency) {
        ((None, None), None) => Ok(None),
        ((Some(input), Some(output)), currency) => {
            let currency = Currency::new(currency.unwrap_or(USUAL_CURRENCY));
            Ok(Some(Price {
                input: rate("price_input_per_million", input)?,
                output: rate("price_output_per_million", output)?,
                currency: currency.map_err(|err| spot.wrong(format!("`currency` {err}")))?,
            }))
        }
        ((Some(_) | None, Some(_) | None), _) => bail!(spot.wrong(
            "set `price_input_per_million` and `price_output_per_million` together; `currency` \
             needs both"
        )),
    }
}

fn command(
    spot: &Spot,
    name: String,
    table: CommandTable,
    call_timeout: Duration,
    withheld: &[String],
) -> anyhow::Result<LocalCommand> {
    let seconds = table.timeout_seconds.unwrap_or(call_timeout.as_secs());
    if !(1..=CALL_SECONDS_MAX).contains(&seconds) {
        bail!(spot.wrong(format!(
            "`timeout_seconds`={seconds}: expected a whole number from 1 to {CALL_SECONDS_MAX}"
        )));
    }
    if seconds > call_timeout.as_secs() {
        let most = call_timeout.as_secs();
        bail!(spot.wrong(format!(
            "`timeout_seconds`={seconds}: expected at most RUNNER_CALL_TIMEOUT_SECONDS={most}; \
             raise that setting too"
        )));
    }
    Ok(LocalCommand {
        name,
        argv: table.argv,
        timeout: Duration::from_secs(seconds),
        withheld: withheld.to_vec(),
    })
}
