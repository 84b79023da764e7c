//! One call to a provider, whoever makes it: what it may cost, what it cost, how it failed.

use std::time::Duration;

use crate::Within;

/// How many tokens one answer has at most.
pub type CallTokens = Within<1, 20_000>;

/// Tokens as the provider counted them; none where it did not tell.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Default)]
pub struct Usage {
    /// What it was asked.
    pub prompt_tokens: Option<u32>,
    /// What it answered.
    pub completion_tokens: Option<u32>,
}

impl Usage {
    /// Nothing was told.
    pub const NOT_TOLD: Self = Self { prompt_tokens: None, completion_tokens: None };
    /// Nothing was used.
    pub const NOTHING: Self = Self { prompt_tokens: Some(0), completion_tokens: Some(0) };

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
