//! Opening the file: private to its user, locked against other servers, of a known schema version.

use std::fs::{self, DirBuilder, File, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::legacy_migration::{LegacyMigration, LegacyMigrationEvent};
use super::log_mark::{self, LogMark};
use super::migrate::{self, FileSchema, InspectedFile};
use super::open_error::OpenError;
use super::{owners, regular_file};

/// Maximum wait for a lock of another connection; SQLite retries with back-off.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The oldest SQLite that cannot corrupt a WAL database under two connections.
const SQLITE_VERSION_MIN: i32 = 3_051_003;

/// Risks that the operator accepts. The default accepts none.
#[derive(Debug, Clone, Copy, Default, PartialEq, Eq)]
pub struct Consent {
    /// Opens the file although the log that a killed server left is missing or replaced.
    pub database_as_is: bool,
    /// The original server is stopped, so that its database may be migrated. Needed only where the
    /// system does not show which programs have a file open.
    pub carry_over: bool,
}

/// Locks that are held as long as the database is open; the system releases them
/// when the process ends.
///
/// The path is locked by a file beside it, so that a file that is put there belongs to one
/// server. The file is locked too, because it may have other paths. The path comes first:
/// once SQLite has the file open, this process must not open and close it, because that
/// would release SQLite's locks.
pub(super) struct FileLock {
    _name: File,
    file: File,
}

/// A file that is locked, checked, in write-ahead mode and of the current schema version.
pub(super) struct PreparedFile {
    // Dropped in this order: the mark is removed before SQLite removes the log, the lock is
    // released last.
    pub(super) mark: LogMark,
    pub(super) conn: Connection,
    pub(super) lock: FileLock,
    /// The layout before the migration.
    pub(super) found: FileSchema,
}

/// Opens the file for writing and migrates it. After a kill at any moment the file can be opened. A
/// file that is refused is unchanged, except that an interrupted transaction was rolled back.
pub(super) fn prepare(
    path: &Path,
    consent: Consent,
    report: &mut dyn FnMut(LegacyMigrationEvent),
) -> Result<PreparedFile, OpenError> {
    if rusqlite::version_number() < SQLITE_VERSION_MIN {
        return Err(OpenError::OldSqlite(rusqlite::version()));
    }
    let lock = recover(path, consent)?;
    // Opened without the right to write, so that a file that is refused is not changed.
    let InspectedFile { layout: found, legacy } = migrate::inspect(path, report)?;
    let migration = match legacy {
        Some(summary) => {
            owners::refuse_owned(path, &lock.file, consent)?;
            Some(LegacyMigration::back_up(path, summary, report)?)
        }
        None => None,
    };
    make_private(path, &lock.file)?;
    // Write-ahead mode first: in another mode, a kill during the migration leaves a file that
    // cannot be read without the right to write.
    let mut conn = configure(connect(path)?, path)?;
    conn.query_row("select count(*) from sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    let mark = LogMark::write(path)?;
    migrate::migrate(&mut conn, found, report)?;
    if let Some(migration) = migration {
        migration.finish(report);
    }
    Ok(PreparedFile { mark, conn, lock, found })
}

/// Locks the file, creates it if it does not exist, checks that its log is the one that a killed
/// server left, and rolls back an interrupted transaction.
pub(super) fn recover(path: &Path, consent: Consent) -> Result<FileLock, OpenError> {
    regular_file::check(path)?;
    let lock = lock(path)?;
    log_mark::check(path, consent)?;
    if sibling(path, "-journal").exists() {
        owners::refuse_known_owner(path, &lock.file)?;
        let conn = open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
        conn.query_row("select count(*) from sqlite_schema", [], |row| row.get::<_, i64>(0))?;
    }
    Ok(lock)
}

/// Another connection to a prepared file, for another thread.
pub(super) fn writer(path: &Path) -> Result<Connection, OpenError> {
    configure(connect(path)?, path)
}

fn connect(path: &Path) -> Result<Connection, OpenError> {
    open_with(path, OpenFlags::SQLITE_OPEN_READ_WRITE | OpenFlags::SQLITE_OPEN_CREATE)
}

fn open_with(path: &Path, flags: OpenFlags) -> Result<Connection, OpenError> {
    let conn = Connection::open_with_flags(path, flags | OpenFlags::SQLITE_OPEN_NO_MUTEX)?;
    conn.busy_timeout(BUSY_TIMEOUT)?;
    // One plan for each statement, whatever values are bound. Otherwise SQLite plans some
    // statements again for each execution, which takes longer than the execution.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    Ok(conn)
}

fn configure(conn: Connection, path: &Path) -> Result<Connection, OpenError> {
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

/// A read-only connection of the server.
pub(super) fn reader(path: &Path) -> Result<Connection, OpenError> {
    open_reader(path, OpenFlags::SQLITE_OPEN_READ_ONLY)
}

/// A connection that only reads, for a command that runs while a server may have the file open.
///
/// SQLite creates a log and an index beside a file that is read. A read-only connection would leave
/// them there. So this connection is read-only if a log exists, because a writable one would copy
/// the log of a killed server into the file when it closes; otherwise it may write, and removes the
/// log when it closes.
pub(super) fn transient_reader(path: &Path) -> Result<Connection, OpenError> {
    if !path.exists() {
        return Err(OpenError::Absent(path.to_owned()));
    }
    if ["-wal", "-journal"].iter().any(|ending| sibling(path, ending).exists()) {
        return reader(path);
    }
    let conn = open_reader(path, OpenFlags::SQLITE_OPEN_READ_WRITE)?;
    conn.execute_batch("pragma query_only = on")?;
    Ok(conn)
}

fn open_reader(path: &Path, flags: OpenFlags) -> Result<Connection, OpenError> {
    let conn = open_with(path, flags)?;
    conn.execute_batch("pragma cache_size = -8192; pragma temp_store = memory;")?;
    conn.set_prepared_statement_cache_capacity(192);
    Ok(conn)
}

/// The path of the file without links. Creates its folder if it does not exist.
pub(super) fn resolve_path(path: &Path) -> Result<PathBuf, OpenError> {
    create_parent(path)?;
    match fs::metadata(path) {
        Ok(_) => return fs::canonicalize(path).map_err(file_error(path)),
        Err(err) if err.kind() != io::ErrorKind::NotFound => return Err(file_error(path)(err)),
        Err(_) => {}
    }
    // A link may name a file that does not exist yet. A link to itself is an error.
    if let Ok(target) = fs::read_link(path) {
        return resolve_path(&parent(path).join(target));
    }
    let folder = fs::canonicalize(parent(path)).map_err(file_error(path))?;
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "the path names no file");
    Ok(folder.join(path.file_name().ok_or_else(no_name).map_err(file_error(path))?))
}

fn create_parent(path: &Path) -> Result<(), OpenError> {
    let folder = parent(path);
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(file_error(folder))
}

fn lock(path: &Path) -> Result<FileLock, OpenError> {
    let held = |found: &Path| {
        let file = regular_file::open(found)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse(path.to_owned())),
            Err(TryLockError::Error(source)) => Err(file_error(found)(source)),
        }
    };
    Ok(FileLock { _name: held(&sibling(path, ".lock"))?, file: held(path)? })
}

