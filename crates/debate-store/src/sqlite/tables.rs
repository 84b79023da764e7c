//! Tables of a SQLite file that are copied row by row.

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::auxiliary::{AuxiliaryDestination, AuxiliaryRow, AuxiliarySource, AuxiliaryTable};
use debate_core::Cell;
use rusqlite::params_from_iter;

use super::archive::SqliteArchive;
use super::fault::Fault;
use crate::auxiliary::auxiliary_table;
use crate::sql::{Moved, value};

#[async_trait]
impl AuxiliarySource for SqliteArchive {
    async fn auxiliary_rows_after(
        &mut self,
        table: AuxiliaryTable,
        after: Option<&AuxiliaryRow>,
    ) -> Result<Vec<AuxiliaryRow>, StoreError> {
        Ok(self.table_rows_after(auxiliary_table(table), after)?)
    }
}

#[async_trait]
impl AuxiliaryDestination for SqliteArchive {
    async fn add_auxiliary_rows(
        &mut self,
        table: AuxiliaryTable,
        rows: &[AuxiliaryRow],
    ) -> Result<(), StoreError> {
        Ok(self.add_table_rows(auxiliary_table(table), rows)?)
    }
}

impl SqliteArchive {
    /// A page of a table's rows after a key.
    pub(super) fn table_rows_after(
        &self,
        table: &Moved,
        after: Option<&Vec<Cell>>,
    ) -> Result<Vec<Vec<Cell>>, Fault> {
        let mut statement = self.conn.prepare_cached(table.page)?;
        let mut found = statement.query(params_from_iter(table.after(after)))?;
        let mut rows = Vec::new();
        while let Some(row) = found.next()? {
            rows.push(table.row(row)?);
        }
        Ok(rows)
    }

    /// Inserts rows as they are.
    pub(super) fn add_table_rows(&self, table: &Moved, rows: &[Vec<Cell>]) -> Result<(), Fault> {
        let mut statement = self.conn.prepare_cached(table.add)?;
        for row in rows {
            statement.execute(params_from_iter(row.iter().map(value)))?;
        }
        Ok(())
    }
}
