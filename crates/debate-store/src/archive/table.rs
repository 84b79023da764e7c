//! A table as the archive sees it, and the statements that read and write it on each engine.
//!
//! Statements are built from the static lists in `tables.rs` and never contain a value. The first
//! columns of a table are its key: unique, not null, and in the same order on both engines.

use uuid::Uuid;

use super::Item;
use crate::sql::Value;

/// Rows of a page. With an argument of one megabyte, the most that a server accepts, a page takes
/// a hundred megabytes of memory.
const PAGE_ROWS_MAX: usize = 100;

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ColumnType {
    Id,
    Number,
    Flag,
    Text,
    Bytes,
}

impl ColumnType {
    const fn postgres_name(self) -> &'static str {
        match self {
            Self::Id => "uuid",
            Self::Number => "bigint",
            Self::Flag => "boolean",
            Self::Text => "text",
            Self::Bytes => "bytea",
        }
    }

    /// A value that no value of a key is greater than.
    fn greatest(self) -> Value<'static> {
        match self {
            Self::Id => Value::Id(Uuid::max()),
            Self::Number => Value::Number(i64::MAX),
            Self::Flag => Value::Flag(true),
            Self::Text => Value::from("\u{10ffff}"),
            Self::Bytes => Value::from(vec![u8::MAX; 64]),
        }
    }
}

#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Dialect {
    Sqlite,
    Postgres,
}

#[derive(Debug)]
pub(crate) struct Column {
    pub(crate) name: &'static str,
    pub(crate) kind: ColumnType,
    /// The expression that a copy reads in place of the stored value.
    pub(super) expression: Option<&'static str>,
}

/// Columns as `name: ColumnType`, or `name: ColumnType = "expression"` for a value that a copy
/// reads by an expression.
macro_rules! columns {
    (@expression) => { None };
    (@expression $expression:literal) => { Some($expression) };
    ($($name:ident: $kind:ident $(= $expression:literal)?),* $(,)?) => {
        &[$(Column {
            name: stringify!($name),
            kind: ColumnType::$kind,
            expression: columns!(@expression $($expression)?),
        }),*]
    };
}

pub(super) use columns;

/// A table of SQLite that stores some columns of an archive table.
#[derive(Debug)]
pub(super) struct StoragePart {
    pub(super) table: &'static str,
    pub(super) columns: &'static [&'static str],
    /// A column that has another name in the archive table: both names.
    pub(super) alias: Option<(&'static str, &'static str)>,
}

impl StoragePart {
    /// The name of a column in the archive table.
    fn archive_name(&self, column: &'static str) -> &'static str {
        self.alias.filter(|(name, _)| *name == column).map_or(column, |(_, archived)| archived)
    }
}

/// The kind of item that an error names by the first column of a row.
#[derive(Debug, Clone, Copy)]
pub(super) enum Owner {
    Debate,
    Run,
    /// The row belongs to neither; an error names the table.
    Table,
}

/// A table, or what an archive reads and writes as one.
#[derive(Debug)]
pub(crate) struct Table {
    pub(crate) name: &'static str,
    pub(super) owner: Owner,
    /// Number of leading columns that are the key.
    pub(super) key: usize,
    pub(crate) columns: &'static [Column],
    /// The relations that rows are read from, if that is not the table itself.
    pub(super) sqlite_relation: Option<&'static str>,
    pub(super) postgres_relation: Option<&'static str>,
    /// The tables that SQLite stores a row in, if that is not one with the same columns.
    pub(super) sqlite_parts: &'static [StoragePart],
}

impl Table {
    pub(super) const fn new(name: &'static str, key: usize, columns: &'static [Column]) -> Self {
        Self {
            name,
            owner: Owner::Table,
            key,
            columns,
            sqlite_relation: None,
            postgres_relation: None,
            sqlite_parts: &[],
        }
    }

