//! One call to a model provider: the name of the model (`provider:model`), its token limit, its
//! usage, its failure.

use std::fmt;
use std::time::Duration;

use crate::{Bounded, Prompt};

/// The maximum number of tokens of one answer.
pub type CallTokens = Bounded<1, 20_000>;

/// Tokens as the provider reported them; none if it did not report a count.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// Tokens of the prompt.
    pub prompt_tokens: Option<u32>,
    /// Tokens of the answer.
    pub completion_tokens: Option<u32>,
    /// Whether the provider reported more tokens than the call allowed. The counts are then those
    /// that the call allowed.
    pub clipped: bool,
}

/// Prompt and completion tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCount {
    /// Tokens of the prompt.
    pub prompt_tokens: u32,
    /// Tokens of the answer.
    pub completion_tokens: u32,
}

impl TokenCount {
    /// The most tokens that a call with this prompt and this limit for its answer can use: the
    /// UTF-8 bytes of the prompt, since each token has at least one, and `max_tokens`.
    #[must_use]
    pub fn max_for(prompt: &Prompt, max_tokens: CallTokens) -> Self {
        let bytes = prompt.iter().map(|message| message.text.len()).sum::<usize>();
        Self {
            prompt_tokens: u32::try_from(bytes).unwrap_or(u32::MAX),
            completion_tokens: max_tokens.number(),
        }
    }

    /// Prompt and answer together.
    #[must_use]
    pub fn total(self) -> u64 {
        u64::from(self.prompt_tokens) + u64::from(self.completion_tokens)
    }
}

impl Usage {
    /// The provider reported neither count.
    pub const UNREPORTED: Self =
        Self { prompt_tokens: None, completion_tokens: None, clipped: false };
    /// The call used no tokens.
    pub const ZERO: Self = Self::reported(0, 0);

    /// Both counts, as a provider reported them.
    #[must_use]
    pub const fn reported(prompt_tokens: u32, completion_tokens: u32) -> Self {
        Self {
            prompt_tokens: Some(prompt_tokens),
            completion_tokens: Some(completion_tokens),
            clipped: false,
        }
    }

    /// Limits each count to what the call allowed, and sets `clipped` if that changed one. A
    /// provider's report can therefore never use more of a budget than was reserved for its call.
    #[must_use]
    pub fn clip(self, max_usage: TokenCount) -> Self {
        let is_over = |count: Option<u32>, most: u32| count.is_some_and(|count| count > most);
        let clipped = is_over(self.prompt_tokens, max_usage.prompt_tokens)
            || is_over(self.completion_tokens, max_usage.completion_tokens);
        Self {
            prompt_tokens: self.prompt_tokens.map(|count| count.min(max_usage.prompt_tokens)),
            completion_tokens: self
                .completion_tokens
                .map(|count| count.min(max_usage.completion_tokens)),
            clipped: self.clipped || clipped,
        }
    }

    /// The counts, with that of `max_usage` in place of each that was not reported.
    #[must_use]
    pub fn or_max(self, max_usage: TokenCount) -> TokenCount {
        TokenCount {
            prompt_tokens: self.prompt_tokens.unwrap_or(max_usage.prompt_tokens),
            completion_tokens: self.charged_tokens(max_usage.completion_tokens),
        }
    }

    /// The completion tokens that a budget is charged for a call that was allowed `allowed` tokens.
    /// A missing count is charged as all allowed tokens, so that a budget cannot be exceeded.
    #[must_use]
    pub fn charged_tokens(self, allowed: u32) -> u32 {
        self.completion_tokens.unwrap_or(allowed)
    }
}

/// The failure of a call to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum CallFailure {
    /// The same call may succeed later.
    Transient {
        /// The wait that the provider asked for.
        retry_after: Option<Duration>,
    },
    /// The same call will fail again.
    Permanent,
}

/// A well-formed name of a model. Its provider may not be configured.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName {
    provider: String,
    model: String,
}

/// The text is not the name of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be PROVIDER:MODEL such as openai:gpt-4.1 or demo:paced, in at most {most} characters",
    most = ModelName::MOST
)]
pub struct NotAModel;

impl ModelName {
    /// The maximum length in characters.
    pub const MOST: usize = 200;

    /// Parses a name. The first colon separates the provider, since names of
    /// models may contain colons.
    pub fn new(text: &str) -> Result<Self, NotAModel> {
        let (provider, model) = text.split_once(':').ok_or(NotAModel)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let fits = text.len() <= Self::MOST
            && !provider.is_empty()
            && provider.bytes().all(is_plain)
            && !model.is_empty()
            && model.bytes().all(|byte| byte.is_ascii_graphic());
        if !fits {
            return Err(NotAModel);
        }
        Ok(Self { provider: provider.to_owned(), model: model.to_owned() })
    }

    /// Whether the built-in demo answers instead of a provider.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.provider == "demo"
    }

    /// The provider that receives the call.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The model's name at its provider.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider, self.model)
    }
}
