//! The forum in SQLite, all of it.

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::forum::{ForumDestination, ForumRow, ForumSource, Table};

use super::super::archive::SqliteArchive;
use crate::forum::moved;

#[async_trait]
impl ForumSource for SqliteArchive {
    async fn rows_after(
        &mut self,
        table: Table,
        after: Option<&ForumRow>,
    ) -> Result<Vec<ForumRow>, StoreError> {
        Ok(self.table_rows_after(moved(table), after)?)
    }
}

#[async_trait]
impl ForumDestination for SqliteArchive {
    async fn add_rows(&mut self, table: Table, rows: &[ForumRow]) -> Result<(), StoreError> {
        Ok(self.add_table_rows(moved(table), rows)?)
    }
}
