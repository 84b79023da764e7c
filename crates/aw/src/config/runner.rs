//! The settings of runs: limits, models and workers.

use std::time::Duration;

use anyhow::Context;
use debate_core::ModelName;
use debate_core::runner::{Budget, DailyLimits, Defaults, NanoUsd, OnUnknown};
use debate_llm::Configuration;

use super::models;
use super::values::{Asked, model_name, size};
use crate::settings::{BadValue, Found};

/// The default model of debaters and judge. It needs no API key.
const DEMO: &str = "demo:paced";

/// More workers than one process can use.
const WORKERS_MAX: u64 = 10_000;

/// More tokens than any budget allows.
const DAILY_TOKENS_MAX: u64 = 1_000_000_000_000;

/// What `RUNNER_DAILY_COST` accepts.
const AMOUNT: &str =
    "an amount in USD from 0 to 1000000 with at most six decimals, such as 5 or 0.50";

/// Longer than any model call takes.
pub(super) const CALL_SECONDS_MAX: u64 = 3600;

/// The flags of `aw serve` for runs.
#[expect(clippy::doc_markdown, reason = "these are the words that --help shows")]
#[derive(Debug, Default, clap::Args)]
#[command(next_help_heading = "Runs (API keys and providers: see docs/runner.md)")]
pub(crate) struct RunnerArgs {
    /// Default maximum number of rounds [DEBATE_MAX_ROUNDS, 5]
    #[arg(long, value_name = "COUNT")]
    max_rounds: Option<String>,
    /// Default maximum running time [DEBATE_MAX_RUNTIME_SECONDS, 600]
    #[arg(long, value_name = "SECONDS")]
    max_runtime_seconds: Option<String>,
    /// Default maximum output tokens of a run [DEBATE_MAX_TOTAL_OUTPUT_TOKENS, 8000]
    #[arg(long, value_name = "COUNT")]
    max_total_output_tokens: Option<String>,
    /// Default maximum output tokens of a debater turn [DEBATE_MAX_TOKENS_DEBATER, 600]
    #[arg(long, value_name = "COUNT")]
    max_tokens_debater: Option<String>,
    /// Default maximum output tokens of a judge turn [DEBATE_MAX_TOKENS_JUDGE, 400]
    #[arg(long, value_name = "COUNT")]
    max_tokens_judge: Option<String>,
    /// Default model of both debaters [RUNNER_MODEL_DEBATER, demo:paced]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    runner_model_debater: Option<String>,
    /// Default model of the judge [RUNNER_MODEL_JUDGE, demo:paced]
    #[arg(long, value_name = "PROVIDER:MODEL")]
    runner_model_judge: Option<String>,
    /// Number of turns executed in parallel; 0 leaves them to other processes [RUNNER_WORKERS, 16]
    #[arg(long, value_name = "COUNT")]
    runner_workers: Option<String>,
    /// Time after which another worker takes over a turn or an evaluation
    /// [RUNNER_LEASE_SECONDS, 15]
    #[arg(long, value_name = "SECONDS")]
    runner_lease_seconds: Option<String>,
    /// After a crash during a model call: retry it, or hold the run as failed
    /// [RUNNER_ON_UNKNOWN, retry]
    #[arg(long, value_name = "retry|hold")]
    runner_on_unknown: Option<String>,
    /// Maximum tokens of all runs per UTC day, input and output [RUNNER_DAILY_TOKENS, no limit]
    #[arg(long, value_name = "COUNT")]
    runner_daily_tokens: Option<String>,
    /// Maximum cost of all runs per UTC day; models need prices [RUNNER_DAILY_COST, no limit]
    #[arg(long, value_name = "USD")]
    runner_daily_cost: Option<String>,
    /// Timeout of a model call [RUNNER_CALL_TIMEOUT_SECONDS, 180]
    #[arg(long, value_name = "SECONDS")]
    runner_call_timeout_seconds: Option<String>,
}

/// The settings of runs.
pub(crate) struct RunnerConfig {
    pub(crate) defaults: Defaults,
    pub(crate) models: Configuration,
    pub(crate) budget: Budget,
    pub(crate) workers: usize,
    pub(crate) lease: Duration,
    pub(crate) on_unknown: OnUnknown,
    pub(crate) call_timeout: Duration,
}

