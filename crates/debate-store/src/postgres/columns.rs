//! Values as PostgreSQL takes and gives them.

use std::error::Error;

use tokio_postgres::Row;
use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use super::fault::Fault;
use crate::sql::{Columns, Misfit, Value};

impl From<Misfit> for Fault {
    fn from(Misfit(what): Misfit) -> Self {
        Self::undecodable(what)
    }
}

impl Columns for Row {
    type Fault = Fault;

    fn maybe_id(&self, column: &str) -> Result<Option<Uuid>, Fault> {
        Ok(self.try_get(column)?)
    }

    fn maybe_number(&self, column: &str) -> Result<Option<i64>, Fault> {
        Ok(self.try_get(column)?)
    }

    fn maybe_flag(&self, column: &str) -> Result<Option<bool>, Fault> {
        Ok(self.try_get(column)?)
    }

    fn maybe_text(&self, column: &str) -> Result<Option<String>, Fault> {
        Ok(self.try_get(column)?)
    }

    fn maybe_bytes(&self, column: &str) -> Result<Option<Vec<u8>>, Fault> {
        Ok(self.try_get(column)?)
    }
}

/// What a statement takes, as the driver wants it.
pub(super) fn params<'v>(values: &'v [Value<'_>]) -> Vec<&'v (dyn ToSql + Sync)> {
    let param = |value: &'v Value<'_>| -> &'v (dyn ToSql + Sync) { value };
    values.iter().map(param).collect()
}

impl ToSql for Value<'_> {
    fn to_sql(
        &self,
        ty: &Type,
        out: &mut BytesMut,
    ) -> Result<IsNull, Box<dyn Error + Sync + Send>> {
        match self {
            Self::Null => Ok(IsNull::Yes),
            Self::Id(id) => id.to_sql_checked(ty, out),
            Self::Number(number) => number.to_sql_checked(ty, out),
            Self::Flag(flag) => flag.to_sql_checked(ty, out),
            Self::Text(text) => text.to_sql_checked(ty, out),
            Self::Bytes(bytes) => bytes.as_ref().to_sql_checked(ty, out),
        }
    }

    /// Each value checks its own type.
    fn accepts(_: &Type) -> bool {
        true
    }

    to_sql_checked!();
}
