//! Statements with their values, and the statements that an operation writes.

use debate_app::Subject;

use super::value::Value;
use crate::notifications::Notifications;

/// The text of a statement.
///
/// SQLite numbers parameters such as `$1` in the order in which they first appear. Every text
/// therefore uses its parameters in the order of their numbers, so that both engines bind the same
/// values to the same parameters.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Sql {
    /// Both engines take the same text.
    Both(&'static str),
    /// Each engine has its own text.
    PerEngine { sqlite: &'static str, postgres: &'static str },
    /// Only PostgreSQL executes it, such as a lock: SQLite has one writer. It has no rows there.
    PostgresOnly(&'static str),
}

impl Sql {
    pub(crate) const fn for_sqlite(self) -> Option<&'static str> {
        match self {
            Self::Both(text) | Self::PerEngine { sqlite: text, .. } => Some(text),
            Self::PostgresOnly(_) => None,
        }
    }

    pub(crate) const fn for_postgres(self) -> &'static str {
        match self {
            Self::Both(text)
            | Self::PerEngine { postgres: text, .. }
            | Self::PostgresOnly(text) => text,
        }
    }
}

impl From<&'static str> for Sql {
    fn from(text: &'static str) -> Self {
        Self::Both(text)
    }
}

/// A statement and the values of its parameters.
#[derive(Debug)]
pub(crate) struct Statement<'v> {
    pub(crate) sql: Sql,
    pub(crate) values: Vec<Value<'v>>,
}

impl<'v> Statement<'v> {
    pub(crate) fn new(sql: impl Into<Sql>, values: Vec<Value<'v>>) -> Self {
        Self { sql: sql.into(), values }
    }
}

/// The statements that an operation writes, in this order, and the subjects whose subscribers are
/// notified after the commit.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    pub(crate) statements: Vec<Statement<'static>>,
    pub(crate) notifications: Notifications,
}

impl Writes {
    pub(crate) fn push(&mut self, sql: impl Into<Sql>, values: Vec<Value<'static>>) {
        self.statements.push(Statement::new(sql, values));
    }

    pub(crate) fn notify(&mut self, subject: impl Into<Subject>) {
        self.notifications.add(subject);
    }
}
