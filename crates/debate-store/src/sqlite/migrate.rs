//! Detection and migration of the schema version of a file.

use std::path::Path;

use rusqlite::{Connection, OpenFlags, OptionalExtension, TransactionBehavior};

use super::legacy_migration::LegacyMigrationEvent;
use super::{OpenError, legacy, slugs};

/// The schema of the original Node servers, with or without a `schema_meta` table.
const LEGACY_VERSION: i64 = 1;

/// Every later schema version, oldest first.
const MIGRATIONS: [(i64, &str); 7] = [
    (2, include_str!("../../migrations/sqlite/0002_arena.sql")),
    (3, include_str!("../../migrations/sqlite/0003_runner.sql")),
    (4, include_str!("../../migrations/sqlite/0004_forum.sql")),
    (5, include_str!("../../migrations/sqlite/0005_standings.sql")),
    (6, include_str!("../../migrations/sqlite/0006_hardening.sql")),
    (7, include_str!("../../migrations/sqlite/0007_undecided_posts.sql")),
    (8, include_str!("../../migrations/sqlite/0008_seats.sql")),
];

/// The first schema version with runs.
pub(super) const RUNNER_VERSION: i64 = 3;

/// The first schema version with a forum.
pub(super) const FORUM_VERSION: i64 = 4;

/// The schema version of this build.
pub(super) const CURRENT_VERSION: i64 = 8;

/// The schema of a file.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum FileSchema {
    /// The file has no tables.
    Empty,
    /// The schema of an original Node server.
    Legacy,
    /// A schema of this product, by its version.
    Version(i64),
}

impl FileSchema {
    /// The schema version; none for an empty file.
    pub(super) const fn version(self) -> Option<i64> {
        match self {
            Self::Empty => None,
            Self::Legacy => Some(LEGACY_VERSION),
            Self::Version(version) => Some(version),
        }
    }
}

/// A file whose schema this build supports.
pub(super) struct InspectedFile {
    pub(super) layout: FileSchema,
    /// The rows of an original server's file, which were checked.
    pub(super) legacy: Option<legacy::LegacySummary>,
}

/// Detects the schema and checks that this build supports it, without changing the file.
pub(super) fn inspect(
    path: &Path,
    report: &mut dyn FnMut(LegacyMigrationEvent),
) -> Result<InspectedFile, OpenError> {
    let conn = Connection::open_with_flags(path, OpenFlags::SQLITE_OPEN_READ_ONLY)?;
    conn.busy_timeout(super::open::BUSY_TIMEOUT)?;
    let layout = detect_schema(&conn, path)?;
    match layout {
        FileSchema::Version(found) if found > CURRENT_VERSION => {
            Err(OpenError::Newer { found, known: CURRENT_VERSION })
        }
        FileSchema::Legacy => {
            let legacy = Some(legacy::check(&conn, report)?);
            Ok(InspectedFile { layout, legacy })
        }
        FileSchema::Empty | FileSchema::Version(_) => Ok(InspectedFile { layout, legacy: None }),
    }
}

/// Detects the schema of a file, also a newer one than this build supports.
pub(super) fn detect_schema(conn: &Connection, path: &Path) -> Result<FileSchema, OpenError> {
    if !has_any_table(conn)? {
        return Ok(FileSchema::Empty);
    }
    let found = version(conn)?;
    let (debates, arguments) = (has_table(conn, "debates")?, has_table(conn, "arguments")?);
    match found {
        // A newer schema may have other tables.
        Some(found) if found > CURRENT_VERSION && debates => Ok(FileSchema::Version(found)),
        None | Some(LEGACY_VERSION) if debates && arguments => Ok(FileSchema::Legacy),
        Some(found) if found > LEGACY_VERSION && debates && arguments => {
            Ok(FileSchema::Version(found))
        }
        None | Some(_) => Err(OpenError::NotOurs(path.to_owned())),
    }
}

/// Runs all missing migrations in one transaction. The file must be in write-ahead mode.
pub(super) fn migrate(
    conn: &mut Connection,
    found: FileSchema,
    report: &mut dyn FnMut(LegacyMigrationEvent),
) -> Result<(), OpenError> {
    let at = match found {
        FileSchema::Empty | FileSchema::Legacy => LEGACY_VERSION,
        FileSchema::Version(version) => version,
    };
    if at >= CURRENT_VERSION {
        return Ok(());
    }
    // Foreign keys cannot be switched inside a transaction. Every row was checked before.
    conn.pragma_update(None, "foreign_keys", found != FileSchema::Legacy)?;
    let tx = conn.transaction_with_behavior(TransactionBehavior::Immediate)?;
    if found == FileSchema::Legacy {
        legacy::rename_old_tables(&tx)?;
    }
    for (_, sql) in MIGRATIONS.iter().filter(|(version, _)| *version > at) {
        tx.execute_batch(sql)?;
    }
    if found == FileSchema::Legacy {
        legacy::migrate_rows(&tx, report)?;
    }
    slugs::assign(&tx)?;
    tx.execute(
        "insert into schema_meta (key, value) values ('version', ?1)
         on conflict (key) do update set value = excluded.value",
        [CURRENT_VERSION.to_string()],
    )?;
    tx.commit()?;
    conn.pragma_update(None, "foreign_keys", true)?;
    match found {
        FileSchema::Empty => tracing::info!(schema.version = CURRENT_VERSION, "database created"),
        FileSchema::Legacy | FileSchema::Version(_) => {
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
