//! Opening the file: private to its user, ours alone, of a layout this build knows.

use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::carry_over::{CarryOver, CarryOverEvent};
use super::log_mark::{self, LogMark};
use super::migrate::{self, Inspected, Layout};
use super::open_error::OpenError;
use super::{owners, regular};

/// How long a write waits for a lock that someone else holds; SQLite tries again with back-off.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The oldest SQLite that can't corrupt a WAL database under two connections.
const SQLITE_VERSION_LEAST: i32 = 3_051_003;

/// What the operator has agreed to. The default is nothing.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Consent {
    /// Opens the file although the log that a killed server left is missing or another file.
    pub database_as_is: bool,
    /// The earlier server is stopped: its database may be carried over. Needed only where the
    /// system does not show which programs have a file open.
    pub carry_over: bool,
}

/// Held as long as the database is open; the system lets go of it when the process dies.
///
/// Its name is locked, by a file beside it, so that whatever is put there belongs to one server;
/// and it is locked itself, since it may have other names. The name comes first: once SQLite has
/// the file open, nobody in this process may open and close it, or SQLite's own locks go.
pub(super) struct FileLock {
    _name: File,
    file: File,
}

/// A file that is locked, checked, in write-ahead mode and of the current layout.
pub(super) struct Prepared {
    // Dropped in this order: the mark goes before SQLite removes the log, the lock goes last.
    pub(super) mark: LogMark,
    pub(super) conn: Connection,
    pub(super) lock: FileLock,
    /// The layout before.
    pub(super) found: Layout,
}

