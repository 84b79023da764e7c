//! Values that are more than a number or a word: hosts, origins, models, paths, rate limits.

use debate_core::{ModelName, RateLimit};
use debate_http::BasePath;
use debate_settings::{Setting, SettingError, SettingValue, Sources};

/// The minimum length of a token that resists guessing.
pub(crate) const TOKEN_CHARS_MIN: usize = 16;

/// Whether a token could be guessed. Its characters are ASCII.
pub(super) const fn is_short(token: &str) -> bool {
    token.len() < TOKEN_CHARS_MIN
}

pub(super) fn rate_limit(sources: &Sources, setting: &Setting) -> Result<RateLimit, SettingError> {
    Ok(RateLimit::new(sources.number(setting)?).expect("the table has the bounds of a rate limit"))
}

pub(super) fn parse_hosts(found: Option<SettingValue>) -> Result<Vec<String>, SettingError> {
    let is_host = |host: &String| {
        host.bytes().all(|byte| byte.is_ascii_alphanumeric() || b".-_:[]".contains(&byte))
    };
    let accepted = "host names such as debates.example.org or debates.example.org:8443";
    parse_list(found, is_host, accepted)
}

pub(super) fn parse_origins(found: Option<SettingValue>) -> Result<Vec<String>, SettingError> {
    let is_origin = |origin: &String| {
        let rest = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
        rest.is_some_and(|host| !host.is_empty() && !host.contains('/'))
    };
    parse_list(found, is_origin, "origins such as https://debates.example.org, without a path")
}

fn parse_list(
    found: Option<SettingValue>,
    is_valid: impl Fn(&String) -> bool,
    accepted: &str,
) -> Result<Vec<String>, SettingError> {
    let Some(found) = found else { return Ok(Vec::new()) };
    let words = found.to_list();
    if words.iter().all(is_valid) { Ok(words) } else { Err(found.invalid(accepted)) }
}

pub(super) fn parse_model(found: &SettingValue) -> Result<ModelName, SettingError> {
    let accepted = || {
        let longest = ModelName::MOST;
        format!("PROVIDER:MODEL of at most {longest} characters, such as openai:gpt-4.1")
    };
    ModelName::new(found.text.trim()).map_err(|_| found.invalid(accepted()))
}

pub(super) fn parse_base_path(found: Option<SettingValue>) -> Result<BasePath, SettingError> {
    let Some(found) = found else { return Ok(BasePath::default()) };
    BasePath::parse(found.text.trim()).map_err(|err| found.invalid(err))
}
