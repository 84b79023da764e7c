//! Operations, carried out in PostgreSQL.

use debate_app::{Cause, StoreError};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::columns::params;
use super::connection::Query as Asked;
use super::fault::Fault;
use super::flight::Failed;
use super::readers::Readers;
use super::writers::{Writers, Writing};
use crate::sql::{Query, Read, Rows, Step, Words, Writes};

/// Carries an operation out in a transaction of its own; each time it asks is a flight.
pub(super) async fn transact<T>(writers: &Writers, first: Step<'_, Row, T>) -> Result<T, Failed> {
    let mut step = first;
    let mut writing = None;
    loop {
        match step {
            Step::Ask(queries, next) => {
                let bound = Bound::of(&queries);
                let rows = match &writing {
                    None => {
                        let (begun, rows) = writers.begin(&bound.asked()).await?;
                        writing = Some(begun);
                        rows
                    }
                    Some(writing) => writing.ask(&bound.asked()).await?,
                };
                step = next(&Rows(rows))?;
            }
            Step::Done(done, writes) => {
                let writing = match writing {
                    Some(writing) => writing,
                    None => writers.begin(&[]).await?.0,
                };
                keep(writing, writes).await?;
                return Ok(done);
            }
        }
    }
}

/// In a task of its own: whoever asked may leave, and what is committed must be rung for.
async fn keep(writing: Writing, writes: Writes) -> Result<(), Failed> {
    let save =
        async move { writing.save(&Bound::of(&writes.queries).asked(), &writes.rings).await };
    tokio::spawn(save)
        .await
        .unwrap_or_else(|err| Err(Fault(StoreError::Unexpected(Cause::new(err))).into()))
}

/// Carries out an operation that only reads.
pub(super) async fn read<T>(readers: &Readers, read: Read<'_, Row, T>) -> Result<T, Fault> {
    let mut read = read;
    loop {
        match read {
            Read::Ask(queries, next) => {
                let rows = readers.once(&Bound::of(&queries).asked()).await?;
                read = next(&Rows(rows))?;
            }
            Read::Done(result) => return Ok(result),
        }
    }
}

/// Statements with what they take, as the driver wants it.
struct Bound<'b>(Vec<(&'static str, Vec<&'b (dyn ToSql + Sync)>)>);

impl<'b> Bound<'b> {
    fn of(queries: &'b [Query<'_>]) -> Self {
        let bound = |query: &'b Query<'_>| (words(query), params(&query.values));
        Self(queries.iter().map(bound).collect())
    }

    fn asked(&self) -> Vec<Asked<'_>> {
        self.0.iter().map(|(words, params)| (*words, params.as_slice())).collect()
    }
}

const fn words(query: &Query<'_>) -> &'static str {
    match query.words {
        Words::Same(words) | Words::Each { postgres: words, .. } | Words::OnPostgres(words) => {
            words
        }
    }
}
