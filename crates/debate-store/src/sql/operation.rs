//! Operations: values that say which rows they need and what they decide on them, so that every
//! operation exists once for both engines.
//!
//! An engine executes a group of statements, which is one round trip on PostgreSQL, passes the rows
//! on, and repeats this until the operation is done. A write happens in one transaction: its
//! statements follow its decision. A read has one snapshot for each group on PostgreSQL, and one
//! for all groups on SQLite; a read with several groups must not depend on rows that change in
//! between.

use debate_app::{StoreError, Subject};
use uuid::Uuid;

use super::row::{Row, Value};
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

/// Statements that are executed together.
#[derive(Debug, Default)]
pub(crate) struct Group<'o> {
    pub(crate) statements: Vec<Statement<'o>>,
}

type DecodeRow<T> = Box<dyn Fn(&Row) -> Result<T, StoreError> + Send>;

/// The rows of one statement of a group, with the function that decodes them.
pub(crate) struct Handle<T> {
    index: usize,
    decode: DecodeRow<T>,
}

/// A value that is decoded from the rows of several statements.
pub(crate) type Decoder<T> = Box<dyn FnOnce(&Rows) -> Result<T, StoreError> + Send>;

/// The rows of a group's statements.
pub(crate) struct Rows(pub(crate) Vec<Vec<Row>>);

impl<'o> Group<'o> {
    /// Adds a statement. The handle gives access to its rows once the group is executed.
    pub(crate) fn push<T>(
        &mut self,
        statement: Statement<'o>,
        decode: impl Fn(&Row) -> Result<T, StoreError> + Send + 'static,
    ) -> Handle<T> {
        let handle = Handle { index: self.statements.len(), decode: Box::new(decode) };
        self.statements.push(statement);
        handle
    }

    /// Adds a statement of which only the existence of a row matters.
    pub(crate) fn push_exists(&mut self, statement: Statement<'o>) -> Handle<()> {
        self.push(statement, |_| Ok(()))
    }

    /// Locks a row until the transaction ends, where the engine needs a statement for that.
    pub(crate) fn lock(&mut self, sql: &'static str, id: Uuid) {
        self.statements.push(Statement::new(Sql::PostgresOnly(sql), vec![Value::Id(id)]));
    }

    /// The operation that executes this group and continues with its rows.
    pub(crate) fn then<D>(
        self,
        next: impl FnOnce(&Rows) -> Result<Operation<'o, D>, StoreError> + Send + 'o,
    ) -> Operation<'o, D> {
        Operation::Load(self, Box::new(next))
    }

    /// The operation that executes this group and is done with its rows.
    pub(crate) fn finish<D>(
        self,
        finish: impl FnOnce(&Rows) -> Result<D, StoreError> + Send + 'o,
    ) -> Operation<'o, D> {
        self.then(move |rows| Ok(Operation::Done(finish(rows)?)))
    }
}

impl Rows {
    /// All rows of a statement.
    pub(crate) fn all<T>(&self, handle: &Handle<T>) -> Result<Vec<T>, StoreError> {
        self.0.get(handle.index).into_iter().flatten().map(&handle.decode).collect()
    }

    /// The first row of a statement, if it has one.
    pub(crate) fn first<T>(&self, handle: &Handle<T>) -> Result<Option<T>, StoreError> {
        let row = self.0.get(handle.index).and_then(|rows| rows.first());
        row.map(&handle.decode).transpose()
    }

    /// Whether a statement has a row.
    pub(crate) fn has_any<T>(&self, handle: &Handle<T>) -> bool {
        self.0.get(handle.index).is_some_and(|rows| !rows.is_empty())
    }
}

type Continuation<'o, D> =
    Box<dyn FnOnce(&Rows) -> Result<Operation<'o, D>, StoreError> + Send + 'o>;

/// An operation at one of its steps. A read ends with its result, a write with a [`Commit`].
pub(crate) enum Operation<'o, D> {
    /// It continues with the rows of a group.
    Load(Group<'o>, Continuation<'o, D>),
    /// The operation has its result.
    Done(D),
}

/// The end of a write: its answer, and the statements that are committed first.
pub(crate) struct Commit<T> {
    pub(crate) answer: T,
    pub(crate) writes: Writes,
}

impl<T> Commit<T> {
    pub(crate) const fn new(answer: T, writes: Writes) -> Self {
        Self { answer, writes }
    }

    /// An answer without writes.
    pub(crate) fn unchanged(answer: T) -> Self {
        Self::new(answer, Writes::default())
    }
}

impl<T, E> Commit<Result<T, E>> {
    /// The answer and writes of a decision; a refusal writes nothing.
    pub(crate) fn from_decision(decision: Result<(T, Writes), E>) -> Self {
        match decision {
            Ok((answer, writes)) => Self::new(Ok(answer), writes),
            Err(refusal) => Self::refuse(refusal),
        }
    }

    pub(crate) fn refuse(refusal: impl Into<E>) -> Self {
        Self::unchanged(Err(refusal.into()))
    }
}

impl<T, E> Operation<'_, Commit<Result<T, E>>> {
    pub(crate) fn refuse(refusal: impl Into<E>) -> Self {
        Self::Done(Commit::refuse(refusal))
    }
}
