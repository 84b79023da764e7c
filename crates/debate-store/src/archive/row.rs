//! A row of the archive: the values of a table's columns, read by name like an engine's own row.

use debate_app::{Cause, StoreError};
use uuid::Uuid;

use super::table::{ColumnType, Table};
use super::{ArchiveError, Item};
use crate::sql::{self, Value};

pub(crate) struct TableRow {
    pub(crate) table: &'static Table,
    pub(crate) values: Vec<Value<'static>>,
}

impl TableRow {
    /// Reads all columns of `table` from an engine's row. A value that cannot be read fails with
    /// the item that the row belongs to.
    pub(crate) fn read(table: &'static Table, from: &sql::Row) -> Result<Self, ArchiveError> {
        let mut values = Vec::with_capacity(table.columns.len());
        for column in table.columns {
            match read_value(from, column.name, column.kind) {
                Ok(value) => values.push(value),
                Err(err) => return Err(unreadable(table.item(values.first()), err)),
            }
        }
        Ok(Self { table, values })
    }

    /// Decodes the row. A failure names the item that the row belongs to.
    pub(crate) fn decode<T>(
        &self,
        decode: impl FnOnce(&sql::Row) -> Result<T, StoreError>,
    ) -> Result<T, ArchiveError> {
        let columns = self.table.columns.iter().map(|column| column.name.to_owned()).collect();
        decode(&sql::Row::new(columns, self.values.clone()))
            .map_err(|err| unreadable(self.item(), err))
    }

    pub(crate) fn item(&self) -> Item {
        self.table.item(self.values.first())
    }

    pub(crate) fn key(&self) -> &[Value<'static>] {
        self.table.key(&self.values)
    }

    /// The debate or run that the row belongs to, by the id in its first column.
    pub(super) fn owner(&self) -> Option<Uuid> {
        if let Some(Value::Id(id)) = self.values.first() { Some(*id) } else { None }
    }
}

fn unreadable(item: Item, err: StoreError) -> ArchiveError {
    if let StoreError::Undecodable(cause) | StoreError::Unexpected(cause) = err {
        return ArchiveError::Unreadable { item, cause };
    }
    ArchiveError::Unreadable { item, cause: Cause::new(err) }
}

fn read_value(from: &sql::Row, name: &str, kind: ColumnType) -> Result<Value<'static>, StoreError> {
    Ok(match kind {
        ColumnType::Id => from.maybe_id(name)?.map(Value::Id),
        ColumnType::Number => from.maybe_number(name)?.map(Value::Number),
        ColumnType::Flag => from.maybe_flag(name)?.map(Value::Flag),
        ColumnType::Text => from.maybe_text(name)?.map(Value::from),
        ColumnType::Bytes => from.maybe_bytes(name)?.map(Value::from),
    }
    .unwrap_or(Value::Null))
}
