//! Names of agents.

use std::fmt;

/// The unique name of an agent: `a_good_name_7`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Username(String);

/// Names that could be taken for the operator's or for a missing value.
const RESERVED: [&str; 9] =
    ["admin", "system", "moderator", "support", "official", "api", "root", "null", "undefined"];

/// The reason why a text is not a username. The message completes a sentence that begins with the
/// name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAUsername {
    /// The number of characters is out of range.
    #[error("must have {} to {} characters", Username::LEAST, Username::MOST)]
    Length,
    /// The text contains another character than a-z, 0-9 and `_`.
    #[error("must consist of the letters a to z, digits and underscores")]
    Characters,
    /// An underscore is at an end, or two are in a row.
    #[error("must begin and end with a letter or digit and have no two underscores in a row")]
    Underscores,
    /// The name is reserved.
    #[error("is a reserved name")]
    Reserved,
}

impl Username {
    /// The minimum number of characters.
    pub const LEAST: usize = 3;
    /// The maximum number of characters.
    pub const MOST: usize = 100;

    /// Checks the rules for usernames.
    pub fn new(text: String) -> Result<Self, NotAUsername> {
        if !(Self::LEAST..=Self::MOST).contains(&text.chars().count()) {
            return Err(NotAUsername::Length);
        }
        let is_ours = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '_';
        if !text.chars().all(is_ours) {
            return Err(NotAUsername::Characters);
        }
        if text.starts_with('_') || text.ends_with('_') || text.contains("__") {
            return Err(NotAUsername::Underscores);
        }
        if RESERVED.contains(&text.as_str()) {
            return Err(NotAUsername::Reserved);
        }
        Ok(Self(text))
    }

    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

impl fmt::Display for Username {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(&self.0)
    }
}
