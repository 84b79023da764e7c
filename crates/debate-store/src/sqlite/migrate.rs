//! Bringing a file to the layout of this build, step by step, each step whole or not at all.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use super::{OpenError, legacy};

/// The layout of the earlier Node servers, with or without a `schema_meta` table.
const LEGACY_VERSION: i64 = 1;

/// Every layout since, oldest first.
const MIGRATIONS: [(i64, &str); 1] = [(2, include_str!("../../migrations/sqlite/0002_arena.sql"))];

/// The layout this build works with.
const CURRENT_VERSION: i64 = 2;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Nothing yet.
    Empty,
    /// An earlier Node server's debates, all of which can be carried over.
    Legacy,
    /// Our own, of this version.
    Version(i64),
}

/// Finds out what the file holds, and whether this build can work with it, without touching it.
pub(super) fn inspect(path: &Path) -> Result<Layout, OpenError> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    conn.busy_timeout(super::open::BUSY_TIMEOUT)?;
    if !has_any_table(&conn)? {
        return Ok(Layout::Empty);
    }
    let found = version(&conn)?;
    if let Some(found) = found.filter(|found| *found > CURRENT_VERSION)
        && has_table(&conn, "debates")?
    {
        return Err(OpenError::Newer { found, known: CURRENT_VERSION });
    }
    if !(has_table(&conn, "debates")? && has_table(&conn, "arguments")?) {
        return Err(OpenError::NotOurs(path.to_owned()));
    }
    match found {
        None | Some(LEGACY_VERSION) => {
            legacy::check(&conn)?;
            Ok(Layout::Legacy)
        }
        Some(found) if found < LEGACY_VERSION => Err(OpenError::NotOurs(path.to_owned())),
        Some(found) => Ok(Layout::Version(found)),
    }
}

/// Runs every step the file still lacks.
pub(super) fn bring_up_to_date(conn: &mut Connection, found: Layout) -> Result<(), OpenError> {
    let mut at = match found {
        Layout::Empty | Layout::Legacy => LEGACY_VERSION,
        Layout::Version(version) => version,
    };
    for (version, sql) in MIGRATIONS {
        if version <= at {
            continue;
        }
        let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
        if at == LEGACY_VERSION && found == Layout::Legacy {
            legacy::set_aside(&tx)?;
            tx.execute_batch(sql)?;
            legacy::carry_over(&tx)?;
        } else {
            tx.execute_batch(sql)?;
        }
        tx.execute(
            "insert into schema_meta (key, value) values ('version', ?1)
             on conflict (key) do update set value = excluded.value",
            [version.to_string()],
        )?;
        tx.commit()?;
        tracing::info!(version, "the database was brought to a new layout");
        at = version;
    }
    Ok(())
}

fn has_any_table(conn: &Connection) -> rusqlite::Result<bool> {
    conn.query_row("select exists (select 1 from sqlite_schema)", [], |row| row.get(0))
}

fn has_table(conn: &Connection, name: &str) -> rusqlite::Result<bool> {
    conn.query_row(
        "select exists (select 1 from sqlite_schema where type = 'table' and name = ?1)",
        [name],
        |row| row.get(0),
    )
}

fn version(conn: &Connection) -> rusqlite::Result<Option<i64>> {
    if !has_table(conn, "schema_meta")? {
        return Ok(None);
    }
    conn.query_row(
        "select cast(value as integer) from schema_meta where key = 'version'",
        [],
        |row| row.get(0),
    )
    .optional()
}
