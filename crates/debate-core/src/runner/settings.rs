//! The settings of a run: the client's values over the server's defaults, and language tags of
//! BCP 47.

use super::cursor::{Actor, JudgeMode};
use super::prompt::PromptVersion;
use crate::{Bounded, CallTokens, ModelName, NotAModel, OutOfRange};

/// The maximum number of rounds of a run.
pub type MaxRounds = Bounded<1, 100>;
/// The maximum runtime of a run in seconds.
pub type MaxSeconds = Bounded<1, 86_400>;
/// The maximum number of tokens of all answers of a run together.
pub type TotalTokens = Bounded<1, 2_000_000>;

/// The side of a debater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum DebaterSide {
    /// The debater argues for the topic.
    Pro,
    /// The debater argues against the topic.
    Con,
}

impl DebaterSide {
    /// Both sides, in declaration order.
    pub const ALL: [Self; 2] = [Self::Pro, Self::Con];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Pro => "pro",
            Self::Con => "con",
        }
    }

    /// The side with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|stance| stance.name() == name)
    }

    /// The side of the other debater.
    #[must_use]
    pub const fn other(self) -> Self {
        match self {
            Self::Pro => Self::Con,
            Self::Con => Self::Pro,
        }
    }
}

/// Settings as a client sent them. Absent values use the server's defaults.
#[derive(Debug, Clone, Default)]
#[expect(missing_docs, reason = "the fields are those of `Settings`, by the same names")]
pub struct RunSettingsDraft {
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

/// The server's defaults for runs.
#[derive(Debug, Clone, PartialEq, Eq)]
#[expect(missing_docs, reason = "the fields are those of `Settings`, by the same names")]
pub struct RunDefaults {
    pub max_rounds: MaxRounds,
    pub max_runtime_seconds: MaxSeconds,
    pub max_total_output_tokens: TotalTokens,
    pub max_tokens_debater: CallTokens,
    pub max_tokens_judge: CallTokens,
    pub model_debater: ModelName,
    pub model_judge: ModelName,
}

impl RunDefaults {
    /// The documented defaults with these models.
    #[must_use]
    pub const fn with_models(model_debater: ModelName, model_judge: ModelName) -> Self {
        Self {
            max_rounds: Bounded::constant::<5>(),
            max_runtime_seconds: Bounded::constant::<600>(),
            max_total_output_tokens: Bounded::constant::<8000>(),
            max_tokens_debater: Bounded::constant::<600>(),
            max_tokens_judge: Bounded::constant::<400>(),
            model_debater,
            model_judge,
        }
    }
}

/// The settings of a run. Fixed at its creation, except for an `output_language` that
/// the creation left out.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RunSettings {
    /// The side of debater A; debater B has the opposite side.
    pub debater_a_side: DebaterSide,
    /// The language of all answers.
    pub output_language: Language,
    /// Whether the creation named `output_language`; if not, a later command may set it.
    pub output_language_given: bool,
    /// The time of the judge's turns.
    pub judge_mode: JudgeMode,
    /// The maximum number of rounds.
    pub max_rounds: MaxRounds,
    /// The maximum runtime in seconds.
    pub max_runtime_seconds: MaxSeconds,
    /// The maximum number of tokens of all answers together.
    pub max_total_output_tokens: TotalTokens,
    /// The maximum number of tokens of a debater's answer.
    pub max_tokens_debater: CallTokens,
    /// The maximum number of tokens of a judge's answer.
    pub max_tokens_judge: CallTokens,
    /// The model of both debaters unless the next two settings differ.
    pub model_debater: ModelName,
    /// The model of debater A.
    pub model_debater_a: ModelName,
    /// The model of debater B.
    pub model_debater_b: ModelName,
    /// The model of the judge.
    pub model_judge: ModelName,
    /// The version of the prompts.
    pub prompt_version: PromptVersion,
}

/// A setting has an invalid value.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
#[error("`{field}` {problem}")]
pub struct InvalidSetting {
    /// The name of the setting.
    pub field: &'static str,
    /// The reason, which completes a sentence that begins with the name of the setting.
    pub problem: SettingProblem,
}

