//! Model providers and commands, from the configuration file and from the providers' own variables.

use std::collections::BTreeMap;
use std::fmt;
use std::path::Path;
use std::time::Duration;

use anyhow::{anyhow, bail};
use debate_core::runner::{Currency, Price, Prices, TokenPrice};
use debate_llm::{Configuration, Key, LocalCommand, Provider, ProviderKind, ollama_base_url};
use debate_settings::table::{
    ANTHROPIC_API_KEY, CALL_SECONDS_MAX, GEMINI_API_KEY, GROUPS, OLLAMA_HOST, OPENAI_API_KEY,
    OPENAI_BASE_URL,
};
use debate_settings::{Setting, SettingError, SettingValue, Sources};
use serde::Deserialize;
use serde::de::DeserializeOwned;
use toml::Value;

use super::file::{COMMAND, ConfigFile, PROVIDER};

/// The currency of prices without one.
const DEFAULT_CURRENCY: &str = "USD";

/// A table `[provider.NAME]` of the configuration file.
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

/// A table `[command.NAME]` of the configuration file.
#[derive(Debug, Deserialize)]
#[serde(deny_unknown_fields)]
struct CommandTable {
    argv: Vec<String>,
    timeout_seconds: Option<u64>,
    price_input_per_million: Option<Value>,
    price_output_per_million: Option<Value>,
    currency: Option<String>,
}

/// The price fields of a table, as written in the file.
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

/// The location of a table in the file, for messages.
#[derive(Debug, Clone)]
struct TableLocation(String);

impl TableLocation {
    fn new(path: &Path, key: &str, name: &str) -> Self {
        Self(format!("{}: [{key}.{name}]", path.display()))
    }

    fn invalid(&self, problem: impl fmt::Display) -> anyhow::Error {
        anyhow!("{}: {problem}", self.0)
    }
}

/// The configured providers and commands, and the prices of their tokens.
pub(super) fn load(
    sources: &Sources,
    file: Option<&ConfigFile>,
    call_timeout: Duration,
) -> anyhow::Result<(Configuration, Prices)> {
    let mut found = tables::<ProviderTable>(file, PROVIDER)?;
    for kind in ProviderKind::ALL {
        if is_configured(kind, sources)? {
            let location = TableLocation("the environment".to_owned());
            found.entry(kind.name().to_owned()).or_insert((location, ProviderTable::default()));
        }
    }
    // Programs that the server starts get no secret of the server and no key.
    let secrets = GROUPS.iter().flat_map(|group| group.settings).filter(|row| row.is_secret());
    let mut withheld: Vec<String> = secrets.map(|row| row.variable.to_owned()).collect();
    withheld.extend(found.values().filter_map(|(_, table)| table.key_env.clone()));
    let (mut providers, mut prices) = (Vec::new(), BTreeMap::new());
    for (name, (location, table)) in found {
        prices.extend(price(&location, &(&table).into())?.map(|price| (name.clone(), price)));
        providers.push(provider(&location, name, table, sources)?);
    }
    let mut commands = Vec::new();
    for (name, (location, table)) in tables::<CommandTable>(file, COMMAND)? {
        let model = format!("{COMMAND}:{name}");
        prices.extend(price(&location, &(&table).into())?.map(|price| (model, price)));
        commands.push(command(&location, name, table, call_timeout, &withheld)?);
    }
    Ok((Configuration { providers, commands }, Prices::new(prices)))
}

/// The tables below `[key]`, by name.
fn tables<T: DeserializeOwned>(
    file: Option<&ConfigFile>,
    key: &str,
) -> anyhow::Result<BTreeMap<String, (TableLocation, T)>> {
    let tables = file.into_iter().flat_map(|file| {
        file.tables(key)
            .map(|(name, value)| (TableLocation::new(&file.path, key, name), name, value))
    });
    let read = tables.map(|(location, name, value)| {
        let table = value.clone().try_into().map_err(|err| location.invalid(err.message()))?;
        Ok((name.clone(), (location, table)))
    });
    read.collect()
}

/// The setting with the key of the standard provider of a kind.
const fn key_setting(kind: ProviderKind) -> Option<Setting> {
    match kind {
        ProviderKind::OpenAi => Some(OPENAI_API_KEY),
        ProviderKind::Anthropic => Some(ANTHROPIC_API_KEY),
        ProviderKind::Gemini => Some(GEMINI_API_KEY),
        ProviderKind::Ollama => None,
    }
}

/// The setting with the address of the standard provider of a kind.
const fn address_setting(kind: ProviderKind) -> Option<Setting> {
    match kind {
        ProviderKind::OpenAi => Some(OPENAI_BASE_URL),
        ProviderKind::Ollama => Some(OLLAMA_HOST),
        ProviderKind::Anthropic | ProviderKind::Gemini => None,
    }
}

