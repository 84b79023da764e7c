//! Values as SQLite keeps them.

use rusqlite::types::{ToSqlOutput, ValueRef};
use rusqlite::{Row, ToSql};
use uuid::Uuid;

use super::fault::Fault;
use crate::sql::{Columns, Misfit, Value};

impl From<Misfit> for Fault {
    fn from(Misfit(what): Misfit) -> Self {
        Self::undecodable(what)
    }
}

impl Columns for Row<'_> {
    type Fault = Fault;

    fn maybe_id(&self, column: &str) -> Result<Option<Uuid>, Fault> {
        let bytes = self.get_ref(column)?.as_blob_or_null().map_err(rusqlite::Error::from)?;
        let id = bytes.map(Uuid::from_slice).transpose();
        id.map_err(|_| Fault::undecodable("id is not a UUID"))
    }

    fn maybe_number(&self, column: &str) -> Result<Option<i64>, Fault> {
        Ok(self.get(column)?)
    }

    fn maybe_flag(&self, column: &str) -> Result<Option<bool>, Fault> {
        Ok(self.get(column)?)
    }

    fn maybe_text(&self, column: &str) -> Result<Option<String>, Fault> {
        Ok(self.get(column)?)
    }

    fn maybe_bytes(&self, column: &str) -> Result<Option<Vec<u8>>, Fault> {
        Ok(self.get(column)?)
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
