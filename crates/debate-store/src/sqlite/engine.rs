//! Operations in SQLite: writes as jobs of the writer thread, reads on the reading connections.

use debate_app::StoreError;
use rusqlite::Connection;

use super::SqliteEngine;
use super::job::Tx;
use super::values::{execute, query};
use crate::engine::EngineError;
use crate::engine::{Engine, ReadClass};
use crate::sql::{Commit, Group, Operation, Rows};

impl Engine for SqliteEngine {
    async fn write<I: Send + Sync + 'static, T: Send + 'static>(
        &self,
        input: I,
        operation: for<'i> fn(&'i I) -> Operation<'i, Commit<T>>,
    ) -> Result<T, StoreError> {
        self.writer.run(move |tx| Ok(write(tx, operation(&input))?)).await
    }

    async fn read<I: Send + Sync + 'static, T: Send + 'static>(
        &self,
        class: ReadClass,
        input: I,
        operation: for<'i> fn(&'i I) -> Operation<'i, T>,
    ) -> Result<T, StoreError> {
        let read = move |conn: &Connection| Ok(complete(conn, operation(&input))?);
        match class {
            ReadClass::Short => self.readers.short(read).await,
            ReadClass::Long => self.readers.long(read).await,
            ReadClass::List => self.list_readers.long(read).await,
        }
    }
}

/// Executes an operation in the writer's transaction.
fn write<T>(tx: &mut Tx<'_>, operation: Operation<'_, Commit<T>>) -> Result<T, EngineError> {
    let Commit { answer, writes } = complete(tx.conn, operation)?;
    for statement in &writes.statements {
        if let Some(sql) = statement.sql.for_sqlite() {
            execute(tx.conn, sql, &statement.values)?;
        }
    }
    tx.notifications.extend(&writes.notifications);
    Ok(answer)
}

/// Executes the groups of an operation until it is done.
fn complete<D>(conn: &Connection, mut operation: Operation<'_, D>) -> Result<D, EngineError> {
    loop {
        match operation {
            Operation::Load(group, next) => {
                operation = next(&load(conn, &group)?).map_err(EngineError)?;
            }
            Operation::Done(result) => return Ok(result),
        }
    }
}

fn load(conn: &Connection, group: &Group<'_>) -> Result<Rows, EngineError> {
    let rows = group.statements.iter().map(|statement| match statement.sql.for_sqlite() {
        Some(sql) => query(conn, sql, &statement.values),
        None => Ok(Vec::new()),
    });
    Ok(Rows(rows.collect::<Result<_, _>>()?))
}
