//! How a debate is run: what its creator asked for over what the server does by itself.

use super::bound::{MaxRounds, MaxSeconds, TotalTokens};
use super::cursor::{Actor, JudgeMode};
use super::language::{Language, NotALanguage};
use super::prompt::PromptVersion;
use crate::{CallTokens, ModelName, NotAModel, OutOfRange, Within};

/// What a debater argues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Stance {
    /// For the topic.
    Pro,
    /// Against it.
    Con,
}

impl Stance {
    /// Every stance.
    pub const ALL: [Self; 2] = [Self::Pro, Self::Con];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pro => "pro",
            Self::Con => "con",
        }
    }

    /// The stance of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stance| stance.name() == name)
    }

    /// The other one.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Pro => Self::Con,
            Self::Con => Self::Pro,
        }
    }
}

/// Settings as a client gave them: what is absent or null is the server's choice.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the fields are those of `Settings`, by the same names")]
pub struct SettingsDraft {
    pub debater_a_side: Option<String>,
    pub output_language: Option<String>,
    pub judge_mode: Option<String>,
    pub max_rounds: Option<i64>,
    pub max_runtime_seconds: Option<i64>,
    pub max_total_output_tokens: Option<i64>,
    pub max_tokens_debater: Option<i64>,
    pub max_tokens_judge: Option<i64>,
    pub model_debater: Option<String>,
    pub model_debater_a: Option<String>,
    pub model_debater_b: Option<String>,
    pub model_judge: Option<String>,
    pub prompt_version: Option<String>,
}

/// What the server does where a client does not say.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of `Settings`, by the same names")]
pub struct Defaults {
    pub max_rounds: MaxRounds,
    pub max_runtime_seconds: MaxSeconds,
    pub max_total_output_tokens: TotalTokens,
    pub max_tokens_debater: CallTokens,
    pub max_tokens_judge: CallTokens,
    pub model_debater: ModelName,
    pub model_judge: ModelName,
}

impl Defaults {
    /// The contract's own, with these models.
    #[must_use]
    pub const fn with_models(model_debater: ModelName, model_judge: ModelName) -> Self {
        Self {
            max_rounds: Within::of::<5>(),
            max_runtime_seconds: Within::of::<600>(),
            max_total_output_tokens: Within::of::<8000>(),
            max_tokens_debater: Within::of::<600>(),
            max_tokens_judge: Within::of::<400>(),
            model_debater,
            model_judge,
        }
    }
}

/// How a run is executed. Fixed when it is created, except for `output_language` where the creation
/// left it out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Settings {
    /// What debater A argues; debater B argues the other.
    pub debater_a_side: Stance,
    /// What everyone writes in.
    pub output_language: Language,
    /// Whether the creation named `output_language`; if not, a later command may set it.
    pub output_language_given: bool,
    /// When the judge speaks.
    pub judge_mode: JudgeMode,
    /// How many rounds there are at most.
    pub max_rounds: MaxRounds,
    /// How long it runs at most.
    pub max_runtime_seconds: MaxSeconds,
    /// How many tokens all answers have at most, together.
    pub max_total_output_tokens: TotalTokens,
    /// How many tokens a debater's answer has at most.
    pub max_tokens_debater: CallTokens,
    /// How many tokens a judge's answer has at most.
    pub max_tokens_judge: CallTokens,
    /// Who debates, unless the next two say otherwise.
    pub model_debater: ModelName,
    /// Who argues as A.
    pub model_debater_a: ModelName,
    /// Who argues as B.
    pub model_debater_b: ModelName,
    /// Who judges.
    pub model_judge: ModelName,
    /// The version of the prompts.
    pub prompt_version: PromptVersion,
}

/// A setting that can't be.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {problem}")]
pub struct InvalidSetting {
    /// Which.
    pub field: &'static str,
    /// Why; reads as the end of a sentence that begins with the field's name.
    pub problem: Problem,
}

