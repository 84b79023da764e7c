//! Operations in SQLite: writes as jobs of the writer thread, reads on the reading connections;
//! values and rows as SQLite stores them.

use std::borrow::Cow;
use std::sync::Arc;

use debate_app::StoreError;
use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Connection, ToSql, params_from_iter};

use super::SqliteEngine;
use super::job::Tx;
use crate::engine::{Engine, EngineError, ReadClass};
use crate::sql::{Commit, Group, Operation, Row, Rows, Value};

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

/// All rows that a statement returns.
pub(super) fn query(
    conn: &Connection,
    sql: &str,
    values: &[Value<'_>],
) -> Result<Vec<Row>, EngineError> {
    let mut statement = conn.prepare_cached(sql)?;
    let count = statement.column_count();
    let mut columns: Option<Arc<[String]>> = None;
    let mut found = statement.query(params_from_iter(values))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        // Most lookups find nothing and need no names.
        let columns =
            columns.get_or_insert_with(|| row.as_ref().column_names().map(str::to_owned).collect());
        let values = (0..count).map(|index| row.get_ref(index).map(to_value));
        let values = values.collect::<rusqlite::Result<_>>()?;
        rows.push(Row::new(Arc::clone(columns), values));
    }
    Ok(rows)
}

/// Executes a statement that returns no rows; the number of rows that it changed.
pub(super) fn execute(
    conn: &Connection,
    sql: &str,
    values: &[Value<'_>],
) -> Result<usize, EngineError> {
    Ok(conn.prepare_cached(sql)?.execute(params_from_iter(values))?)
}

/// Does not fail, so that a damaged value fails where it is decoded and not where it is loaded.
fn to_value(value: ValueRef<'_>) -> Value<'static> {
    match value {
        ValueRef::Null => Value::Null,
        ValueRef::Integer(number) => Value::Number(number),
        ValueRef::Real(number) => Value::Text(Cow::Owned(number.to_string())),
        ValueRef::Text(text) => match std::str::from_utf8(text) {
            Ok(text) => Value::Text(Cow::Owned(text.to_owned())),
            Err(_) => Value::Bytes(Cow::Owned(text.to_owned())),
        },
        ValueRef::Blob(bytes) => Value::Bytes(Cow::Owned(bytes.to_owned())),
    }
}

impl ToSql for Value<'_> {
    fn to_sql(&self) -> rusqlite::Result<ToSqlOutput<'_>> {
        let value = match self {
            Self::Null => ValueRef::Null,
            Self::Id(id) => ValueRef::Blob(id.as_bytes()),
            Self::Number(number) => ValueRef::Integer(*number),
            Self::Flag(flag) => ValueRef::Integer(i64::from(*flag)),
            Self::Text(text) => ValueRef::Text(text.as_bytes()),
            Self::Bytes(bytes) => ValueRef::Blob(bytes),
        };
        Ok(ToSqlOutput::Borrowed(value))
    }
}
