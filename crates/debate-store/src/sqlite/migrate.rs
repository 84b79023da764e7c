//! Bringing a file to the layout of this build: every step it lacks, or none.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use super::carry_over::CarryOverEvent;
use super::{OpenError, legacy};

/// The layout of the earlier Node servers, with or without a `schema_meta` table.
const LEGACY_VERSION: i64 = 1;

/// Every layout since, oldest first.
const MIGRATIONS: [(i64, &str); 5] = [
    (2, include_str!("../../migrations/sqlite/0002_arena.sql")),
    (3, include_str!("../../migrations/sqlite/0003_runner.sql")),
    (4, include_str!("../../migrations/sqlite/0004_forum.sql")),
    (5, include_str!("../../migrations/sqlite/0005_standings.sql")),
    (6, include_str!("../../migrations/sqlite/0006_hardening.sql")),
];

/// The first layout in which debates run themselves.
pub(super) const RUNNER_VERSION: i64 = 3;

/// The first layout with a forum.
pub(super) const FORUM_VERSION: i64 = 4;

/// The layout this build works with.
pub(super) const CURRENT_VERSION: i64 = 6;

/// What a file holds.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Layout {
    /// Nothing yet.
    Empty,
    /// An earlier Node server's debates.
    Legacy,
    /// Our own, of this version.
    Version(i64),
}

impl Layout {
    /// Its number, if there is a layout.
    pub(super) const fn version(self) -> Option<i64> {
        match self {
            Self::Empty => None,
            Self::Legacy => Some(LEGACY_VERSION),
            Self::Version(version) => Some(version),
        }
    }
}

/// What a file holds that this build can work with.
pub(super) struct Inspected {
    pub(super) layout: Layout,
    /// The rows of an earlier server's file, checked.
    pub(super) legacy: Option<legacy::Survey>,
}

/// Finds out what the file holds, and whether this build can work with it, without touching it.
pub(super) fn inspect(
    path: &Path,
    report: &mut dyn FnMut(CarryOverEvent),
) -> Result<Inspected, OpenError> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    conn.busy_timeout(super::open::BUSY_TIMEOUT)?;
    let layout = look(&conn, path)?;
    match layout {
        Layout::Version(found) if found > CURRENT_VERSION => {
            Err(OpenError::Newer { found, known: CURRENT_VERSION })
        }
        Layout::Legacy => {
            let legacy = Some(legacy::check(&conn, report)?);
            Ok(Inspected { layout, legacy })
        }
        Layout::Empty | Layout::Version(_) => Ok(Inspected { layout, legacy: None }),
    }
}

/// Finds out what is there, whether this build can work with it or not.
pub(super) fn look(conn: &Connection, path: &Path) -> Result<Layout, OpenError> {
    if !has_any_table(conn)? {
        return Ok(Layout::Empty);
    }
    let found = version(conn)?;
    let (debates, arguments) = (has_table(conn, "debates")?, has_table(conn, "arguments")?);
    match found {
        // Nobody knows what else a newer one has.
        Some(found) if found > CURRENT_VERSION && debates => Ok(Layout::Version(found)),
        None | Some(LEGACY_VERSION) if debates && arguments => Ok(Layout::Legacy),
        Some(found) if found > LEGACY_VERSION && debates && arguments => Ok(Layout::Version(found)),
        None | Some(_) => Err(OpenError::NotOurs(path.to_owned())),
    }
}

/// Runs every step the file still lacks, all or none. The file is in write-ahead mode.
pub(super) fn bring_up_to_date(
    conn: &mut Connection,
    found: Layout,
    report: &mut dyn FnMut(CarryOverEvent),
) -> Result<(), OpenError> {
    let at = match found {
        Layout::Empty | Layout::Legacy => LEGACY_VERSION,
        Layout::Version(version) => version,
    };
    if at >= CURRENT_VERSION {
        return Ok(());
    }
    // It can't be changed inside a transaction. Every row was checked.
    conn.pragma_update(None, "foreign_keys", found != Layout::Legacy)?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if found == Layout::Legacy {
        legacy::set_aside(&tx)?;
    }
    for (_, sql) in MIGRATIONS.iter().filter(|(version, _)| *version > at) {
        tx.execute_batch(sql)?;
    }
    if found == Layout::Legacy {
        legacy::carry_over(&tx, report)?;
    }
    tx.execute(
        "insert into schema_meta (key, value) values ('version', ?1)
         on conflict (key) do update set value = excluded.value",
        [CURRENT_VERSION.to_string()],
    )?;
    tx.commit()?;
    conn.pragma_update(None, "foreign_keys", true)?;
    match found {
        Layout::Empty => tracing::info!(schema.version = CURRENT_VERSION, "database created"),
        Layout::Legacy | Layout::Version(_) => {
            tracing::info!(schema.from = at, schema.version = CURRENT_VERSION, "database migrated");
        }
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
