//! Operations in PostgreSQL: each group of statements is one round trip, and the commit goes with
//! the writes.

use debate_app::{Cause, StoreError};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::PostgresEngine;
use super::connection::Query;
use super::round_trip::RoundTripError;
use super::values::{params, to_rows};
use super::writers::{WriteTransaction, Writers};
use crate::engine::EngineError;
use crate::engine::{Engine, ReadClass};
use crate::sql::{Commit, Operation, Rows, Statement, Writes};

impl Engine for PostgresEngine {
    async fn write<I: Send + Sync + 'static, T: Send + 'static>(
        &self,
        input: I,
        operation: for<'i> fn(&'i I) -> Operation<'i, Commit<T>>,
    ) -> Result<T, StoreError> {
        self.writers.run(|| write(&self.writers, operation(&input))).await
    }

    async fn read<I: Send + Sync + 'static, T: Send + 'static>(
        &self,
        class: ReadClass,
        input: I,
        operation: for<'i> fn(&'i I) -> Operation<'i, T>,
    ) -> Result<T, StoreError> {
        let readers = match class {
            ReadClass::Short | ReadClass::Long => &self.readers,
            ReadClass::List => &self.list_readers,
        };
        let mut operation = operation(&input);
        loop {
            match operation {
                Operation::Load(group, next) => {
                    let rows =
                        readers.once(&BoundStatements::new(&group.statements).queries()).await?;
                    operation = next(&decode(&rows)?)?;
                }
                Operation::Done(result) => return Ok(result),
            }
        }
    }
}

/// Executes an operation in a transaction of its own.
async fn write<T>(
    writers: &Writers,
    mut operation: Operation<'_, Commit<T>>,
) -> Result<T, RoundTripError> {
    let mut transaction = None;
    loop {
        match operation {
            Operation::Load(group, next) => {
                let bound = BoundStatements::new(&group.statements);
                let rows = match &transaction {
                    None => {
                        let (begun, rows) = writers.begin(&bound.queries()).await?;
                        transaction = Some(begun);
                        rows
                    }
                    Some(transaction) => transaction.ask(&bound.queries()).await?,
                };
                operation = next(&decode(&rows)?).map_err(EngineError)?;
            }
            Operation::Done(Commit { answer, writes }) => {
                let transaction = match transaction {
                    Some(transaction) => transaction,
                    None => writers.begin(&[]).await?.0,
                };
                commit(transaction, writes).await?;
                return Ok(answer);
            }
        }
    }
}

/// Commits in a task of its own: the caller may leave, and what is committed must be notified.
async fn commit(transaction: WriteTransaction, writes: Writes) -> Result<(), RoundTripError> {
    let save = async move {
        transaction
            .save(&BoundStatements::new(&writes.statements).queries(), &writes.notifications)
            .await
    };
    tokio::spawn(save)
        .await
        .unwrap_or_else(|err| Err(EngineError(StoreError::Unexpected(Cause::new(err))).into()))
}

pub(super) fn decode(rows: &[Vec<Row>]) -> Result<Rows, EngineError> {
    let rows = rows.iter().map(|rows| to_rows(rows));
    Ok(Rows(rows.collect::<Result<_, _>>()?))
}

/// Statements with their values in the driver's form.
pub(super) struct BoundStatements<'b>(Vec<(&'static str, Vec<&'b (dyn ToSql + Sync)>)>);

impl<'b> BoundStatements<'b> {
    pub(super) fn new(statements: &'b [Statement<'_>]) -> Self {
        let bound = |one: &'b Statement<'_>| (one.sql.for_postgres(), params(&one.values));
        Self(statements.iter().map(bound).collect())
    }

    pub(super) fn queries(&self) -> Vec<Query<'_>> {
        self.0.iter().map(|(sql, params)| (*sql, params.as_slice())).collect()
    }
}
