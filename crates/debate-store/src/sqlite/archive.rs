//! A SQLite file as an archive: inspected, migrated, read from end to end, or filled.

use std::fs;
use std::path::Path;

use debate_app::StoreError;
use rusqlite::{Connection, params_from_iter};

use super::engine::query;
use super::legacy_migration::LegacyMigrationEvent;
use super::log_mark::LogMark;
use super::migrate::{CURRENT_VERSION, FORUM_VERSION, FileSchema, RUNNER_VERSION};
use super::open::{self, Consent, FileLock, PreparedFile};
use super::{OpenError, Sqlite, migrate};
use crate::archive::{
    Archive, ArchiveError, DERIVED, DatabaseStatus, Dialect, EngineArchive, Migration, Table,
    TableRow,
};
use crate::engine::EngineError;
use crate::sql::Value;

/// A file in one transaction.
pub(crate) struct SqliteArchive {
    // Dropped in this order: the mark is removed before SQLite removes the log, and the lock is
    // released last.
    _mark: Option<LogMark>,
    conn: Connection,
    _lock: Option<FileLock>,
}

impl Sqlite {
    /// Reads the schema version and the row counts. A server may use the file meanwhile.
    pub fn inspect(path: &Path) -> Result<DatabaseStatus, OpenError> {
        let conn = snapshot(path)?;
        let layout = migrate::detect_schema(&conn, path)?.version();
        let count = |statement: &str| match layout {
            None => Ok(0),
            Some(_) => conn.query_row(statement, [], |row| row.get(0)),
        };
        let debates = count("select count(*) from debates")?;
        let arguments = count("select count(*) from arguments")?;
        let since = |version, statement| {
            if layout < Some(version) { Ok(0) } else { count(statement) }
        };
        let runs = since(RUNNER_VERSION, "select count(*) from runs")?;
        let turns = since(RUNNER_VERSION, "select count(*) from run_turns")?;
        let agents = since(FORUM_VERSION, "select count(*) from forum_agents")?;
        let posts = since(FORUM_VERSION, "select count(*) from forum_posts")?;
        let size = |ending| fs::metadata(open::sibling(path, ending)).map_or(0, |file| file.len());
        Ok(DatabaseStatus {
            engine: format!("sqlite {}", rusqlite::version()),
            layout,
            known: CURRENT_VERSION,
            debates,
            arguments,
            runs,
            turns,
            agents,
            posts,
            bytes: size("") + size("-wal"),
        })
    }

    /// Migrates the file to the schema version of this build. No server may use it.
    pub fn migrate(path: &Path) -> Result<Migration, OpenError> {
        Self::migrate_reporting(path, Consent::default(), &mut |_| {})
    }

    /// As [`Self::migrate`]. `report` receives each step of the migration of
    /// an original server's database.
    pub fn migrate_reporting(
        path: &Path,
        consent: Consent,
        report: &mut dyn FnMut(LegacyMigrationEvent),
    ) -> Result<Migration, OpenError> {
        if !path.exists() {
            return Err(OpenError::Absent(path.to_owned()));
        }
        let prepared = open::prepare(&open::resolve_path(path)?, consent, report)?;
        Ok(Migration { from: prepared.found.version(), to: CURRENT_VERSION })
    }

    /// Opens the file as the source of a copy, in one snapshot. A server may use it meanwhile.
    pub fn source(path: &Path) -> Result<Archive, OpenError> {
        let conn = snapshot(path)?;
        needs_current(path, migrate::detect_schema(&conn, path)?)?;
        Ok(archive(SqliteArchive { _mark: None, conn, _lock: None }))
    }

