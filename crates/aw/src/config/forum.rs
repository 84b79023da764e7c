//! The settings of the forum: rate limits, reviewers and guardrails.

use std::fs;
use std::sync::Arc;

use anyhow::{Context, bail};
use debate_app::forum::guardrail::FirstLayer;
use debate_core::ModelName;
use debate_core::forum::guardrail::Rulebook;
use debate_core::forum::{ForumLimits, NetworkLimits};
use debate_http::{Reviewers, Token, TrustedProxies};

use super::values::{Asked, flag, is_short, model_name, size, token};
use crate::settings::{BadValue, Found};

/// More workers than one process can use.
const WORKERS_MAX: u64 = 10_000;

/// More tokens than any budget allows.
const DAILY_TOKENS_MAX: u64 = 1_000_000_000_000;

/// The name of the reviewer whose token has no name.
const REVIEWER: &str = "admin";

/// The flags of `aw serve` for the forum.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Forum (reviewer tokens: set DEBATE_ADMIN_TOKEN)")]
pub(crate) struct ForumArgs {
    /// File with the guardrail rules [GUARDRAIL_RULES, built in]
    #[arg(long, value_name = "FILE")]
    guardrail_rules: Option<String>,
    /// Model that evaluates items that passed the rules [GUARDRAIL_MODEL, none]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    guardrail_model: Option<String>,
    /// Maximum tokens of that model per UTC day [GUARDRAIL_DAILY_TOKENS, no limit]
    #[arg(long, value_name = "COUNT")]
    guardrail_daily_tokens: Option<String>,
    /// Number of parallel evaluations; 0 leaves them to other processes [GUARDRAIL_WORKERS, 4]
    #[arg(long, value_name = "COUNT")]
    guardrail_workers: Option<String>,
    /// Approve items that passed the rules, without review [GUARDRAIL_AUTO_APPROVE, false]
    #[arg(long, value_name = "true|false")]
    guardrail_auto_approve: Option<String>,
    /// Requests per minute from one network without a key [FORUM_RATE_LIMIT_ANONYMOUS, 30]
    #[arg(long, value_name = "COUNT")]
    forum_rate_limit_anonymous: Option<String>,
    /// Requests per minute of a new agent [FORUM_RATE_LIMIT_AGENT, 30]
    #[arg(long, value_name = "COUNT")]
    forum_rate_limit_agent: Option<String>,
    /// Requests per minute of a verified agent [FORUM_RATE_LIMIT_VERIFIED, 60]
    #[arg(long, value_name = "COUNT")]
    forum_rate_limit_verified: Option<String>,
    /// Requests per minute of a reviewer [FORUM_RATE_LIMIT_ADMIN, 300]
    #[arg(long, value_name = "COUNT")]
    forum_rate_limit_admin: Option<String>,
    /// Requests per minute from one network with any keys [FORUM_RATE_LIMIT_NETWORK, 600]
    #[arg(long, value_name = "COUNT")]
    forum_rate_limit_network: Option<String>,
    /// Registrations per minute from one network [FORUM_REGISTRATIONS_PER_MINUTE, 5]
    #[arg(long, value_name = "COUNT")]
    forum_registrations_per_minute: Option<String>,
    /// Registrations per day from one network [FORUM_REGISTRATIONS_PER_DAY, 50]
    #[arg(long, value_name = "COUNT")]
    forum_registrations_per_day: Option<String>,
    /// Apply the three limits per network to this machine too [FORUM_LIMIT_LOOPBACK, true]
    #[arg(long, value_name = "true|false")]
    forum_limit_loopback: Option<String>,
    /// Proxies whose X-Forwarded-For is trusted: addresses or networks [TRUSTED_PROXIES]
    #[arg(long, value_name = "NETWORKS")]
    trusted_proxies: Option<String>,
}

/// The settings of the forum.
pub(crate) struct ForumConfig {
    pub(crate) rules: FirstLayer,
    pub(crate) unruled: Unruled,
    pub(crate) daily_tokens: Option<u64>,
    pub(crate) workers: usize,
    pub(crate) limits: ForumLimits,
    pub(crate) reviewers: Reviewers,
    /// Whether a reviewer's token of its own is too short to resist guessing.
    pub(crate) has_short_token: bool,
    pub(crate) trusted_proxies: TrustedProxies,
}

/// How items that passed the rules are decided on.
pub(crate) enum Unruled {
    /// A model evaluates them.
    Asked(ModelName),
    /// Items of verified agents are approved, others wait for review.
    ByTier,
    /// All are approved.
    Approved,
}

impl ForumConfig {
    /// `general` is the server's own token, which reviewers have where they have none.
    pub(super) fn load(
        args: &ForumArgs,
        asked: &Asked<'_>,
        general: Option<&String>,
    ) -> anyhow::Result<Self> {
        let workers = args.guardrail_workers.as_ref();
        let workers = asked.number(workers, "GUARDRAIL_WORKERS", 4, 0..=WORKERS_MAX)?;
        let rule_file = asked.find(args.guardrail_rules.as_ref(), "GUARDRAIL_RULES");
        let proxies = asked.find(args.trusted_proxies.as_ref(), "TRUSTED_PROXIES");
        let tokens = reviewers(asked.sources.find(None, "DEBATE_ADMIN_TOKEN"))?;
        let has_short_token = tokens.iter().any(|(_, secret)| is_short(secret));
        Ok(Self {
            rules: rules(rule_file)?,
            unruled: unruled(args, asked)?,
            daily_tokens: daily_tokens(args, asked)?,
            workers: size(workers),
            limits: limits(args, asked)?,
            reviewers: with_tokens(tokens, general),
            has_short_token,
            trusted_proxies: trusted(proxies)?,
        })
    }
}

