//! Operations, carried out in SQLite.

use std::sync::Arc;

use rusqlite::types::Value as Kept;
use rusqlite::{Connection, params_from_iter};
use uuid::Uuid;

use super::fault::Fault;
use super::job::Tx;
use crate::sql::{Columns, Query, Read, Rows, Step, Words};

/// A row that outlives its statement.
pub(super) struct KeptRow {
    names: Arc<[String]>,
    values: Vec<Kept>,
}

/// Carries an operation out in the writer's transaction.
pub(super) fn transact<T>(tx: &mut Tx<'_>, first: Step<'_, KeptRow, T>) -> Result<T, Fault> {
    let mut step = first;
    loop {
        match step {
            Step::Ask(queries, next) => step = next(&found(tx.conn, &queries)?)?,
            Step::Done(done, writes) => {
                for query in &writes.queries {
                    if let Some(words) = words(query) {
                        let mut statement = tx.conn.prepare_cached(words)?;
                        statement.execute(params_from_iter(&query.values))?;
                    }
                }
                for &subject in writes.rings.subjects() {
                    tx.rings.moved(subject);
                }
                return Ok(done);
            }
        }
    }
}

/// Carries out an operation that only reads.
pub(super) fn read<T>(conn: &Connection, read: Read<'_, KeptRow, T>) -> Result<T, Fault> {
    let mut read = read;
    loop {
        match read {
            Read::Ask(queries, next) => read = next(&found(conn, &queries)?)?,
            Read::Done(result) => return Ok(result),
        }
    }
}

const fn words(query: &Query<'_>) -> Option<&'static str> {
    match query.words {
        Words::Same(words) | Words::Each { sqlite: words, .. } => Some(words),
        Words::OnPostgres(_) => None,
    }
}

fn found(conn: &Connection, queries: &[Query<'_>]) -> Result<Rows<KeptRow>, Fault> {
    let rows = queries.iter().map(|query| match words(query) {
        Some(words) => all(conn, words, query),
        None => Ok(Vec::new()),
    });
    Ok(Rows(rows.collect::<Result<_, _>>()?))
}

fn all(conn: &Connection, words: &str, query: &Query<'_>) -> Result<Vec<KeptRow>, Fault> {
    let mut statement = conn.prepare_cached(words)?;
    let names: Arc<[String]> = statement.column_names().map(str::to_owned).collect();
    let mut found = statement.query(params_from_iter(&query.values))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        let values = (0..names.len()).map(|number| row.get(number));
        let values = values.collect::<rusqlite::Result<_>>()?;
        rows.push(KeptRow { names: Arc::clone(&names), values });
    }
    Ok(rows)
}

impl KeptRow {
    fn value(&self, column: &str) -> Result<&Kept, Fault> {
        let number = self.names.iter().position(|name| name == column);
        let value = number.and_then(|number| self.values.get(number));
        value.ok_or_else(|| Fault::undecodable(format!("missing column {column}")))
    }

    fn other(column: &str) -> Fault {
        Fault::undecodable(format!("{column} has an unexpected type"))
    }
}

impl Columns for KeptRow {
    type Fault = Fault;

    fn maybe_id(&self, column: &str) -> Result<Option<Uuid>, Fault> {
        let bytes = self.maybe_bytes(column)?;
        let id = bytes.map(|bytes| Uuid::from_slice(&bytes)).transpose();
        id.map_err(|_| Fault::undecodable("id is not a UUID"))
    }

    fn maybe_number(&self, column: &str) -> Result<Option<i64>, Fault> {
        match self.value(column)? {
            Kept::Null => Ok(None),
            Kept::Integer(number) => Ok(Some(*number)),
            Kept::Real(_) | Kept::Text(_) | Kept::Blob(_) => Err(Self::other(column)),
        }
    }

    fn maybe_flag(&self, column: &str) -> Result<Option<bool>, Fault> {
        Ok(self.maybe_number(column)?.map(|number| number != 0))
    }

    fn maybe_text(&self, column: &str) -> Result<Option<String>, Fault> {
        match self.value(column)? {
            Kept::Null => Ok(None),
            Kept::Text(text) => Ok(Some(text.clone())),
            Kept::Integer(_) | Kept::Real(_) | Kept::Blob(_) => Err(Self::other(column)),
        }
    }

    fn maybe_bytes(&self, column: &str) -> Result<Option<Vec<u8>>, Fault> {
        match self.value(column)? {
            Kept::Null => Ok(None),
            Kept::Blob(bytes) => Ok(Some(bytes.clone())),
            Kept::Integer(_) | Kept::Real(_) | Kept::Text(_) => Err(Self::other(column)),
        }
    }
}
