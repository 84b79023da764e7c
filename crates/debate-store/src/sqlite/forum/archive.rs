//! The forum in SQLite, all of it.

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::forum::{ForumDestination, ForumRow, ForumSource, Table};
use rusqlite::{Connection, params_from_iter};

use super::super::archive::SqliteArchive;
use super::super::fault::Fault;
use crate::forum::{moved, value};

#[async_trait]
impl ForumSource for SqliteArchive {
    async fn rows_after(
        &mut self,
        table: Table,
        after: Option<&ForumRow>,
    ) -> Result<Vec<ForumRow>, StoreError> {
        Ok(rows_after(&self.conn, table, after)?)
    }
}

#[async_trait]
impl ForumDestination for SqliteArchive {
    async fn add_rows(&mut self, table: Table, rows: &[ForumRow]) -> Result<(), StoreError> {
        Ok(add_rows(&self.conn, table, rows)?)
    }
}

fn rows_after(
    conn: &Connection,
    table: Table,
    after: Option<&ForumRow>,
) -> Result<Vec<ForumRow>, Fault> {
    let moved = moved(table);
    let mut statement = conn.prepare_cached(moved.page)?;
    let mut found = statement.query(params_from_iter(moved.after(after)))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(moved.row(row)?);
    }
    Ok(rows)
}

fn add_rows(conn: &Connection, table: Table, rows: &[ForumRow]) -> Result<(), Fault> {
    let mut statement = conn.prepare_cached(moved(table).add)?;
    for row in rows {
        statement.execute(params_from_iter(row.iter().map(value)))?;
    }
    Ok(())
}
