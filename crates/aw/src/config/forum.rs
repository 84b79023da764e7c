//! The configuration of the forum: rate limits, reviewers and guardrails.

use std::fs;
use std::sync::Arc;

use anyhow::{Context, bail};
use debate_app::forum::guardrail::FirstLayer;
use debate_core::ModelName;
use debate_core::forum::guardrail::Rulebook;
use debate_core::forum::{ForumLimits, NetworkLimits};
use debate_http::{Reviewers, Token, TrustedProxies};
use debate_settings::table::{
    ADMIN_TOKEN, GUARDRAIL_AUTO_APPROVE, GUARDRAIL_DAILY_TOKENS, GUARDRAIL_MODEL, GUARDRAIL_RULES,
    GUARDRAIL_WORKERS, LIMIT_LOOPBACK, RATE_LIMIT_ADMIN, RATE_LIMIT_AGENT, RATE_LIMIT_ANONYMOUS,
    RATE_LIMIT_NETWORK, RATE_LIMIT_VERIFIED, REGISTRATIONS_PER_DAY, REGISTRATIONS_PER_MINUTE,
    TRUSTED_PROXIES,
};
use debate_settings::{SettingError, SettingValue, Sources};

use super::values::{is_short, parse_model, rate_limit};

/// The name of the reviewer whose token has no name.
const REVIEWER: &str = "admin";

/// The configuration of the forum.
pub(crate) struct ForumConfig {
    pub(crate) rules: FirstLayer,
    pub(crate) evaluation: EvaluationPolicy,
    pub(crate) daily_tokens: Option<u64>,
    pub(crate) workers: usize,
    pub(crate) limits: ForumLimits,
    pub(crate) reviewers: Reviewers,
    /// Whether a reviewer's token of its own is too short to resist guessing.
    pub(crate) has_short_token: bool,
    pub(crate) trusted_proxies: TrustedProxies,
}

/// The decision on items that passed the rules.
pub(crate) enum EvaluationPolicy {
    /// A model evaluates them.
    Model(ModelName),
    /// Items of verified agents are approved, others wait for review.
    ByTier,
    /// Every such item is approved.
    ApproveAll,
}

impl ForumConfig {
    /// `server_token` is the token of reviewers if they have none of their own.
    pub(super) fn from_sources(
        sources: &Sources,
        server_token: Option<&String>,
    ) -> anyhow::Result<Self> {
        let tokens = parse_reviewers(sources.find(&ADMIN_TOKEN)?)?;
        let has_short_token = tokens.iter().any(|(_, secret)| is_short(secret));
        Ok(Self {
            rules: load_rules(sources.find(&GUARDRAIL_RULES)?)?,
            evaluation: evaluation_policy(sources)?,
            daily_tokens: sources.optional_number(&GUARDRAIL_DAILY_TOKENS)?,
            workers: sources.number(&GUARDRAIL_WORKERS)?,
            limits: rate_limits(sources)?,
            reviewers: reviewers(tokens, server_token),
            has_short_token,
            trusted_proxies: trusted_proxies(sources.find(&TRUSTED_PROXIES)?)?,
        })
    }
}

fn load_rules(found: Option<SettingValue>) -> anyhow::Result<FirstLayer> {
    let Some(found) = found else { return Ok(FirstLayer::BuiltIn) };
    let path = found.to_path();
    let origin = || format!("{}={}", found.origin, path.display());
    let text = fs::read_to_string(&path).with_context(origin)?;
    Ok(FirstLayer::Custom(Arc::new(Rulebook::read(&text).with_context(origin)?)))
}

fn evaluation_policy(sources: &Sources) -> anyhow::Result<EvaluationPolicy> {
    match (sources.find(&GUARDRAIL_MODEL)?, sources.is_on(&GUARDRAIL_AUTO_APPROVE)?) {
        (Some(model), true) => bail!(
            "{} sets a model, and GUARDRAIL_AUTO_APPROVE approves items without one; remove one of \
             the two settings",
            model.origin
        ),
        (Some(model), false) => Ok(EvaluationPolicy::Model(parse_model(&model)?)),
        (None, true) => Ok(EvaluationPolicy::ApproveAll),
        (None, false) => Ok(EvaluationPolicy::ByTier),
    }
}

fn rate_limits(sources: &Sources) -> Result<ForumLimits, SettingError> {
    let limit = |setting| rate_limit(sources, setting);
    Ok(ForumLimits {
        anonymous: limit(&RATE_LIMIT_ANONYMOUS)?,
        agent: limit(&RATE_LIMIT_AGENT)?,
        verified: limit(&RATE_LIMIT_VERIFIED)?,
        admin: limit(&RATE_LIMIT_ADMIN)?,
        network: NetworkLimits {
            requests: limit(&RATE_LIMIT_NETWORK)?,
            registrations_per_minute: limit(&REGISTRATIONS_PER_MINUTE)?,
            registrations_per_day: limit(&REGISTRATIONS_PER_DAY)?,
            limits_loopback: sources.is_on(&LIMIT_LOOPBACK)?,
        },
    })
}

/// Reviewers with tokens of their own, or else one with the server's token, if it has one.
fn reviewers(tokens: Vec<(String, String)>, server_token: Option<&String>) -> Reviewers {
    let shared = server_token.filter(|_| tokens.is_empty());
    let shared = shared.map(|token| (REVIEWER.to_owned(), Token::new(token)));
    let own = tokens.into_iter().map(|(name, secret)| (name, Token::new(&secret)));
    Reviewers::new(own.chain(shared).collect())
}

/// One token, or `name:token` for each reviewer: names and tokens.
fn parse_reviewers(found: Option<SettingValue>) -> Result<Vec<(String, String)>, SettingError> {
    let Some(found) = found else { return Ok(Vec::new()) };
    let accepted = "a token, or name:token,name:token with names of a-z and 0-9";
    let invalid = || found.invalid_secret(accepted);
    let text = found.to_token()?;
    if !text.contains(':') {
        return Ok(vec![(REVIEWER.to_owned(), text)]);
    }
    let mut reviewers: Vec<(String, String)> = Vec::new();
    for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let (name, secret) = entry.split_once(':').ok_or_else(invalid)?;
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = (1..=40).contains(&name.len()) && name.bytes().all(is_plain);
        let is_taken = reviewers.iter().any(|(taken, _)| taken == name);
        if !fits || secret.is_empty() || is_taken {
            return Err(invalid());
        }
        reviewers.push((name.to_owned(), secret.to_owned()));
    }
    Ok(reviewers)
}

fn trusted_proxies(found: Option<SettingValue>) -> Result<TrustedProxies, SettingError> {
    let Some(found) = found else { return Ok(TrustedProxies::default()) };
    let networks = found.to_list();
    TrustedProxies::new(networks.iter().map(String::as_str)).map_err(|err| found.invalid(err))
}
