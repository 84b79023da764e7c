//! The difference that a replay of stored entries by the rules reports.

use std::fmt;

use crate::Seq;

/// A stored value that is not the one that the rules lead to.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct StateMismatch {
    /// The argument or turn that holds the value; none for a value of the debate or run itself.
    pub seq: Option<Seq>,
    /// The name of the value, as its column is called.
    pub field: &'static str,
    /// The value that the rules lead to.
    pub expected: String,
    /// The value that is stored.
    pub found: String,
}

impl StateMismatch {
    pub(crate) fn new(
        seq: Option<Seq>,
        field: &'static str,
        expected: &dyn fmt::Display,
        found: &dyn fmt::Display,
    ) -> Self {
        Self { seq, field, expected: expected.to_string(), found: found.to_string() }
    }
}

impl fmt::Display for StateMismatch {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { seq, field, expected, found } = self;
        if let Some(seq) = seq {
            write!(f, "seq {seq}, ")?;
        }
        write!(f, "{field}: expected {expected}, found {found}")
    }
}

impl std::error::Error for StateMismatch {}
