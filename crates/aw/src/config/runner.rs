//! The configuration of runs: defaults, models, workers and budgets.

use std::time::Duration;

use debate_core::runner::{Budget, DailyLimits, NanoUsd, RunDefaults, UnknownOutcomePolicy};
use debate_core::{Bounded, ModelName};
use debate_llm::Configuration;
use debate_settings::table::{
    CALL_TIMEOUT_SECONDS, LEASE_SECONDS, MAX_ROUNDS, MAX_RUNTIME_SECONDS, MAX_TOKENS_DEBATER,
    MAX_TOKENS_JUDGE, MAX_TOTAL_OUTPUT_TOKENS, MODEL_DEBATER, MODEL_JUDGE, ON_UNKNOWN,
    RUNNER_DAILY_COST, RUNNER_DAILY_TOKENS, RUNNER_WORKERS,
};
use debate_settings::{Setting, SettingError, Sources};

use super::file::ConfigFile;
use super::models;
use super::values::parse_model;

/// The amounts that `RUNNER_DAILY_COST` accepts.
const AMOUNT: &str =
    "an amount in USD from 0 to 1000000 with at most six decimals, such as 5 or 0.50";

/// The configuration of runs.
pub(crate) struct RunnerConfig {
    pub(crate) defaults: RunDefaults,
    pub(crate) models: Configuration,
    pub(crate) budget: Budget,
    pub(crate) workers: usize,
    pub(crate) lease: Duration,
    pub(crate) on_unknown: UnknownOutcomePolicy,
    pub(crate) call_timeout: Duration,
}

impl RunnerConfig {
    pub(super) fn from_sources(
        sources: &Sources,
        file: Option<&ConfigFile>,
    ) -> anyhow::Result<Self> {
        let call_timeout = Duration::from_secs(sources.number(&CALL_TIMEOUT_SECONDS)?);
        let (models, prices) = models::load(sources, file, call_timeout)?;
        Ok(Self {
            defaults: defaults(sources)?,
            models,
            budget: Budget { limits: daily_limits(sources)?, prices },
            workers: sources.number(&RUNNER_WORKERS)?,
            lease: Duration::from_secs(sources.number(&LEASE_SECONDS)?),
            on_unknown: match sources.word(&ON_UNKNOWN)? {
                Some("hold") => UnknownOutcomePolicy::Fail,
                Some(_) | None => UnknownOutcomePolicy::Retry,
            },
            call_timeout,
        })
    }
}

fn defaults(sources: &Sources) -> Result<RunDefaults, SettingError> {
    Ok(RunDefaults {
        max_rounds: bounded(sources, &MAX_ROUNDS)?,
        max_runtime_seconds: bounded(sources, &MAX_RUNTIME_SECONDS)?,
        max_total_output_tokens: bounded(sources, &MAX_TOTAL_OUTPUT_TOKENS)?,
        max_tokens_debater: bounded(sources, &MAX_TOKENS_DEBATER)?,
        max_tokens_judge: bounded(sources, &MAX_TOKENS_JUDGE)?,
        model_debater: model(sources, &MODEL_DEBATER)?,
        model_judge: model(sources, &MODEL_JUDGE)?,
    })
}

fn bounded<const MIN: u32, const MAX: u32>(
    sources: &Sources,
    setting: &Setting,
) -> Result<Bounded<MIN, MAX>, SettingError> {
    Ok(Bounded::new(sources.number(setting)?).expect("the table has the bounds of the rules"))
}

fn model(sources: &Sources, setting: &Setting) -> Result<ModelName, SettingError> {
    parse_model(&sources.find(setting)?.expect("the models of runs have defaults"))
}

fn daily_limits(sources: &Sources) -> Result<DailyLimits, SettingError> {
    let cost = sources
        .find(&RUNNER_DAILY_COST)?
        .map(|found| NanoUsd::parse(found.text.trim()).map_err(|_| found.invalid(AMOUNT)));
    Ok(DailyLimits {
        tokens: sources.optional_number(&RUNNER_DAILY_TOKENS)?,
        cost: cost.transpose()?,
    })
}
