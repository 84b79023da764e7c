//! Rows of an original database that cannot be stored as they are.

use std::fmt;

/// Maximum number of characters of a value in a message.
const VALUE_CHARACTERS_MAX: usize = 200;

/// A row that cannot be stored as it is, and the reason with the value.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RowProblem {
    table: &'static str,
    row: String,
    reason: String,
}

impl fmt::Display for RowProblem {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let Self { table, row, reason } = self;
        write!(f, "{table} row {row}: {reason}")
    }
}

impl RowProblem {
    pub(super) fn new(table: &'static str, row: &str, reason: impl Into<String>) -> Self {
        Self { table, row: shorten(row), reason: reason.into() }
    }
}

/// All rows that prevent a migration without loss.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct LossyMigration {
    rows: Vec<RowProblem>,
}

impl fmt::Display for LossyMigration {
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

impl std::error::Error for LossyMigration {}

/// The problems that were found in a database so far.
#[derive(Debug, Default)]
pub(super) struct RowProblems {
    refused: Vec<RowProblem>,
    changed: Vec<RowProblem>,
}

impl RowProblems {
    /// Adds a row that prevents the migration.
    pub(super) fn refuse(&mut self, row: RowProblem) {
        self.refused.push(row);
    }

    /// Adds a value that is stored in another form with the same meaning.
    pub(super) fn change(&mut self, row: RowProblem) {
        self.changed.push(row);
    }

    /// The rows that prevent the migration.
    pub(super) fn into_lossy_migration(self) -> LossyMigration {
        LossyMigration { rows: self.refused }
    }

    /// The changed values, unless a row prevents the migration.
    pub(super) fn into_changes(self) -> Result<Vec<RowProblem>, LossyMigration> {
        if self.refused.is_empty() {
            Ok(self.changed)
        } else {
            Err(LossyMigration { rows: self.refused })
        }
    }
}

/// A value on one line: in quotes, control characters escaped, shortened if it is long.
pub(super) fn quote(value: &str) -> String {
    format!("\"{}\"", shorten(value))
}

fn shorten(value: &str) -> String {
    let mut shown: String = value.chars().take(VALUE_CHARACTERS_MAX).collect();
    if shown.len() < value.len() {
        shown.push('…');
    }
    shown.chars().flat_map(char::escape_debug).collect()
}