/// Makes the file private to its user. SQLite creates its log and index with the mode of the file;
/// those that exist may have an older mode.
fn make_private(path: &Path, file: &File) -> Result<(), OpenError> {
    let private = || Permissions::from_mode(0o600);
    file.set_permissions(private()).map_err(file_error(path))?;
    for sibling in [sibling(path, "-wal"), sibling(path, "-shm")] {
        if fs::symlink_metadata(&sibling).is_ok_and(|found| found.is_file()) {
            fs::set_permissions(&sibling, private()).map_err(file_error(&sibling))?;
        }
    }
    Ok(())
}

/// The path with an ending appended to the file name.
pub(super) fn sibling(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// Makes the names in the folder of a file durable.
pub(super) fn sync_parent(path: &Path) -> Result<(), OpenError> {
    let folder = parent(path);
    File::open(folder).and_then(|folder| folder.sync_all()).map_err(file_error(folder))
}

/// The folder of a file.
pub(super) fn parent(path: &Path) -> &Path {
    path.parent().filter(|folder| !folder.as_os_str().is_empty()).unwrap_or(Path::new("."))
}

/// Adds the path to an I/O error.
pub(super) fn file_error(path: &Path) -> impl FnOnce(io::Error) -> OpenError {
    let path = path.to_owned();
    move |source| OpenError::File { path, source }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn every_connection_keeps_one_plan_for_a_statement() {
        let folder = tempfile::tempdir().expect("the disk has space");
        let path = folder.path().join("debate.db");
        let first =
            prepare(&path, Consent::default(), &mut |_| {}).expect("the folder is writable");
        let others = [writer(&path), reader(&path), transient_reader(&path)];
        let others = others.into_iter().map(|conn| conn.expect("the file exists"));
        for conn in others.chain([first.conn]) {
            let kept = conn.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG);
            assert_eq!(kept, Ok(true));
        }
    }
}
