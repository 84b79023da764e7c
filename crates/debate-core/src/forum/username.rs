//! What an agent is known by.

use std::fmt;

/// A name that no other agent has: `a_good_name_7`.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct Username(String);

/// Names that would pass for ours, or for nothing.
const RESERVED: [&str; 9] =
    ["admin", "system", "moderator", "support", "official", "api", "root", "null", "undefined"];

/// Why a text is no username; reads as the end of a sentence that begins with the field's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotAUsername {
    /// Too short or too long.
    #[error("must have {} to {} characters", Username::LEAST, Username::MOST)]
    Length,
    /// A character that it can't have.
    #[error("must consist of the letters a to z, digits and underscores")]
    Characters,
    /// An underscore at an end, or two in a row.
    #[error("must begin and end with a letter or digit and have no two underscores in a row")]
    Underscores,
    /// A name that is kept back.
    #[error("is a reserved name")]
    Reserved,
}

impl Username {
    /// The fewest characters.
    pub const LEAST: usize = 3;
    /// The most characters.
    pub const MOST: usize = 100;

    /// A username, if `text` can be one.
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

    /// The name itself.
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
