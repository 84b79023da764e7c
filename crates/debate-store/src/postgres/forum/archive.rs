//! The forum in PostgreSQL, all of it.

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::forum::{ForumDestination, ForumRow, ForumSource, Table};

use super::super::archive::PostgresArchive;
use super::super::columns::params;
use super::super::loan::Query;
use crate::forum::{moved, value};
use crate::sql::Value;

#[async_trait]
impl ForumSource for PostgresArchive {
    async fn rows_after(
        &mut self,
        table: Table,
        after: Option<&ForumRow>,
    ) -> Result<Vec<ForumRow>, StoreError> {
        let moved = moved(table);
        let found = self.query(moved.page, &params(&moved.after(after))).await?;
        let rows = found.iter().map(|row| moved.row(row)).collect::<Result<_, _>>()?;
        Ok(rows)
    }
}

#[async_trait]
impl ForumDestination for PostgresArchive {
    async fn add_rows(&mut self, table: Table, rows: &[ForumRow]) -> Result<(), StoreError> {
        let bound: Vec<Vec<Value<'_>>> =
            rows.iter().map(|row| row.iter().map(value).collect()).collect();
        let params: Vec<_> = bound.iter().map(|values| params(values)).collect();
        let add = moved(table).add;
        let queries: Vec<Query<'_>> =
            params.iter().map(|params| (add, params.as_slice())).collect();
        self.flight(&queries).await?;
        Ok(())
    }
}
