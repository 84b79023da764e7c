//! The forum in PostgreSQL, all of it.

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::forum::{ForumDestination, ForumRow, ForumSource, Table};

use super::super::archive::PostgresArchive;
use crate::forum::moved;

#[async_trait]
impl ForumSource for PostgresArchive {
    async fn rows_after(
        &mut self,
        table: Table,
        after: Option<&ForumRow>,
    ) -> Result<Vec<ForumRow>, StoreError> {
        Ok(self.table_rows_after(moved(table), after).await?)
    }
}

#[async_trait]
impl ForumDestination for PostgresArchive {
    async fn add_rows(&mut self, table: Table, rows: &[ForumRow]) -> Result<(), StoreError> {
        Ok(self.add_table_rows(moved(table), rows).await?)
    }
}
