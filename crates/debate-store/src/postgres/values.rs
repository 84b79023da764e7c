//! Values and rows in the form of PostgreSQL's driver.

use std::error::Error;
use std::sync::Arc;

use tokio_postgres::types::private::BytesMut;
use tokio_postgres::types::{IsNull, ToSql, Type, to_sql_checked};
use uuid::Uuid;

use crate::engine::EngineError;
use crate::sql::{Row, Value, undecodable};

/// The rows of one statement.
pub(super) fn to_rows(rows: &[tokio_postgres::Row]) -> Result<Vec<Row>, EngineError> {
    let Some(first) = rows.first() else { return Ok(Vec::new()) };
    let columns: Arc<[String]> =
        first.columns().iter().map(|column| column.name().to_owned()).collect();
    let decode = |row: &tokio_postgres::Row| {
        let values = (0..row.len()).map(|index| to_value(row, index));
        Ok(Row::new(Arc::clone(&columns), values.collect::<Result<_, EngineError>>()?))
    };
    rows.iter().map(decode).collect()
}

fn to_value(row: &tokio_postgres::Row, index: usize) -> Result<Value<'static>, EngineError> {
    let Some(column) = row.columns().get(index) else { return Ok(Value::Null) };
    Ok(match *column.type_() {
        Type::UUID => row.try_get::<_, Option<Uuid>>(index)?.into(),
        Type::INT8 => row.try_get::<_, Option<i64>>(index)?.into(),
        Type::BOOL => row.try_get::<_, Option<bool>>(index)?.into(),
        Type::TEXT => row.try_get::<_, Option<String>>(index)?.into(),
        Type::BYTEA => row.try_get::<_, Option<Vec<u8>>>(index)?.into(),
        // The result of a function that is called for its effect, such as a lock.
        Type::VOID => Value::Null,
        ref other => {
            return Err(EngineError(undecodable(format!(
                "{} has the type {other}",
                column.name()
            ))));
        }
    })
}

/// The values of a statement in the driver's form.
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