    /// Opens an empty file as the destination of a copy; creates it if it does not exist. A file
    /// that is refused is not changed.
    pub fn destination(path: &Path) -> Result<Archive, OpenError> {
        if path.exists() {
            if open::sibling(path, "-journal").exists() {
                open::recover(&open::resolve_path(path)?, Consent::default())?;
            }
            let found = Self::inspect(path)?;
            let runs = found.runs + found.turns;
            if found.debates + found.arguments + runs + found.agents + found.posts > 0 {
                return Err(OpenError::NotEmpty(path.to_owned()));
            }
            if let Some(version) = found.layout {
                needs_current(path, FileSchema::Version(version))?;
            }
        }
        let path = open::resolve_path(path)?;
        let PreparedFile { mark, conn, lock, .. } =
            open::prepare(&path, Consent::default(), &mut |_| {})?;
        conn.execute_batch("begin immediate")?;
        Ok(archive(SqliteArchive { _mark: Some(mark), conn, _lock: Some(lock) }))
    }
}

const fn archive(archive: SqliteArchive) -> Archive {
    Archive(EngineArchive::Sqlite(archive))
}

impl SqliteArchive {
    pub(crate) fn page(
        &self,
        table: &'static Table,
        after: Option<&[Value<'static>]>,
    ) -> Result<Vec<TableRow>, ArchiveError> {
        page(&self.conn, table, after)
    }

    pub(crate) fn insert(&self, table: &Table, rows: &[TableRow]) -> Result<(), ArchiveError> {
        for insert in table.insert_statements(Dialect::Sqlite) {
            let mut statement = self.conn.prepare_cached(&insert.statement).map_err(failure)?;
            for row in rows {
                let values = insert.indexes.iter().filter_map(|index| row.values.get(*index));
                statement.execute(params_from_iter(values)).map_err(failure)?;
            }
        }
        Ok(())
    }

    /// Records when a debate changed where that is not the time of its newest argument, which only
    /// happens in debates of the original servers; then empties the derived tables.
    pub(crate) fn prepare_derived(&self) -> Result<(), ArchiveError> {
        record_update_times(&self.conn).map_err(failure)?;
        for table in DERIVED {
            self.conn.execute(&format!("delete from {}", table.name), []).map_err(failure)?;
        }
        Ok(())
    }

    pub(crate) fn commit(&self) -> Result<(), StoreError> {
        let committed = self.conn.execute_batch("commit").and_then(|()| {
            // Explicit, because SQLite ignores a failure of the checkpoint at closing.
            self.conn.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
        });
        committed.map_err(|err| EngineError::from(err).0)
    }
}

/// The next rows of a table in the order of its key; none after the last.
pub(super) fn page(
    conn: &Connection,
    table: &'static Table,
    after: Option<&[Value<'static>]>,
) -> Result<Vec<TableRow>, ArchiveError> {
    let statement = table.page_statement(Dialect::Sqlite, after.is_some());
    let rows = query(conn, &statement, after.unwrap_or_default());
    let rows = rows.map_err(|EngineError(err)| ArchiveError::from(err))?;
    rows.iter().map(|row| TableRow::read(table, row)).collect()
}

/// Called after the last debate of another server was inserted.
pub(super) fn record_update_times(conn: &Connection) -> rusqlite::Result<()> {
    conn.execute(
        "update arguments set updated_after = standings.updated_at
         from standings
         where arguments.debate_id = standings.debate_id and arguments.seq = standings.last_seq
           and arguments.created_at <> standings.updated_at",
        [],
    )?;
    Ok(())
}

fn failure(err: rusqlite::Error) -> ArchiveError {
    EngineError::from(err).0.into()
}

/// A connection with an open read transaction.
fn snapshot(path: &Path) -> Result<Connection, OpenError> {
    let conn = open::transient_reader(path)?;
    conn.execute_batch("begin")?;
    // The snapshot begins with the first read.
    conn.query_row("select count(*) from sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(conn)
}

fn needs_current(path: &Path, found: FileSchema) -> Result<(), OpenError> {
    let (path, known) = (path.to_owned(), CURRENT_VERSION);
    match found.version().unwrap_or_default() {
        CURRENT_VERSION => Ok(()),
        found if found > CURRENT_VERSION => Err(OpenError::Newer { found, known }),
        found => Err(OpenError::Older { path, found, known }),
    }
}
