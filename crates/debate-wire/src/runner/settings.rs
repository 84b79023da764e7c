//! Settings of a run: as a client requests them, and as the server applies them.

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{JudgeMode, Stance};

/// Settings that a client requests. Each one may be absent or null; the server's default then
/// applies. An unknown setting fails with 422.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RunnerSettingsDraft)]
pub struct SettingsDraft {
    /// Side of debater A; debater B takes the other one. Default: `pro`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Stance>)]
    pub debater_a_side: Option<String>,
    /// Language of all turns as a BCP 47 tag. Default: the header `X-UI-Language` of the command
    /// that starts the run, or else `en`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "en")]
    pub output_language: Option<String>,
    /// Time at which the judge scores: after each `round`, or once at the `end`. Default: `round`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<JudgeMode>)]
    pub judge_mode: Option<String>,
    /// Maximum number of rounds, 1 to 100. Default: `DEBATE_MAX_ROUNDS` of the server (5).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 100)]
    pub max_rounds: Option<i64>,
    /// Maximum running time in seconds, without pauses, 1 to 86,400. Default:
    /// `DEBATE_MAX_RUNTIME_SECONDS` of the server (600).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 86400)]
    pub max_runtime_seconds: Option<i64>,
    /// Maximum number of output tokens of all calls together, 1 to 2,000,000. Default:
    /// `DEBATE_MAX_TOTAL_OUTPUT_TOKENS` of the server (8000).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 2_000_000)]
    pub max_total_output_tokens: Option<i64>,
    /// Maximum number of output tokens of one debater call, 1 to 20,000. Default:
    /// `DEBATE_MAX_TOKENS_DEBATER` of the server (600).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 20000)]
    pub max_tokens_debater: Option<i64>,
    /// Maximum number of output tokens of one judge call, 1 to 20,000. Default:
    /// `DEBATE_MAX_TOKENS_JUDGE` of the server (400).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 20000)]
    pub max_tokens_judge: Option<i64>,
    /// Model of both debaters as `provider:model`. Default: `RUNNER_MODEL_DEBATER` of the server
    /// (`demo:paced`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "demo:paced")]
    pub model_debater: Option<String>,
    /// Model of debater A as `provider:model`. Default: `model_debater`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "demo:paced")]
    pub model_debater_a: Option<String>,
    /// Model of debater B as `provider:model`. Default: `model_debater`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "demo:paced")]
    pub model_debater_b: Option<String>,
    /// Model of the judge as `provider:model`. Default: `RUNNER_MODEL_JUDGE` of the server
    /// (`demo:paced`).
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "demo:paced")]
    pub model_judge: Option<String>,
    /// Version of the prompts that the models receive. Default: the newest version.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "v2")]
    pub prompt_version: Option<String>,
}

impl From<SettingsDraft> for runner::RunSettingsDraft {
    fn from(draft: SettingsDraft) -> Self {
        Self {
            debater_a_side: draft.debater_a_side,
            output_language: draft.output_language,
            judge_mode: draft.judge_mode,
            max_rounds: draft.max_rounds,
            max_runtime_seconds: draft.max_runtime_seconds,
            max_total_output_tokens: draft.max_total_output_tokens,
            max_tokens_debater: draft.max_tokens_debater,
            max_tokens_judge: draft.max_tokens_judge,
            model_debater: draft.model_debater,
            model_debater_a: draft.model_debater_a,
            model_debater_b: draft.model_debater_b,
            model_judge: draft.model_judge,
            prompt_version: draft.prompt_version,
        }
    }
}

/// Settings that the server applies to a run.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerSettings)]
pub struct Settings {
    /// Side of debater A; debater B takes the other one.
    pub debater_a_side: Stance,
    /// Language of all turns as a BCP 47 tag.
    #[schema(example = "en")]
    pub output_language: String,
    /// Time at which the judge scores: after each `round`, or once at the `end`.
    pub judge_mode: JudgeMode,
    /// Maximum number of rounds, 1 to 100.
    pub max_rounds: u32,
    /// Maximum running time in seconds, without pauses, 1 to 86,400.
    pub max_runtime_seconds: u32,
    /// Maximum number of output tokens of all calls together, 1 to 2,000,000.
    pub max_total_output_tokens: u32,
    /// Maximum number of output tokens of one debater call, 1 to 20,000.
    pub max_tokens_debater: u32,
    /// Maximum number of output tokens of one judge call, 1 to 20,000.
    pub max_tokens_judge: u32,
    /// Model of the debaters as `provider:model`, unless `model_debater_a` or `model_debater_b`
    /// differs.
    #[schema(example = "demo:paced")]
    pub model_debater: String,
    /// Model of debater A as `provider:model`.
    #[schema(example = "demo:paced")]
    pub model_debater_a: String,
    /// Model of debater B as `provider:model`.
    #[schema(example = "demo:paced")]
    pub model_debater_b: String,
    /// Model of the judge as `provider:model`.
    #[schema(example = "demo:paced")]
    pub model_judge: String,
    /// Version of the prompts that the models receive.
    #[schema(example = "v2")]
    pub prompt_version: String,
}

impl From<runner::RunSettings> for Settings {
    fn from(settings: runner::RunSettings) -> Self {
        Self {
            debater_a_side: settings.debater_a_side.into(),
            output_language: settings.output_language.tag().to_owned(),
            judge_mode: settings.judge_mode.into(),
            max_rounds: settings.max_rounds.number(),
            max_runtime_seconds: settings.max_runtime_seconds.number(),
            max_total_output_tokens: settings.max_total_output_tokens.number(),
            max_tokens_debater: settings.max_tokens_debater.number(),
            max_tokens_judge: settings.max_tokens_judge.number(),
            model_debater: settings.model_debater.to_string(),
            model_debater_a: settings.model_debater_a.to_string(),
            model_debater_b: settings.model_debater_b.to_string(),
            model_judge: settings.model_judge.to_string(),
            prompt_version: settings.prompt_version.name().to_owned(),
        }
    }
}
