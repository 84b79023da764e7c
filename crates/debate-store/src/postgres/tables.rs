//! Tables of a PostgreSQL database that are copied row by row.

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::auxiliary::{AuxiliaryDestination, AuxiliaryRow, AuxiliarySource, AuxiliaryTable};
use debate_core::Cell;

use super::archive::PostgresArchive;
use super::columns::params;
use super::connection::Query;
use super::fault::Fault;
use crate::auxiliary::auxiliary_table;
use crate::sql::{Moved, Value, value};

#[async_trait]
impl AuxiliarySource for PostgresArchive {
    async fn auxiliary_rows_after(
        &mut self,
        table: AuxiliaryTable,
        after: Option<&AuxiliaryRow>,
    ) -> Result<Vec<AuxiliaryRow>, StoreError> {
        Ok(self.table_rows_after(auxiliary_table(table), after).await?)
    }
}

#[async_trait]
impl AuxiliaryDestination for PostgresArchive {
    async fn add_auxiliary_rows(
        &mut self,
        table: AuxiliaryTable,
        rows: &[AuxiliaryRow],
    ) -> Result<(), StoreError> {
        Ok(self.add_table_rows(auxiliary_table(table), rows).await?)
    }
}

impl PostgresArchive {
    /// A page of a table's rows after a key.
    pub(super) async fn table_rows_after(
        &mut self,
        table: &Moved,
        after: Option<&Vec<Cell>>,
    ) -> Result<Vec<Vec<Cell>>, Fault> {
        let found = self.query(table.page, &params(&table.after(after))).await?;
        found.iter().map(|row| table.row(row)).collect()
    }

    /// Inserts rows as they are.
    pub(super) async fn add_table_rows(
        &mut self,
        table: &Moved,
        rows: &[Vec<Cell>],
    ) -> Result<(), Fault> {
        let bound: Vec<Vec<Value<'_>>> =
            rows.iter().map(|row| row.iter().map(value).collect()).collect();
        let params: Vec<_> = bound.iter().map(|values| params(values)).collect();
        let queries: Vec<Query<'_>> =
            params.iter().map(|params| (table.add, params.as_slice())).collect();
        self.flight(&queries).await?;
        Ok(())
    }
}