/// Whether a setting configures the standard provider of a kind.
fn is_configured(kind: ProviderKind, sources: &Sources) -> Result<bool, SettingError> {
    for setting in [key_setting(kind), address_setting(kind)].into_iter().flatten() {
        if sources.configured_value(&setting)?.is_some() {
            return Ok(true);
        }
    }
    Ok(false)
}

fn provider(
    location: &TableLocation,
    name: String,
    table: ProviderTable,
    sources: &Sources,
) -> anyhow::Result<Provider> {
    let kinds = || ProviderKind::ALL.map(ProviderKind::name).join(", ");
    let kind = match &table.kind {
        Some(kind) => ProviderKind::from_name(kind),
        None => ProviderKind::from_name(&name),
    };
    let kind =
        kind.ok_or_else(|| location.invalid(format!("`kind` must be one of {}", kinds())))?;
    // The variables are for the standard provider of the kind only. Another provider that speaks
    // the same protocol must not get its key.
    let is_standard = ProviderKind::from_name(&name) == Some(kind);
    let address = match address_setting(kind).filter(|_| is_standard) {
        Some(setting) => sources.configured_value(&setting)?,
        None => None,
    };
    let base_url = match (address, kind) {
        (Some(found), ProviderKind::Ollama) => Some(ollama_base_url(&found.text)),
        (Some(found), ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Gemini) => {
            Some(found.text.trim().to_owned())
        }
        (None, _) => table.base_url,
    };
    let key_env = table.key_env.as_deref();
    let standard_key = key_setting(kind).filter(|_| is_standard);
    let key = match (key_env, standard_key) {
        (Some(variable), _) => key(variable, sources.environment(variable)?)?,
        (None, Some(setting)) => key(setting.variable, sources.configured_value(&setting)?)?,
        (None, None) => None,
    };
    match (&key, key_env, &base_url, kind) {
        (None, Some(variable), _, _) => bail!(location.invalid(format!(
            "`key_env` is {variable}, but that variable is not set: set it, or remove the provider"
        ))),
        (
            None,
            None,
            None,
            ProviderKind::OpenAi | ProviderKind::Anthropic | ProviderKind::Gemini,
        ) => {
            bail!(
                location.invalid("API key missing: set `key_env` to the variable that contains it")
            )
        }
        (Some(_) | None, _, _, _) => Ok(Provider { name, kind, base_url, key }),
    }
}

fn key(variable: &str, found: Option<SettingValue>) -> anyhow::Result<Option<Key>> {
    let Some(found) = found else { return Ok(None) };
    let key = Key::new(&found.text).map_err(|err| anyhow!("{variable}: {err}"))?;
    Ok(Some(key))
}

fn price(location: &TableLocation, fields: &PriceFields<'_>) -> anyhow::Result<Option<Price>> {
    let rate = |field: &str, value: &Value| {
        let text = match value {
            Value::Integer(number) => number.to_string(),
            Value::Float(number) => number.to_string(),
            Value::String(text) => text.clone(),
            Value::Boolean(_) | Value::Datetime(_) | Value::Array(_) | Value::Table(_) => {
                String::new()
            }
        };
        TokenPrice::new(&text).map_err(|err| location.invalid(format!("`{field}` {err}")))
    };
    match ((fields.input, fields.output), fields.currency) {
        ((None, None), None) => Ok(None),
        ((Some(input), Some(output)), currency) => {
            let currency = Currency::new(currency.unwrap_or(DEFAULT_CURRENCY));
            Ok(Some(Price {
                input: rate("price_input_per_million", input)?,
                output: rate("price_output_per_million", output)?,
                currency: currency.map_err(|err| location.invalid(format!("`currency` {err}")))?,
            }))
        }
        ((Some(_) | None, Some(_) | None), _) => bail!(location.invalid(
            "set `price_input_per_million` and `price_output_per_million` together; `currency` \
             needs both"
        )),
    }
}

fn command(
    location: &TableLocation,
    name: String,
    table: CommandTable,
    call_timeout: Duration,
    withheld: &[String],
) -> anyhow::Result<LocalCommand> {
    let seconds = table.timeout_seconds.unwrap_or(call_timeout.as_secs());
    if !(1..=CALL_SECONDS_MAX).contains(&seconds) {
        bail!(location.invalid(format!(
            "`timeout_seconds`={seconds}: expected a whole number from 1 to {CALL_SECONDS_MAX}"
        )));
    }
    if seconds > call_timeout.as_secs() {
        let most = call_timeout.as_secs();
        bail!(location.invalid(format!(
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