/// The reason why a setting is invalid.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum SettingProblem {
    /// The number is out of range.
    #[error(transparent)]
    Range(#[from] OutOfRange),
    /// The text is not one of the allowed values.
    #[error("must be one of {0}")]
    Choice(String),
    /// The text is not a language tag.
    #[error(transparent)]
    Language(#[from] NotALanguage),
    /// The text is not the name of a model.
    #[error(transparent)]
    Model(#[from] NotAModel),
}

impl RunSettings {
    /// Merges a client's settings with the server's defaults. The caller checks that the
    /// models are configured ([`RunSettings::models`]).
    pub fn merge(draft: RunSettingsDraft, defaults: &RunDefaults) -> Result<Self, InvalidSetting> {
        let debater = model("model_debater", draft.model_debater, &defaults.model_debater)?;
        Ok(Self {
            debater_a_side: choice(
                "debater_a_side",
                draft.debater_a_side,
                DebaterSide::Pro,
                &DebaterSide::ALL.map(|stance| (stance.name(), stance)),
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

    /// All models, each with the name of its setting.
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

impl RunSettings {
    /// Whether an actor uses `model`.
    #[must_use]
    pub fn uses_model(&self, model: &ModelName) -> bool {
        Actor::ALL.into_iter().any(|actor| self.model_for(actor) == model)
    }

    /// The model of `actor`.
    #[must_use]
    pub const fn model_for(&self, actor: Actor) -> &ModelName {
        match actor {
            Actor::DebaterA => &self.model_debater_a,
            Actor::DebaterB => &self.model_debater_b,
            Actor::Judge => &self.model_judge,
        }
    }
}

fn invalid<P: Into<SettingProblem>>(field: &'static str) -> impl Fn(P) -> InvalidSetting {
    move |problem| InvalidSetting { field, problem: problem.into() }
}

fn number<const LEAST: u32, const MOST: u32>(
    field: &'static str,
    asked: Option<i64>,
    default: Bounded<LEAST, MOST>,
) -> Result<Bounded<LEAST, MOST>, InvalidSetting> {
    asked.map_or(Ok(default), |number| Bounded::from_wire(number).map_err(invalid(field)))
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
        InvalidSetting { field, problem: SettingProblem::Choice(names.join(", ")) }
    })
}

/// A language tag: `en`, `pt-BR`, `zh-Hant-TW`. It consists of letters, digits and hyphens, so it
/// is safe inside a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language(String);

/// The text is not a language tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a language tag such as en, de or pt-BR")]
pub struct NotALanguage;

/// The longest tag that must be supported everywhere, by RFC 5646.
const MOST: usize = 35;

impl Language {
    /// Checks that `tag` is well-formed. It need not be a registered language.
    pub fn new(tag: String) -> Result<Self, NotALanguage> {
        if is_well_formed(&tag) { Ok(Self(tag)) } else { Err(NotALanguage) }
    }

    /// The language English, tag `en`.
    #[must_use]
    pub fn english() -> Self {
        Self("en".to_owned())
    }

    /// The tag as it was given.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.0
    }

    /// The language in which the server labels a verdict. A script subtag (`Hans`, `Hant`) decides
    /// over a region; Chinese without either is Simplified.
    #[must_use]
    pub fn label_language(&self) -> LabelLanguage {
        let mut subtags = self.0.split('-');
        if !subtags.next().is_some_and(|primary| primary.eq_ignore_ascii_case("zh")) {
            return LabelLanguage::English;
        }
        // A single letter begins an extension, which names neither script nor region.
        let subtags: Vec<String> =
            subtags.take_while(|part| part.len() > 1).map(str::to_ascii_lowercase).collect();
        let has = |names: &[&str]| subtags.iter().any(|part| names.contains(&part.as_str()));
        if has(&["hans"]) {
            LabelLanguage::SimplifiedChinese
        } else if has(&["hant", "tw", "hk", "mo"]) {
            LabelLanguage::TraditionalChinese
        } else {
            LabelLanguage::SimplifiedChinese
        }
    }
}

/// The languages in which the server labels a verdict; every other language gets English labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LabelLanguage {
    /// `en`, and every language without labels of its own.
    English,
    /// `zh`, `zh-CN`, `zh-SG`, `zh-Hans`.
    SimplifiedChinese,
    /// `zh-TW`, `zh-HK`, `zh-MO`, `zh-Hant`.
    TraditionalChinese,
}

fn is_well_formed(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let primary = parts.next().unwrap_or_default();
    let is_word = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_part = |part: &str| (1..=8).contains(&part.len()) && is_word(part);
    // A subtag of one letter begins an extension and cannot be the last one.
    let ends_open = tag.rsplit('-').next().is_some_and(|part| part.len() == 1);
    tag.len() <= MOST
        && (2..=8).contains(&primary.len())
        && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(is_part)
        && !ends_open
}
