//! The rows of an old file, and a check that a migrated file contains all of them.

use std::path::Path;

use rusqlite::{Connection, OpenFlags};

use super::OldLayout;

/// The content of an old file.
pub(crate) struct ExpectedRows {
    tables: Vec<Table>,
}

/// One table of an old file.
struct Table {
    name: String,
    /// Reads its rows from the old file, each as one text.
    old: String,
    /// Reads the same rows from a file of the current layout.
    new: String,
    rows: Vec<String>,
}

/// The columns of the Node servers, named as in the current views.
const NODE_DEBATES: &str = "id, title, debate_type, state, created_at, updated_at";
const NODE_ARGUMENTS: &str = "id, debate_id, parent_id, type, role, content, client_request_id, \
                              seq, created_at";
const NEW_ARGUMENTS: &str = "id, debate_id, parent_id, kind, role, content, client_request_id, \
                             seq, created_at";

/// The state of a debate was in its own row until layout 5.
const DEBATES_WITH_STATE: &str = "(select d.*, s.state, s.last_seq, s.updated_at
     from debates d left join standings s on s.debate_id = d.id)";

/// Layout 6 keeps rate windows in memory.
const DROPPED: [&str; 2] = ["schema_meta", "forum_windows"];

impl ExpectedRows {
    pub(crate) fn read(layout: OldLayout, path: &Path) -> anyhow::Result<Self> {
        let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
        let mut tables = match layout {
            OldLayout::Express => node_tables("replace(", ", ' ', 'T') || '.000000Z'"),
            OldLayout::Prisma => node_tables("replace(", ", 'Z', '000Z')"),
            OldLayout::V2
            | OldLayout::V3
            | OldLayout::V4
            | OldLayout::V5
            | OldLayout::V6
            | OldLayout::V7 => all_tables(&conn)?,
        };
        for table in &mut tables {
            table.rows = texts(&conn, &table.old)?;
            anyhow::ensure!(!table.rows.is_empty(), "{} has no rows", table.name);
        }
        Ok(Self { tables })
    }

    /// The number of rows in a table of the old file.
    pub(crate) fn count(&self, table: &str) -> usize {
        let found = self.tables.iter().find(|found| found.name == table);
        found.map_or(0, |found| found.rows.len())
    }

    /// Every table whose rows differ in a file of the current layout.
    pub(crate) fn missing_in(&self, path: &Path) -> Vec<String> {
        self.differences(path, |table| &table.new)
    }

    /// Every table whose rows differ in a copy of the old file.
    pub(crate) fn missing_in_backup(&self, path: &Path) -> Vec<String> {
        self.differences(path, |table| &table.old)
    }

    fn differences(&self, path: &Path, query: impl Fn(&Table) -> &str) -> Vec<String> {
        let compare = |table: &Table| {
            let read = Connection::open(path).and_then(|conn| texts(&conn, query(table)));
            let name = &table.name;
            match read {
                Ok(rows) if rows == table.rows => None,
                Ok(rows) => Some(format!(
                    "{name}: {} rows instead of {}, or other content",
                    rows.len(),
                    table.rows.len()
                )),
                Err(err) => Some(format!("{name}: {err}")),
            }
        };
        self.tables.iter().filter_map(compare).collect()
    }
}

/// `before` and `after` convert a time of the old file to the format of the views.
fn node_tables(before: &str, after: &str) -> Vec<Table> {
    let old = |columns: &str, table: &str| {
        let columns = columns.split(", ").map(|column| {
            if column.ends_with("_at") { format!("{before}{column}{after}") } else { column.into() }
        });
        select(columns, table)
    };
    let new = |columns: &str, view: &str| select(columns.split(", ").map(str::to_owned), view);
    let table = |name: &str, columns: &str, new_columns: &str| Table {
        name: name.to_owned(),
        old: old(columns, name),
        new: new(new_columns, &format!("{name}_view")),
        rows: Vec::new(),
    };
    vec![
        table("debates", NODE_DEBATES, NODE_DEBATES),
        table("arguments", NODE_ARGUMENTS, NEW_ARGUMENTS),
    ]
}

/// Every column of every table of the file.
fn all_tables(conn: &Connection) -> rusqlite::Result<Vec<Table>> {
    let names = texts(conn, "select name from sqlite_schema where type = 'table' order by 1")?;
    let kept = names.into_iter().filter(|name| !DROPPED.contains(&name.as_str()));
    kept.map(|name| {
        let columns = format!("select name from pragma_table_info('{name}')");
        let columns = texts(conn, &columns)?;
        let source = if name == "debates" { DEBATES_WITH_STATE } else { &name };
        let new = select(columns.iter().cloned(), source);
        Ok(Table { old: select(columns.into_iter(), &name), new, rows: Vec::new(), name })
    })
    .collect()
}

/// Reads the columns of each row as one text.
fn select(columns: impl Iterator<Item = String>, source: &str) -> String {
    let quoted: Vec<String> = columns.map(|column| format!("quote({column})")).collect();
    format!("select concat_ws(',', {}) from {source} order by 1", quoted.join(", "))
}

fn texts(conn: &Connection, query: &str) -> rusqlite::Result<Vec<String>> {
    conn.prepare(query)?.query_map([], |row| row.get(0))?.collect()
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn lost_row_and_changed_content_are_reported() {
        for layout in OldLayout::ALL {
            let folder = tempfile::tempdir().expect("there is room for temporary files");
            let path = folder.path().join("debate.db");
            layout.make(&path, 40).expect("the file can be made");
            let rows = ExpectedRows::read(layout, &path).expect("the file can be read");
            assert!(rows.missing_in_backup(&path).is_empty(), "{layout:?}");
            let conn = Connection::open(&path).expect("the file is there");
            conn.execute_batch("update arguments set content = '' where seq = 2")
                .expect("the table is there");
            let found = rows.missing_in_backup(&path);
            assert!(matches!(&found[..], [one] if one.starts_with("arguments")), "{found:?}");
            conn.execute_batch("pragma foreign_keys = off; delete from debates")
                .expect("the table is there");
            assert_eq!(rows.missing_in_backup(&path).len(), 2, "{layout:?}");
        }
    }
}
