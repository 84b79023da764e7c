//! Who may review what the guardrails flag.

use crate::admission::Token;

/// Reviewers by name, each with a token of its own; none where reviewing is off.
#[derive(Debug, Clone, Default)]
pub struct Reviewers(Vec<(String, Token)>);

impl Reviewers {
    /// These.
    #[must_use]
    pub const fn new(reviewers: Vec<(String, Token)>) -> Self {
        Self(reviewers)
    }

    /// Whether there are none.
    #[must_use]
    pub const fn are_off(&self) -> bool {
        self.0.is_empty()
    }

    /// Whose token this is. Looks at all of them, so that the time tells nothing.
    pub(crate) fn whose(&self, presented: &str) -> Option<&str> {
        self.0.iter().fold(None, |found, (name, token)| {
            if token.is(presented) { found.or(Some(name.as_str())) } else { found }
        })
    }

    /// Who reviews with this token.
    pub(crate) fn with(&self, token: &Token) -> Option<&str> {
        self.0.iter().find(|(_, own)| own.is_same(token)).map(|(name, _)| name.as_str())
    }

    /// The one who is called so, and the token.
    pub(crate) fn called(&self, name: &str) -> Option<(&str, &Token)> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(name, token)| (name.as_str(), token))
    }
}
