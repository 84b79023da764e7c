//! Tables that are copied row by row, whatever the engine.
//!
//! Each table's key comes first among its columns, and rows are read in its order: it is the same
//! in both engines.

use debate_core::Cell;
use uuid::Uuid;

use super::{Columns, Value};

/// What a column holds.
#[derive(Clone, Copy)]
pub(crate) enum Kind {
    Id,
    Number,
    Flag,
    Text,
    Bytes,
}

/// A table, as it is moved.
pub(crate) struct Moved {
    pub(crate) columns: &'static [(&'static str, Kind)],
    /// How many of them are its key.
    pub(crate) keys: usize,
    /// A page of rows after a key.
    pub(crate) page: &'static str,
    /// One more row.
    pub(crate) add: &'static str,
}

macro_rules! moved {
    ($table:literal, $key:literal, $after:literal, $keys:literal, $marks:literal,
     [$first:literal $kind:ident $(, $column:literal $other:ident)*]) => {
        $crate::sql::Moved {
            columns: &[
                ($first, $crate::sql::Kind::$kind)
                $(, ($column, $crate::sql::Kind::$other))*
            ],
            keys: $keys,
            page: concat!(
                "select ", $first, $(", ", $column,)* " from ", $table,
                " where (", $key, ") > (", $after, ") order by ", $key, " limit 200"
            ),
            add: concat!(
                "insert into ", $table, " (", $first, $(", ", $column,)* ") values (", $marks, ")"
            ),
        }
    };
}

pub(crate) use moved;

impl Moved {
    /// The key that a page comes after: a row's, or one before all.
    pub(crate) fn after<'r>(&self, row: Option<&'r Vec<Cell>>) -> Vec<Value<'r>> {
        match row {
            Some(row) => row.iter().take(self.keys).map(value).collect(),
            None => self.columns.iter().take(self.keys).map(|(_, kind)| least(*kind)).collect(),
        }
    }

    /// A row, read.
    pub(crate) fn row<C: Columns>(&self, row: &C) -> Result<Vec<Cell>, C::Fault> {
        self.columns.iter().map(|(column, kind)| cell(row, column, *kind)).collect()
    }
}

const fn least(kind: Kind) -> Value<'static> {
    match kind {
        Kind::Id => Value::Id(Uuid::nil()),
        Kind::Number => Value::Number(i64::MIN),
        Kind::Flag => Value::Flag(false),
        Kind::Text => Value::Text(std::borrow::Cow::Borrowed("")),
        Kind::Bytes => Value::Bytes(std::borrow::Cow::Borrowed(&[])),
    }
}

fn cell<C: Columns>(row: &C, column: &str, kind: Kind) -> Result<Cell, C::Fault> {
    let cell = match kind {
        Kind::Id => row.maybe_id(column)?.map(Cell::Id),
        Kind::Number => row.maybe_number(column)?.map(Cell::Number),
        Kind::Flag => row.maybe_flag(column)?.map(Cell::Flag),
        Kind::Text => row.maybe_text(column)?.map(Cell::Text),
        Kind::Bytes => row.maybe_bytes(column)?.map(Cell::Bytes),
    };
    Ok(cell.unwrap_or(Cell::Nothing))
}

/// A cell on its way into its column.
pub(crate) fn value(cell: &Cell) -> Value<'_> {
    match cell {
        Cell::Nothing => Value::Null,
        Cell::Id(id) => Value::Id(*id),
        Cell::Number(number) => Value::Number(*number),
        Cell::Flag(flag) => Value::Flag(*flag),
        Cell::Text(text) => text.as_str().into(),
        Cell::Bytes(bytes) => bytes.as_slice().into(),
    }
}
