//! A SQLite file as a whole: looked at, brought up to date, read from end to end, or filled.

use std::fs;
use std::path::Path;

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::moving::Vault;
use rusqlite::Connection;

use super::arena::note_times;
use super::carry_over::CarryOverEvent;
use super::fault::Fault;
use super::log_mark::LogMark;
use super::migrate::{CURRENT_VERSION, FORUM_VERSION, Layout, RUNNER_VERSION};
use super::open::{self, Consent, FileLock, Prepared};
use super::{OpenError, Sqlite, migrate};
use crate::survey::{Migrated, Survey};

/// A file in one transaction, from its opening to its end.
pub struct SqliteArchive {
    // In this order: the mark is removed before SQLite removes the log, and the lock is let go of
    // last.
    _mark: Option<LogMark>,
    pub(super) conn: Connection,
    _lock: Option<FileLock>,
}

impl Sqlite {
    /// What the file holds. A server may hold it meanwhile; neither disturbs the other.
    pub fn survey(path: &Path) -> Result<Survey, OpenError> {
        let conn = snapshot(path)?;
        let layout = migrate::look(&conn, path)?.version();
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
        let size = |ending| fs::metadata(open::beside(path, ending)).map_or(0, |file| file.len());
        Ok(Survey {
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

    /// Brings the file to the layout of this build. No server may hold it.
    pub fn migrate(path: &Path) -> Result<Migrated, OpenError> {
        Self::migrate_reporting(path, Consent::default(), &mut |_| {})
    }

    /// As [`Self::migrate`]. `report` hears of each step if an earlier server's database is carried
    /// over.
    pub fn migrate_reporting(
        path: &Path,
        consent: Consent,
        report: &mut dyn FnMut(CarryOverEvent),
    ) -> Result<Migrated, OpenError> {
        if !path.exists() {
            return Err(OpenError::Absent(path.to_owned()));
        }
        let prepared = open::prepare(&open::true_path(path)?, consent, report)?;
        Ok(Migrated { from: prepared.found.version(), to: CURRENT_VERSION })
    }

    /// All that is there now, whatever a server writes meanwhile.
    pub fn read(path: &Path) -> Result<SqliteArchive, OpenError> {
        let conn = snapshot(path)?;
        needs_current(path, migrate::look(&conn, path)?)?;
        Ok(SqliteArchive { _mark: None, conn, _lock: None })
    }

    /// A file to be filled; made when absent. What is refused is not touched.
    pub fn fill(path: &Path) -> Result<SqliteArchive, OpenError> {
        if path.exists() {
            if open::beside(path, "-journal").exists() {
                open::recover(&open::true_path(path)?, Consent::default())?;
            }
            let found = Self::survey(path)?;
            let runs = found.runs + found.turns;
            if found.debates + found.arguments + runs + found.agents + found.posts > 0 {
                return Err(OpenError::NotEmpty(path.to_owned()));
            }
            if let Some(version) = found.layout {
                needs_current(path, Layout::Version(version))?;
            }
        }
        let path = open::true_path(path)?;
        let Prepared { mark, conn, lock, .. } =
            open::prepare(&path, Consent::default(), &mut |_| {})?;
        conn.execute_batch("begin immediate")?;
        Ok(SqliteArchive { _mark: Some(mark), conn, _lock: Some(lock) })
    }
}

#[async_trait]
impl Vault for SqliteArchive {
    async fn commit(&mut self) -> Result<(), StoreError> {
        let noted = note_times(&self.conn);
        let committed = noted.and_then(|()| self.conn.execute_batch("commit")).and_then(|()| {
            // Ours, not the one at closing, whose failures nobody hears of.
            self.conn.query_row("pragma wal_checkpoint(truncate)", [], |_| Ok(()))
        });
        committed.map_err(|err| Fault::from(err).0)
    }
}

/// One view of the file.
fn snapshot(path: &Path) -> Result<Connection, OpenError> {
    let conn = open::visitor(path)?;
    conn.execute_batch("begin")?;
    // The view begins with the first read.
    conn.query_row("select count(*) from sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    Ok(conn)
}

fn needs_current(path: &Path, found: Layout) -> Result<(), OpenError> {
    let (path, known) = (path.to_owned(), CURRENT_VERSION);
    match found.version().unwrap_or_default() {
        CURRENT_VERSION => Ok(()),
        found if found > CURRENT_VERSION => Err(OpenError::Newer { found, known }),
        found => Err(OpenError::Older { path, found, known }),
    }
}
