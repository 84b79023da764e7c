//! One call to a provider, whoever makes it: what it may cost, what it cost, how it failed.

use std::time::Duration;

use crate::{Prompt, Within};

/// How many tokens one answer has at most.
pub type CallTokens = Within<1, 20_000>;

/// Tokens as the provider counted them; none where it did not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// What it was asked.
    pub prompt_tokens: Option<u32>,
    /// What it answered.
    pub completion_tokens: Option<u32>,
    /// Whether the provider reported more tokens than the call allowed. The counts are then those
    /// that the call allowed.
    pub clipped: bool,
}

/// Prompt and completion tokens of one call.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct TokenCount {
    /// Of the prompt.
    pub prompt_tokens: u32,
    /// Of the answer.
    pub completion_tokens: u32,
}

impl TokenCount {
    /// The most tokens that a call with this prompt and this limit for its answer can use: the
    /// UTF-8 bytes of the prompt, since each token has at least one, and `max_tokens`.
    #[must_use]
    pub fn bound(prompt: &Prompt, max_tokens: CallTokens) -> Self {
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
    /// Nothing was told.
    pub const NOT_TOLD: Self =
        Self { prompt_tokens: None, completion_tokens: None, clipped: false };
    /// Nothing was used.
    pub const NOTHING: Self = Self::reported(0, 0);

    /// Both counts, as a provider reported them.
    #[must_use]
    pub const fn reported(prompt_tokens: u32, completion_tokens: u32) -> Self {
        Self {
            prompt_tokens: Some(prompt_tokens),
            completion_tokens: Some(completion_tokens),
            clipped: false,
        }
    }

    /// The usage with each count limited to what the call allowed, marked where that changed one.
    /// A provider's report can so never use up more of a budget than was reserved for its call.
    #[must_use]
    pub fn clip(self, bound: TokenCount) -> Self {
        let is_over = |count: Option<u32>, most: u32| count.is_some_and(|count| count > most);
        let clipped = is_over(self.prompt_tokens, bound.prompt_tokens)
            || is_over(self.completion_tokens, bound.completion_tokens);
        Self {
            prompt_tokens: self.prompt_tokens.map(|count| count.min(bound.prompt_tokens)),
            completion_tokens: self
                .completion_tokens
                .map(|count| count.min(bound.completion_tokens)),
            clipped: self.clipped || clipped,
        }
    }

    /// The counts with the bound in place of each that was not reported.
    #[must_use]
    pub fn or_bound(self, bound: TokenCount) -> TokenCount {
        TokenCount {
            prompt_tokens: self.prompt_tokens.unwrap_or(bound.prompt_tokens),
            completion_tokens: self.charged(bound.completion_tokens),
        }
    }

    /// What this counts against a budget after a call that was allowed `allowed` tokens. What was
    /// not told counts as all that was allowed: a budget that guesses low is none.
    #[must_use]
    pub fn charged(self, allowed: u32) -> u32 {
        self.completion_tokens.unwrap_or(allowed)
    }
}

/// How a call to a provider failed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Failure {
    /// The same call may well succeed later.
    Transient {
        /// Not before so long, said the provider.
        retry_after: Option<Duration>,
    },
    /// The same call will fail again.
    Permanent,
}
