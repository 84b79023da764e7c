//! An operation, told as what it asks and what follows, so that both engines can carry it out.
//!
//! An engine asks, hands over the rows, and goes on until there is an answer and what is to be
//! written; all of it in one transaction. Which rule decides is nothing an engine has to know.

use super::columns::Columns;
use super::value::Value;
use crate::rings::Rings;

/// A statement in the words of each engine.
///
/// SQLite takes `$1` for a name and counts names in the order in which they first appear. So they
/// appear in the order of their numbers, and what is bound by place is bound right in both.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Words {
    /// Both take the same.
    Same(&'static str),
    /// Each needs its own.
    Each { sqlite: &'static str, postgres: &'static str },
    /// Only PostgreSQL is asked: SQLite has one writer, needs no lock, and finds nothing.
    OnPostgres(&'static str),
}

/// A statement, and what it takes.
#[derive(Debug)]
pub(crate) struct Query<'q> {
    pub(crate) words: Words,
    pub(crate) values: Vec<Value<'q>>,
}

impl<'q> Query<'q> {
    /// In words that both engines take.
    pub(crate) const fn new(words: &'static str, values: Vec<Value<'q>>) -> Self {
        Self { words: Words::Same(words), values }
    }

    /// In words of each engine's own.
    pub(crate) const fn each(words: Words, values: Vec<Value<'q>>) -> Self {
        Self { words, values }
    }

    /// A row that nobody else writes to until the transaction is over, where that takes a word.
    pub(crate) fn lock(words: &'static str, id: uuid::Uuid) -> Self {
        Self { words: Words::OnPostgres(words), values: vec![Value::Id(id)] }
    }
}

/// What was found, statement by statement.
pub(crate) struct Rows<R>(pub(crate) Vec<Vec<R>>);

impl<R: Columns> Rows<R> {
    /// Everything that the statement of this number found.
    pub(crate) fn all<T>(
        &self,
        number: usize,
        read: impl Fn(&R) -> Result<T, R::Fault>,
    ) -> Result<Vec<T>, R::Fault> {
        self.0.get(number).into_iter().flatten().map(read).collect()
    }

    /// The first that the statement of this number found, if it did.
    pub(crate) fn one<T>(
        &self,
        number: usize,
        read: impl Fn(&R) -> Result<T, R::Fault>,
    ) -> Result<Option<T>, R::Fault> {
        self.0.get(number).and_then(|rows| rows.first()).map(read).transpose()
    }

    /// Whether the statement of this number found anything.
    pub(crate) fn any(&self, number: usize) -> bool {
        self.0.get(number).is_some_and(|rows| !rows.is_empty())
    }
}

/// All that an operation writes, in this order, and whom it tells.
#[derive(Debug, Default)]
pub(crate) struct Writes {
    pub(crate) queries: Vec<Query<'static>>,
    pub(crate) rings: Rings,
}

impl Writes {
    pub(crate) fn push(&mut self, words: &'static str, values: Vec<Value<'static>>) {
        self.queries.push(Query::new(words, values));
    }
}

/// What follows from what was found.
type Next<'s, R, T> =
    Box<dyn FnOnce(&Rows<R>) -> Result<Step<'s, R, T>, <R as Columns>::Fault> + Send + 's>;

/// Where an operation that writes has come to.
pub(crate) enum Step<'s, R: Columns, T> {
    /// It must know more.
    Ask(Vec<Query<'s>>, Next<'s, R, T>),
    /// This is its answer, once this is written.
    Done(T, Writes),
}

impl<'s, R: Columns, T> Step<'s, R, T> {
    /// Asks, and goes on with what is found.
    pub(crate) fn ask(
        queries: Vec<Query<'s>>,
        next: impl FnOnce(&Rows<R>) -> Result<Self, R::Fault> + Send + 's,
    ) -> Self {
        Self::Ask(queries, Box::new(next))
    }
}

impl<R: Columns, T, E> Step<'_, R, Result<T, E>> {
    /// Nothing is written where something was refused.
    pub(crate) fn decided(decided: Result<(T, Writes), E>) -> Self {
        match decided {
            Ok((done, writes)) => Self::Done(Ok(done), writes),
            Err(refusal) => Self::Done(Err(refusal), Writes::default()),
        }
    }
}

/// What a read does with the rows that were found.
type ReadNext<'s, R, T> =
    Box<dyn FnOnce(&Rows<R>) -> Result<Read<'s, R, T>, <R as Columns>::Fault> + Send + 's>;

/// An operation that only reads. On PostgreSQL each query list is a snapshot of its own, so a read
/// that asks twice must not depend on rows that can change in between.
pub(crate) enum Read<'s, R: Columns, T> {
    /// It needs the rows of these queries.
    Ask(Vec<Query<'s>>, ReadNext<'s, R, T>),
    /// Its result.
    Done(T),
}

impl<'s, R: Columns, T> Read<'s, R, T> {
    /// A read that knows all of its queries from the start.
    pub(crate) fn new(
        queries: Vec<Query<'s>>,
        finish: impl FnOnce(&Rows<R>) -> Result<T, R::Fault> + Send + 's,
    ) -> Self {
        Self::ask(queries, move |found| Ok(Self::Done(finish(found)?)))
    }

    /// Asks, and continues with the rows that are found.
    pub(crate) fn ask(
        queries: Vec<Query<'s>>,
        next: impl FnOnce(&Rows<R>) -> Result<Self, R::Fault> + Send + 's,
    ) -> Self {
        Self::Ask(queries, Box::new(next))
    }
}