fn rules(found: Option<Found>) -> anyhow::Result<FirstLayer> {
    let Some(found) = found else { return Ok(FirstLayer::BuiltIn) };
    let path = found.path();
    let origin = || format!("{}={}", found.origin, path.display());
    let text = fs::read_to_string(&path).with_context(origin)?;
    Ok(FirstLayer::Own(Arc::new(Rulebook::read(&text).with_context(origin)?)))
}

fn unruled(args: &ForumArgs, asked: &Asked<'_>) -> anyhow::Result<Unruled> {
    let model = asked.find(args.guardrail_model.as_ref(), "GUARDRAIL_MODEL");
    let approve = asked.find(args.guardrail_auto_approve.as_ref(), "GUARDRAIL_AUTO_APPROVE");
    match (model, flag(approve, false)?) {
        (Some(model), true) => bail!(
            "{} sets a model, and GUARDRAIL_AUTO_APPROVE approves items without one; remove one of \
             the two settings",
            model.origin
        ),
        (Some(model), false) => Ok(Unruled::Asked(model_name(&model)?)),
        (None, true) => Ok(Unruled::Approved),
        (None, false) => Ok(Unruled::ByTier),
    }
}

fn daily_tokens(args: &ForumArgs, asked: &Asked<'_>) -> Result<Option<u64>, BadValue> {
    let flag = args.guardrail_daily_tokens.as_ref();
    // Its absence is no number.
    let none = DAILY_TOKENS_MAX + 1;
    let most = asked.number(flag, "GUARDRAIL_DAILY_TOKENS", none, 1..=DAILY_TOKENS_MAX)?;
    Ok((most != none).then_some(most))
}

fn limits(args: &ForumArgs, asked: &Asked<'_>) -> Result<ForumLimits, BadValue> {
    let limit =
        |flag: &Option<String>, variable, default| asked.limit(flag.as_ref(), variable, default);
    let network = NetworkLimits {
        requests: limit(&args.forum_rate_limit_network, "FORUM_RATE_LIMIT_NETWORK", 600)?,
        registrations_per_minute: limit(
            &args.forum_registrations_per_minute,
            "FORUM_REGISTRATIONS_PER_MINUTE",
            5,
        )?,
        registrations_per_day: limit(
            &args.forum_registrations_per_day,
            "FORUM_REGISTRATIONS_PER_DAY",
            50,
        )?,
        limits_loopback: flag(
            asked.find(args.forum_limit_loopback.as_ref(), "FORUM_LIMIT_LOOPBACK"),
            true,
        )?,
    };
    Ok(ForumLimits {
        anonymous: limit(&args.forum_rate_limit_anonymous, "FORUM_RATE_LIMIT_ANONYMOUS", 30)?,
        agent: limit(&args.forum_rate_limit_agent, "FORUM_RATE_LIMIT_AGENT", 30)?,
        verified: limit(&args.forum_rate_limit_verified, "FORUM_RATE_LIMIT_VERIFIED", 60)?,
        admin: limit(&args.forum_rate_limit_admin, "FORUM_RATE_LIMIT_ADMIN", 300)?,
        network,
    })
}

/// Reviewers with tokens of their own, or else one with the server's token, if it has one.
fn with_tokens(tokens: Vec<(String, String)>, general: Option<&String>) -> Reviewers {
    let general = general.filter(|_| tokens.is_empty()).map(|token| (REVIEWER.to_owned(), token));
    let general = general.map(|(name, token)| (name, Token::new(token)));
    let own = tokens.into_iter().map(|(name, secret)| (name, Token::new(&secret)));
    Reviewers::new(own.chain(general).collect())
}

/// One token, or `name:token` for each reviewer: names and tokens.
fn reviewers(found: Option<Found>) -> Result<Vec<(String, String)>, BadValue> {
    let Some(found) = found else { return Ok(Vec::new()) };
    let bad = || found.bad_secret("a token, or name:token,name:token with names of a-z and 0-9");
    let text = token(Some(found.clone()))?.unwrap_or_default();
    if !text.contains(':') {
        return Ok(vec![(REVIEWER.to_owned(), text)]);
    }
    let mut reviewers: Vec<(String, String)> = Vec::new();
    for entry in text.split(',').map(str::trim).filter(|entry| !entry.is_empty()) {
        let (name, secret) = entry.split_once(':').ok_or_else(bad)?;
        let is_plain = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
        let fits = (1..=40).contains(&name.len()) && name.bytes().all(is_plain);
        let is_taken = reviewers.iter().any(|(taken, _)| taken == name);
        if !fits || secret.is_empty() || is_taken {
            return Err(bad());
        }
        reviewers.push((name.to_owned(), secret.to_owned()));
    }
    Ok(reviewers)
}

fn trusted(found: Option<Found>) -> Result<TrustedProxies, BadValue> {
    let Some(found) = found else { return Ok(TrustedProxies::default()) };
    let networks = found.text.split(',').map(str::trim).filter(|network| !network.is_empty());
    TrustedProxies::new(networks).map_err(|err| found.bad(err))
}