/// What can be wrong with a setting.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum Problem {
    /// A number out of bounds.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// None of the few texts it can be.
    #[error("must be one of {0}")]
    Choice(String),
    /// No language.
    #[error(transparent)]
    Language(#[from] NotALanguage),
    /// No model's name.
    #[error(transparent)]
    Model(#[from] NotAModel),
}

impl Settings {
    /// What `draft` asks for, over the server's `defaults`. Whether its models are configured is
    /// for the provider's registry to say ([`Settings::models`]).
    pub fn merge(draft: SettingsDraft, defaults: &Defaults) -> Result<Self, InvalidSetting> {
        let debater = model("model_debater", draft.model_debater, &defaults.model_debater)?;
        Ok(Self {
            debater_a_side: choice(
                "debater_a_side",
                draft.debater_a_side,
                Stance::Pro,
                &Stance::ALL.map(|stance| (stance.name(), stance)),
            )?,
            output_language_given: draft.output_language.is_some(),
            output_language: match draft.output_language {
                Some(tag) => Language::new(tag).map_err(invalid("output_language"))?,
                None => Language::english(),
            },
            judge_mode: choice(
                "judge_mode",
                draft.judge_mode,
                JudgeMode::Round,
                &JudgeMode::ALL.map(|mode| (mode.name(), mode)),
            )?,
            max_rounds: number("max_rounds", draft.max_rounds, defaults.max_rounds)?,
            max_runtime_seconds: number(
                "max_runtime_seconds",
                draft.max_runtime_seconds,
                defaults.max_runtime_seconds,
            )?,
            max_total_output_tokens: number(
                "max_total_output_tokens",
                draft.max_total_output_tokens,
                defaults.max_total_output_tokens,
            )?,
            max_tokens_debater: number(
                "max_tokens_debater",
                draft.max_tokens_debater,
                defaults.max_tokens_debater,
            )?,
            max_tokens_judge: number(
                "max_tokens_judge",
                draft.max_tokens_judge,
                defaults.max_tokens_judge,
            )?,
            model_debater_a: model("model_debater_a", draft.model_debater_a, &debater)?,
            model_debater_b: model("model_debater_b", draft.model_debater_b, &debater)?,
            model_debater: debater,
            model_judge: model("model_judge", draft.model_judge, &defaults.model_judge)?,
            prompt_version: choice(
                "prompt_version",
                draft.prompt_version,
                PromptVersion::DEFAULT,
                &PromptVersion::ALL.map(|version| (version.name(), version)),
            )?,
        })
    }

    /// Every model, under the name of its field.
    #[must_use]
    pub fn models(&self) -> [(&'static str, &ModelName); 4] {
        [
            ("model_debater", &self.model_debater),
            ("model_debater_a", &self.model_debater_a),
            ("model_debater_b", &self.model_debater_b),
            ("model_judge", &self.model_judge),
        ]
    }
}

impl Settings {
    /// Whether some actor speaks through `model`.
    #[must_use]
    pub fn asks(&self, model: &ModelName) -> bool {
        Actor::ALL.into_iter().any(|actor| self.model_of(actor) == model)
    }

    /// Who speaks as `actor`.
    #[must_use]
    pub const fn model_of(&self, actor: Actor) -> &ModelName {
        match actor {
            Actor::DebaterA => &self.model_debater_a,
            Actor::DebaterB => &self.model_debater_b,
            Actor::Judge => &self.model_judge,
        }
    }
}

fn invalid<P: Into<Problem>>(field: &'static str) -> impl Fn(P) -> InvalidSetting {
    move |problem| InvalidSetting { field, problem: problem.into() }
}

fn number<const LEAST: u32, const MOST: u32>(
    field: &'static str,
    asked: Option<i64>,
    default: Within<LEAST, MOST>,
) -> Result<Within<LEAST, MOST>, InvalidSetting> {
    asked.map_or(Ok(default), |number| Within::from_wire(number).map_err(invalid(field)))
}

fn model(
    field: &'static str,
    asked: Option<String>,
    default: &ModelName,
) -> Result<ModelName, InvalidSetting> {
    match asked {
        Some(name) => ModelName::new(&name).map_err(invalid(field)),
        None => Ok(default.clone()),
    }
}

fn choice<T: Copy>(
    field: &'static str,
    asked: Option<String>,
    default: T,
    named: &[(&str, T)],
) -> Result<T, InvalidSetting> {
    let Some(asked) = asked else { return Ok(default) };
    let found = named.iter().find(|(name, _)| *name == asked).map(|(_, value)| *value);
    found.ok_or_else(|| {
        let names: Vec<&str> = named.iter().map(|(name, _)| *name).collect();
        InvalidSetting { field, problem: Problem::Choice(names.join(", ")) }
    })
}
