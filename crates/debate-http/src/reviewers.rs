//! The reviewers of flagged forum items.

use crate::access::Token;

/// The reviewers by name, each with a token. Without any, reviewing is disabled.
#[derive(Debug, Clone, Default)]
pub struct Reviewers(Vec<(String, Token)>);

impl Reviewers {
    /// The reviewers with these names and tokens.
    #[must_use]
    pub const fn new(reviewers: Vec<(String, Token)>) -> Self {
        Self(reviewers)
    }

    /// Whether the server has no reviewers, so that reviewing is disabled.
    #[must_use]
    pub const fn is_empty(&self) -> bool {
        self.0.is_empty()
    }

    /// The name of the reviewer whose token this is. Compares all tokens in
    /// constant time.
    pub(crate) fn find_by_secret(&self, presented: &str) -> Option<&str> {
        self.0.iter().fold(None, |found, (name, token)| {
            if token.is(presented) { found.or(Some(name.as_str())) } else { found }
        })
    }

    /// The name of the reviewer with this token.
    pub(crate) fn find_by_token(&self, token: &Token) -> Option<&str> {
        self.0.iter().find(|(_, own)| own.is_same(token)).map(|(name, _)| name.as_str())
    }

    /// The reviewer's name and token.
    pub(crate) fn find_by_name(&self, name: &str) -> Option<(&str, &Token)> {
        let found = self.0.iter().find(|(own, _)| own == name);
        found.map(|(name, token)| (name.as_str(), token))
    }
}