    /// The item that a row belongs to, by its first value.
    pub(crate) fn item(&self, first: Option<&Value<'_>>) -> Item {
        match (self.owner, first) {
            (Owner::Debate, Some(Value::Id(id))) => Item::Debate(debate_core::DebateId::new(*id)),
            (Owner::Run, Some(Value::Id(id))) => Item::Run(debate_core::RunId::new(*id)),
            (Owner::Debate | Owner::Run | Owner::Table, _) => Item::Table(self.name),
        }
    }

    /// The key that is greater than every key of rows that belong to `owner`.
    pub(crate) fn key_after(&self, owner: Uuid) -> Vec<Value<'static>> {
        let rest = self.columns.iter().take(self.key).skip(1).map(|column| column.kind.greatest());
        std::iter::once(Value::Id(owner)).chain(rest).collect()
    }

    pub(crate) fn key<'r>(&self, values: &'r [Value<'static>]) -> &'r [Value<'static>] {
        values.get(..self.key).unwrap_or(values)
    }

    /// The statement that reads the next page in the order of the key: from the first row, or after
    /// the key that is bound.
    pub(crate) fn page_statement(&self, engine: Dialect, has_start: bool) -> String {
        let relation = match engine {
            Dialect::Sqlite => self.sqlite_relation,
            Dialect::Postgres => self.postgres_relation,
        };
        let columns: Vec<String> = self
            .columns
            .iter()
            .map(|column| match column.expression {
                None => column.name.to_owned(),
                Some(expression) => format!("{expression} as {}", column.name),
            })
            .collect();
        let key: Vec<&str> = self.columns.iter().take(self.key).map(|key| key.name).collect();
        let key = key.join(", ");
        let start = if has_start {
            let marks: Vec<String> = (1..=self.key).map(|number| format!("${number}")).collect();
            format!(" where ({key}) > ({})", marks.join(", "))
        } else {
            String::new()
        };
        let (columns, relation) = (columns.join(", "), relation.unwrap_or(self.name));
        ["select ", &columns, " from ", relation, &start, " order by ", &key, " limit "].concat()
            + &PAGE_ROWS_MAX.to_string()
    }

    /// The statements that insert a row on SQLite, or a page on PostgreSQL.
    pub(crate) fn insert_statements(&self, engine: Dialect) -> Vec<InsertStatement> {
        let all: Vec<_> = self.columns.iter().map(|column| (column.name, column.name)).collect();
        match engine {
            Dialect::Postgres => vec![self.insert(engine, self.name, &all)],
            Dialect::Sqlite if self.sqlite_parts.is_empty() => {
                vec![self.insert(engine, self.name, &all)]
            }
            Dialect::Sqlite => self
                .sqlite_parts
                .iter()
                .map(|part| {
                    let columns = part.columns.iter().map(|name| (*name, part.archive_name(name)));
                    self.insert(engine, part.table, &columns.collect::<Vec<_>>())
                })
                .collect(),
        }
    }

    fn insert(
        &self,
        engine: Dialect,
        table: &str,
        columns: &[(&'static str, &'static str)],
    ) -> InsertStatement {
        let names: Vec<&str> = columns.iter().map(|(name, _)| *name).collect();
        let indexes: Vec<usize> = columns
            .iter()
            .filter_map(|(_, from)| self.columns.iter().position(|column| column.name == *from))
            .collect();
        let kinds = indexes.iter().filter_map(|index| self.columns.get(*index));
        let marks: Vec<String> = (1..)
            .zip(kinds)
            .map(|(number, column)| match engine {
                Dialect::Sqlite => format!("${number}"),
                Dialect::Postgres => format!("${number}::{}[]", column.kind.postgres_name()),
            })
            .collect();
        let (names, marks) = (names.join(", "), marks.join(", "));
        let source = match engine {
            Dialect::Sqlite => format!("values ({marks})"),
            Dialect::Postgres => ["select * from unnest(", &marks, ")"].concat(),
        };
        InsertStatement { statement: format!("insert into {table} ({names}) {source}"), indexes }
    }
}

/// An insert statement, and the columns of the archive table that it binds, by position.
pub(crate) struct InsertStatement {
    pub(crate) statement: String,
    pub(crate) indexes: Vec<usize>,
}