/// Opens the file for writing. The order keeps a kill at any moment from leaving a file that can't
/// be opened, and leaves a refused file untouched; rolling back an interrupted change does not
/// count as touching.
pub(super) fn prepare(
    path: &Path,
    consent: Consent,
    report: &mut dyn FnMut(CarryOverEvent),
) -> Result<Prepared, OpenError> {
    if rusqlite::version_number() < SQLITE_VERSION_LEAST {
        return Err(OpenError::OldSqlite(rusqlite::version()));
    }
    let lock = recover(path, consent)?;
    // Looked at without the right to write, so that what is refused is not touched.
    let Inspected { layout: found, legacy } = migrate::inspect(path, report)?;
    let carry_over = match legacy {
        Some(survey) => {
            owners::refuse_owned(path, &lock.file, consent)?;
            Some(CarryOver::back_up(path, survey, report)?)
        }
        None => None,
    };
    make_private(path, &lock.file)?;
    // Write-ahead mode first: in any other, a kill in the middle of the migration leaves a file
    // that can't be read without the right to write.
    let mut conn = configured(connect(path)?, path)?;
    conn.query_row("select count(*) from sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    let mark = LogMark::write(path)?;
    migrate::bring_up_to_date(&mut conn, found, report)?;
    if let Some(carry_over) = carry_over {
        carry_over.finish(report);
    }
    Ok(Prepared { mark, conn, lock, found })
}

/// Locks a regular file, made when absent, whose log is as a killed server left it, and rolls back
/// an interrupted change.
pub(super) fn recover(path: &Path, consent: Consent) -> Result<FileLock, OpenError> {
    regular::check(path)?;
    let lock = lock(path)?;
    log_mark::check(path, consent)?;
    if beside(path, "-journal").exists() {
        owners::refuse_seen(path, &lock.file)?;
        let conn = opened(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        conn.query_row("select count(*) from sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    }
    Ok(lock)
}

/// One more connection to a file that was prepared, for another thread.
pub(super) fn writer(path: &Path) -> Result<Connection, OpenError> {
    configured(connect(path)?, path)
}

fn connect(path: &Path) -> Result<Connection, OpenError> {
    opened(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
}

fn opened(path: &Path, flags: OpenFlags) -> Result<Connection, OpenError> {
    let conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    // One plan for a statement, whatever is bound: else some are planned anew each time, which
    // takes longer than what they do.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(conn)
}

fn configured(conn: Connection, path: &Path) -> Result<Connection, OpenError> {
    let mode: String = conn.query_row("pragma journal_mode = wal", [], |row| row.get(0))?;
    if mode != "wal" {
        return Err(OpenError::NoLog(path.to_owned()));
    }
    conn.execute_batch(
        "pragma synchronous = full;
         pragma foreign_keys = on;
         pragma cache_size = -8192;
         pragma temp_store = memory;
         pragma wal_autocheckpoint = 0;
         pragma journal_size_limit = 67108864;",
    )?;
    conn.set_prepared_statement_cache_capacity(192);
    Ok(conn)
}

/// A connection that can only read.
pub(super) fn reader(path: &Path) -> Result<Connection, OpenError> {
    reading(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// A connection that only reads, for whoever comes and goes while others may hold the file.
///
/// SQLite puts a log and an index beside a file that is read. A connection that may not write would
/// leave them there, so this one may, where they are not there yet; it takes them along at its end.
/// Where they are, it may not: at its end it would fold in a log that a killed server left.
pub(super) fn visitor(path: &Path) -> Result<Connection, OpenError> {
    if !path.exists() {
        return Err(OpenError::Absent(path.to_owned()));
    }
    if ["-wal", "-journal"].iter().any(|ending| beside(path, ending).exists()) {
        return reader(path);
    }
    let conn = reading(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    conn.execute_batch("pragma query_only = on")?;
    Ok(conn)
}

fn reading(path: &Path, flags: OpenFlags) -> Result<Connection, OpenError> {
    let conn = opened(path, flags)?;
    conn.execute_batch("pragma cache_size = -8192; pragma temp_store = memory;")?;
    conn.set_prepared_statement_cache_capacity(192);
    Ok(conn)
}

/// Where the file really is, links followed; its folder is made when absent.
pub(super) fn true_path(path: &Path) -> Result<PathBuf, OpenError> {
    make_folder(path)?;
    match fs::metadata(path) {
        Ok(_) => return fs::canonicalize(path).map_err(at(path)),
        Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(at(path)(err)),
        Err(_) => {}
    }
    // A link may lead to a file that is not there yet. (One that leads to itself is an error.)
    if let Ok(target) = fs::read_link(path) {
        return true_path(&folder_of(path).join(target));
    }
    let folder = fs::canonicalize(folder_of(path)).map_err(at(path))?;
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
    Ok(folder.join(path.file_name().ok_or_else(no_name).map_err(at(path))?))
}

fn make_folder(path: &Path) -> Result<(), OpenError> {
    let folder = folder_of(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(at(folder))
}

fn lock(path: &Path) -> Result<FileLock, OpenError> {
    let held = |found: &Path| {
        let file = regular::open(found)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse(path.to_owned())),
            Err(TryLockError::Error(source)) => Err(at(found)(source)),
        }
    };
    Ok(FileLock { _name: held(&beside(path, ".lock"))?, file: held(path)? })
}

/// SQLite makes its log and index with the file's own mode; those that are there already may have
/// an older one.
fn make_private(path: &Path, file: &File) -> Result<(), OpenError> {
    let private = || Permissions::from_mode(0o600);
    file.set_permissions(private()).map_err(at(path))?;
    for beside in [beside(path, "-wal"), beside(path, "-shm")] {
        if fs::symlink_metadata(&beside).is_ok_and(|found| found.is_file()) {
            fs::set_permissions(&beside, private()).map_err(at(&beside))?;
        }
    }
    Ok(())
}

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Makes the names in a file's folder last.
pub(super) fn sync_folder_of(path: &Path) -> Result<(), OpenError> {
    let folder = folder_of(path);
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(at(folder))
}

fn folder_of(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

pub(super) fn at(path: &Path) -> impl FnOnce(io::Error) -> OpenError {
    let path = path.to_owned();
    move |source| OpenError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_keeps_one_plan_for_a_statement() {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let path = folder.path().join("debate.db");
        let first = prepare(&path, Consent::default(), &mut |_| {}).expect("it can be made");
        let others = [writer(&path), reader(&path), visitor(&path)];
        let others = others.into_iter().map(|conn| conn.expect("it is there"));
        for conn in others.chain([first.conn]) {
            let kept = conn.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG);
            assert_eq!(kept, Ok(true));
        }
    }
}
