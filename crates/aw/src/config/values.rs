//! Values of settings, parsed and checked.

use std::ops::RangeInclusive;
use std::time::Duration;

use debate_core::{ModelName, RateLimit, Within};
use debate_http::BasePath;

use crate::settings::{BadValue, Found, Sources, file_key};

/// One day.
const TIMEOUT_MS_MAX: u64 = 86_400_000;

/// The sources of settings, with a method for each kind of value.
pub(super) struct Asked<'s> {
    pub(super) sources: &'s Sources,
}

impl Asked<'_> {
    pub(super) fn find(&self, flag: Option<&String>, variable: &str) -> Option<Found> {
        let name = file_key(variable).trim_start_matches("server_").replace('_', "-");
        self.sources.find(flag.map(|text| (name.as_str(), text)), variable)
    }

    pub(super) fn number(
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

    pub(super) fn span(
        &self,
        flag: Option<&String>,
        variable: &str,
        default_ms: u64,
    ) -> Result<Duration, BadValue> {
        let ms = self.number(flag, variable, default_ms, 1..=TIMEOUT_MS_MAX)?;
        Ok(Duration::from_millis(ms))
    }

    /// A rate limit.
    pub(super) fn limit(
        &self,
        flag: Option<&String>,
        variable: &str,
        default: u32,
    ) -> Result<RateLimit, BadValue> {
        let accepted = 1..=RateLimit::MAX.into();
        let count = self.number(flag, variable, default.into(), accepted)?;
        let count = u32::try_from(count).unwrap_or(RateLimit::MAX);
        Ok(RateLimit::new(count).expect("the number is within the bounds of a limit"))
    }

    /// A number that the rules bound.
    pub(super) fn within<const LEAST: u32, const MOST: u32>(
        &self,
        flag: Option<&String>,
        variable: &str,
        default: Within<LEAST, MOST>,
    ) -> Result<Within<LEAST, MOST>, BadValue> {
        let accepted = LEAST.into()..=MOST.into();
        let number = self.number(flag, variable, default.number().into(), accepted)?;
        let number = u32::try_from(number).unwrap_or(MOST);
        Ok(Within::new(number).unwrap_or(default))
    }
}

pub(super) fn size(number: u64) -> usize {
    usize::try_from(number).unwrap_or(usize::MAX)
}

pub(super) fn flag(found: Option<Found>, default: bool) -> Result<bool, BadValue> {
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

pub(super) fn hosts(found: Option<Found>) -> Result<Vec<String>, BadValue> {
    let hosts = words(found.clone());
    let is_host = |host: &String| {
        host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
    };
    match found {
        Some(found) if !hosts.iter().all(is_host) => {
            Err(found.bad("host names such as debates.example.org or debates.example.org:8443"))
        }
        Some(_) | None => Ok(hosts),
    }
}

pub(super) fn origins(found: Option<Found>) -> Result<Vec<String>, BadValue> {
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

/// A model's name.
pub(super) fn model_name(found: &Found) -> Result<ModelName, BadValue> {
    let accepted = || {
        let longest = ModelName::MOST;
        format!("PROVIDER:MODEL of at most {longest} characters, such as openai:gpt-4.1")
    };
    ModelName::new(found.text.trim()).map_err(|_| found.bad(accepted()))
}

pub(super) fn base_path(found: Option<Found>) -> Result<BasePath, BadValue> {
    let Some(found) = found else { return Ok(BasePath::default()) };
    BasePath::parse(found.text.trim()).map_err(|err| found.bad(err))
}

/// The minimum length of a token that resists guessing.
pub(crate) const TOKEN_CHARS_MIN: usize = 16;

/// Whether a token could be guessed. Its characters are ASCII.
pub(super) const fn is_short(token: &str) -> bool {
    token.len() < TOKEN_CHARS_MIN
}

/// Only characters that a header can carry: clients could not send any other token.
pub(super) fn token(found: Option<Found>) -> Result<Option<String>, BadValue> {
    match found {
        None => Ok(None),
        Some(found) if found.text.trim().bytes().all(|byte| byte.is_ascii_graphic()) => {
            Ok(Some(found.text.trim().to_owned()))
        }
        Some(found) => Err(found.bad_secret("printable ASCII characters without spaces")),
    }
}
