//! Rows of the original servers' tables, whose columns are loosely typed: a value is read as the
//! text that it is displayed as.

use jiff::Timestamp;
use jiff::civil::DateTime;
use jiff::tz::TimeZone;
use rusqlite::Row;
use rusqlite::types::ValueRef;

use super::problems::{RowProblem, RowProblems, quote};

/// A row of one of the old tables. Its id is the first column.
pub(super) struct OldRow<'r> {
    pub(super) table: &'static str,
    pub(super) row: &'r Row<'r>,
}

impl OldRow<'_> {
    /// The id of the row, with invalid bytes replaced.
    pub(super) fn key(&self) -> String {
        match self.row.get_ref(0) {
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => {
                String::from_utf8_lossy(bytes).into_owned()
            }
            Ok(other) => format!("{other:?}"),
            Err(err) => err.to_string(),
        }
    }

    pub(super) fn problem(&self, reason: impl Into<String>) -> RowProblem {
        RowProblem::new(self.table, &self.key(), reason)
    }

    /// A column's text; none for null. A value that is not text is refused and none.
    pub(super) fn optional_text(
        &self,
        column: usize,
        problems: &mut RowProblems,
    ) -> Option<String> {
        match self.row.get_ref(column) {
            Err(_) | Ok(ValueRef::Null) => None,
            Ok(ValueRef::Integer(number)) => Some(number.to_string()),
            Ok(ValueRef::Real(number)) => Some(number.to_string()),
            Ok(ValueRef::Text(bytes) | ValueRef::Blob(bytes)) => {
                match String::from_utf8(bytes.to_owned()) {
                    Ok(text) => Some(text),
                    Err(err) => {
                        let shown = quote(&String::from_utf8_lossy(err.as_bytes()));
                        problems.refuse(self.problem(format!("text is not valid UTF-8: {shown}")));
                        None
                    }
                }
            }
        }
    }

    /// A column's text; empty for null.
    pub(super) fn text(&self, column: usize, problems: &mut RowProblems) -> String {
        self.optional_text(column, problems).unwrap_or_default()
    }

    /// A column's text as one of a few values; any other text is refused.
    pub(super) fn enum_value<T>(
        &self,
        (column, name): (usize, &str),
        problems: &mut RowProblems,
        parse: impl FnOnce(&str) -> Option<T>,
    ) -> Option<T> {
        let text = self.text(column, problems);
        let value = parse(&text);
        if value.is_none() {
            problems.refuse(self.problem(format!("unknown {name} {}", quote(&text))));
        }
        value
    }

    /// A column's time; a text that is not a time is refused.
    pub(super) fn time(
        &self,
        (column, name): (usize, &str),
        problems: &mut RowProblems,
    ) -> Option<Timestamp> {
        let text = self.text(column, problems);
        let time = parse_time(&text);
        if time.is_none() {
            problems.refuse(self.problem(format!("{name} is not a valid time: {}", quote(&text))));
        }
        time
    }
}

/// Either `2026-02-07 05:32:50` or ISO 8601; both mean UTC unless they say otherwise.
fn parse_time(text: &str) -> Option<Timestamp> {
    if let Ok(timestamp) = text.parse::<Timestamp>() {
        return Timestamp::from_microsecond(timestamp.as_microsecond()).ok();
    }
    let naive = text.parse::<DateTime>().ok()?;
    let utc = naive.to_zoned(TimeZone::UTC).ok()?;
    Timestamp::from_microsecond(utc.timestamp().as_microsecond()).ok()
}