impl RunnerConfig {
    pub(super) fn load(args: &RunnerArgs, asked: &Asked<'_>) -> anyhow::Result<Self> {
        let seconds = |flag: &Option<String>, variable, default, most| {
            asked.number(flag.as_ref(), variable, default, 1..=most).map(Duration::from_secs)
        };
        let call_timeout = seconds(
            &args.runner_call_timeout_seconds,
            "RUNNER_CALL_TIMEOUT_SECONDS",
            180,
            CALL_SECONDS_MAX,
        )?;
        let workers = args.runner_workers.as_ref();
        let workers = asked.number(workers, "RUNNER_WORKERS", 16, 0..=WORKERS_MAX)?;
        let (models, prices) = models::load(asked.sources, call_timeout)?;
        Ok(Self {
            defaults: defaults(args, asked)?,
            models,
            budget: Budget { limits: daily_limits(args, asked)?, prices },
            workers: size(workers),
            lease: seconds(&args.runner_lease_seconds, "RUNNER_LEASE_SECONDS", 15, 30)?,
            on_unknown: on_unknown(
                asked.find(args.runner_on_unknown.as_ref(), "RUNNER_ON_UNKNOWN"),
            )?,
            call_timeout,
        })
    }
}

fn defaults(args: &RunnerArgs, asked: &Asked<'_>) -> anyhow::Result<Defaults> {
    let model = |flag: &Option<String>, variable| match asked.find(flag.as_ref(), variable) {
        Some(found) => model_name(&found).map_err(Into::into),
        None => ModelName::new(DEMO).context("the demo model has a valid name"),
    };
    let own = Defaults::with_models(
        model(&args.runner_model_debater, "RUNNER_MODEL_DEBATER")?,
        model(&args.runner_model_judge, "RUNNER_MODEL_JUDGE")?,
    );
    Ok(Defaults {
        max_rounds: asked.within(args.max_rounds.as_ref(), "DEBATE_MAX_ROUNDS", own.max_rounds)?,
        max_runtime_seconds: asked.within(
            args.max_runtime_seconds.as_ref(),
            "DEBATE_MAX_RUNTIME_SECONDS",
            own.max_runtime_seconds,
        )?,
        max_total_output_tokens: asked.within(
            args.max_total_output_tokens.as_ref(),
            "DEBATE_MAX_TOTAL_OUTPUT_TOKENS",
            own.max_total_output_tokens,
        )?,
        max_tokens_debater: asked.within(
            args.max_tokens_debater.as_ref(),
            "DEBATE_MAX_TOKENS_DEBATER",
            own.max_tokens_debater,
        )?,
        max_tokens_judge: asked.within(
            args.max_tokens_judge.as_ref(),
            "DEBATE_MAX_TOKENS_JUDGE",
            own.max_tokens_judge,
        )?,
        ..own
    })
}

fn on_unknown(found: Option<Found>) -> Result<OnUnknown, BadValue> {
    match found {
        None => Ok(OnUnknown::Retry),
        Some(found) => match found.text.trim() {
            "retry" => Ok(OnUnknown::Retry),
            "hold" => Ok(OnUnknown::Hold),
            _ => Err(found.bad("retry or hold")),
        },
    }
}

fn daily_limits(args: &RunnerArgs, asked: &Asked<'_>) -> Result<DailyLimits, BadValue> {
    let flag = args.runner_daily_tokens.as_ref();
    // Its absence is no number.
    let none = DAILY_TOKENS_MAX + 1;
    let most = asked.number(flag, "RUNNER_DAILY_TOKENS", none, 1..=DAILY_TOKENS_MAX)?;
    let cost = asked.find(args.runner_daily_cost.as_ref(), "RUNNER_DAILY_COST");
    let cost = cost.map(|found| NanoUsd::parse(found.text.trim()).map_err(|_| found.bad(AMOUNT)));
    Ok(DailyLimits { tokens: (most != none).then_some(most), cost: cost.transpose()? })
}
