//! Rows of an older database that can't be stored as they are.

use std::fmt;

/// The longest value that is shown whole, in characters.
const VALUE_CHARACTERS_MOST: usize = 200;

/// A row that can't be stored as it is, with the value that is in the way.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct OddRow {
    table: &'static str,
    row: String,
    reason: String,
}

impl fmt::Display for OddRow {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, row, reason } = self;
        write!(f, "{table} row {row}: {reason}")
    }
}

impl OddRow {
    pub(super) fn new(table: &'static str, row: &str, reason: impl Into<String>) -> Self {
        Self { table, row: shortened(row), reason: reason.into() }
    }
}

/// All rows that can't be carried over.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Unfaithful {
    rows: Vec<OddRow>,
}

impl fmt::Display for Unfaithful {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self.rows.as_slice() {
            [row] => row.fmt(f),
            rows => {
                write!(f, "{} rows", rows.len())?;
                rows.iter().try_for_each(|row| write!(f, "\n  {row}"))
            }
        }
    }
}

impl std::error::Error for Unfaithful {}

/// The odd rows of a database, found so far.
#[derive(Debug, Default)]
pub(super) struct OddRows {
    refused: Vec<OddRow>,
    changed: Vec<OddRow>,
}

impl OddRows {
    /// A row that can't be carried over.
    pub(super) fn refuse(&mut self, row: OddRow) {
        self.refused.push(row);
    }

    /// A value that is stored in another form, its meaning kept.
    pub(super) fn change(&mut self, row: OddRow) {
        self.changed.push(row);
    }

    /// The rows that can't be carried over.
    pub(super) fn into_unfaithful(self) -> Unfaithful {
        Unfaithful { rows: self.refused }
    }

    /// The changed values, unless a row can't be carried over.
    pub(super) fn into_changes(self) -> Result<Vec<OddRow>, Unfaithful> {
        if self.refused.is_empty() {
            Ok(self.changed)
        } else {
            Err(Unfaithful { rows: self.refused })
        }
    }
}

/// A value on one line: in quotes, without control characters, cut if it is long.
pub(super) fn quoted(value: &str) -> String {
    format!("\"{}\"", shortened(value))
}

fn shortened(value: &str) -> String {
    let mut shown: String = value.chars().take(VALUE_CHARACTERS_MOST).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    shown.chars().flat_map(char::escape_debug).collect()
}
