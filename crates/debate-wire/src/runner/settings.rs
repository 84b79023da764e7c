//! How a debate is run: as it is asked for, and as it is answered.

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{JudgeMode, Stance};

/// Settings as a client gives them. Every key may be absent or null; no other key may be there.
#[derive(Debug, Clone, Default, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(deny_unknown_fields)]
#[schema(as = RunnerSettingsDraft)]
pub struct SettingsDraft {
    /// The position of debater A; `pro` by default. Debater B takes the other one.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<Stance>)]
    pub debater_a_side: Option<String>,
    /// What everyone writes in, as a language tag; `en` by default.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "en")]
    pub output_language: Option<String>,
    /// When the judge speaks; `round` by default.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(value_type = Option<JudgeMode>)]
    pub judge_mode: Option<String>,
    /// How many rounds there are at most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 100)]
    pub max_rounds: Option<i64>,
    /// How long it runs at most; pauses don't count.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 86400)]
    pub max_runtime_seconds: Option<i64>,
    /// How many tokens all answers have at most, together.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 2_000_000)]
    pub max_total_output_tokens: Option<i64>,
    /// How many tokens a debater's answer has at most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 20000)]
    pub max_tokens_debater: Option<i64>,
    /// How many tokens a judge's answer has at most.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(minimum = 1, maximum = 20000)]
    pub max_tokens_judge: Option<i64>,
    /// Who debates, as `provider:model`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "demo:paced")]
    pub model_debater: Option<String>,
    /// Who argues as A, if not `model_debater`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "demo:paced")]
    pub model_debater_a: Option<String>,
    /// Who argues as B, if not `model_debater`.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "demo:paced")]
    pub model_debater_b: Option<String>,
    /// Who judges.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "demo:paced")]
    pub model_judge: Option<String>,
    /// Which texts they are asked with.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    #[schema(example = "v1")]
    pub prompt_version: Option<String>,
}

impl From<SettingsDraft> for runner::SettingsDraft {
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

/// Settings as a debate has them: what was asked for, over the server's own.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerSettings)]
pub struct Settings {
    /// What debater A argues; debater B argues the other.
    pub debater_a_side: Stance,
    /// What everyone writes in, as a language tag.
    #[schema(example = "en")]
    pub output_language: String,
    /// When the judge speaks.
    pub judge_mode: JudgeMode,
    /// How many rounds there are at most.
    pub max_rounds: u32,
    /// How long it runs at most; pauses don't count.
    pub max_runtime_seconds: u32,
    /// How many tokens all answers have at most, together.
    pub max_total_output_tokens: u32,
    /// How many tokens a debater's answer has at most.
    pub max_tokens_debater: u32,
    /// How many tokens a judge's answer has at most.
    pub max_tokens_judge: u32,
    /// Who debates, unless the next two say otherwise.
    #[schema(example = "demo:paced")]
    pub model_debater: String,
    /// Who argues as A.
    #[schema(example = "demo:paced")]
    pub model_debater_a: String,
    /// Who argues as B.
    #[schema(example = "demo:paced")]
    pub model_debater_b: String,
    /// Who judges.
    #[schema(example = "demo:paced")]
    pub model_judge: String,
    /// Which texts they are asked with.
    #[schema(example = "v1")]
    pub prompt_version: String,
}

impl From<runner::Settings> for Settings {
    fn from(settings: runner::Settings) -> Self {
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
