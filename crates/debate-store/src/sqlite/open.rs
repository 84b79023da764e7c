//! Opening the file: private to its user, ours alone, of a layout this build knows.

use std::fs::{self, DirBuilder, File, OpenOptions, Permissions, TryLockError};
use std::io;
use std::os::unix::fs::{DirBuilderExt, OpenOptionsExt, PermissionsExt};
use std::path::{Path, PathBuf};
use std::time::Duration;

use rusqlite::config::DbConfig;
use rusqlite::{Connection, OpenFlags};

use super::legacy::Unfaithful;
use super::migrate;

/// How long a write waits for a lock that someone else holds; SQLite tries again with back-off.
pub(super) const BUSY_TIMEOUT: Duration = Duration::from_secs(5);

/// The oldest SQLite that can't corrupt a WAL database under two connections.
const SQLITE_VERSION_LEAST: i32 = 3_051_003;

/// Why a database could not be opened. Each reads as one line that says what to do.
#[derive(Debug, thiserror::Error)]
pub enum OpenError {
    /// Another process has it.
    #[error(
        "{} is in use by another aw process; stop that one, or choose another file with --db-path",
        .0.display()
    )]
    InUse(PathBuf),
    /// A later version of this program wrote it.
    #[error(
        "the database has layout version {found}, this build knows versions up to {known}; \
         it was not touched: use a newer aw"
    )]
    Newer {
        /// The version found.
        found: i64,
        /// The newest version this build knows.
        known: i64,
    },
    /// It holds other things than debates.
    #[error("{} is a database of something else; choose another file with --db-path", .0.display())]
    NotOurs(PathBuf),
    /// It was made by an earlier server and can't be carried over without changing its meaning.
    #[error("the older database can't be carried over faithfully and was not touched: {0}")]
    Unfaithful(#[from] Unfaithful),
    /// There is no file.
    #[error("there is no database {}; aw serve makes one, or give another path", .0.display())]
    Absent(PathBuf),
    /// It must be brought up to date before it can be used for this.
    #[error(
        "{} has layout version {found} and {known} is needed; bring it up to date first: \
         aw db migrate --db-path {}", path.display(), path.display()
    )]
    Older {
        /// Which file.
        path: PathBuf,
        /// The version found; 0 when there is none yet.
        found: i64,
        /// The version needed.
        known: i64,
    },
    /// It was meant to be filled, and is not empty.
    #[error("{} holds debates already and was not touched; give another path", .0.display())]
    NotEmpty(PathBuf),
    /// The built-in SQLite is older than it must be.
    #[error("this build contains SQLite {0}, which can corrupt a database; 3.51.3 is needed")]
    OldSqlite(&'static str),
    /// The file system said no.
    #[error("cannot use {}", path.display())]
    File {
        /// What was tried.
        path: PathBuf,
        /// Why not.
        source: io::Error,
    },
    /// The writer thread could not be started.
    #[error("cannot start the writer thread")]
    Thread(#[from] io::Error),
    /// SQLite said no.
    #[error("SQLite cannot open the database")]
    Sqlite(#[from] rusqlite::Error),
}

/// Held as long as the database is open; the system lets go of it when the process dies.
///
/// Its name is locked, by a file beside it, so that whatever is put there belongs to one server;
/// and it is locked itself, since it may have other names. The name comes first: once SQLite has
/// the file open, nobody in this process may open and close it, or SQLite's own locks go.
pub(super) struct FileLock {
    _name: File,
    _file: File,
}

/// The writing connection, with everything in place behind it.
pub(super) fn prepare(path: &Path) -> Result<(FileLock, Connection), OpenError> {
    if rusqlite::version_number() < SQLITE_VERSION_LEAST {
        return Err(OpenError::OldSqlite(rusqlite::version()));
    }
    let lock = lock(path)?;
    // Looked at without the right to write, so that what is refused is not touched.
    let found = migrate::inspect(path)?;
    make_private(path)?;
    let mut conn = connect(path)?;
    migrate::bring_up_to_date(&mut conn, found)?;
    Ok((lock, configured(conn)?))
}

/// One more connection to a file that was prepared, for another thread.
pub(super) fn writer(path: &Path) -> Result<Connection, OpenError> {
    configured(connect(path)?)
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

fn configured(conn: Connection) -> Result<Connection, OpenError> {
    conn.execute_batch(
        "pragma journal_mode = wal;
         pragma synchronous = full;
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
    if path.exists() {
        return fs::canonicalize(path).map_err(at(path));
    }
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let folder = fs::canonicalize(folder.unwrap_or(Path::new("."))).map_err(at(path))?;
    let no_name = || io::Error::new(io::ErrorKind::InvalidInput, "it names no file");
    Ok(folder.join(path.file_name().ok_or_else(no_name).map_err(at(path))?))
}

fn make_folder(path: &Path) -> Result<(), OpenError> {
    let folder = path.parent().filter(|folder| !folder.as_os_str().is_empty());
    let Some(folder) = folder else { return Ok(()) };
    DirBuilder::new().recursive(true).mode(0o700).create(folder).map_err(at(folder))
}

fn lock(path: &Path) -> Result<FileLock, OpenError> {
    let held = |found: &Path| {
        let file = private(found)?;
        match file.try_lock() {
            Ok(()) => Ok(file),
            Err(TryLockError::WouldBlock) => Err(OpenError::InUse(path.to_owned())),
            Err(TryLockError::Error(source)) => Err(at(found)(source)),
        }
    };
    Ok(FileLock { _name: held(&beside(path, ".lock"))?, _file: held(path)? })
}

/// SQLite makes its log and index with the file's own mode; those that are there already may have
/// an older one.
fn make_private(path: &Path) -> Result<(), OpenError> {
    private(path)?;
    for file in [path.to_owned(), beside(path, "-wal"), beside(path, "-shm")] {
        if file.exists() {
            fs::set_permissions(&file, Permissions::from_mode(0o600)).map_err(at(&file))?;
        }
    }
    Ok(())
}

pub(super) fn beside(path: &Path, ending: &str) -> PathBuf {
    let mut name = path.as_os_str().to_owned();
    name.push(ending);
    PathBuf::from(name)
}

/// A file that only its user may read, made when absent.
pub(super) fn private(path: &Path) -> Result<File, OpenError> {
    let mut options = OpenOptions::new();
    options.read(true).write(true).create(true).truncate(false).mode(0o600);
    options.open(path).map_err(at(path))
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
        let (_lock, first) = prepare(&path).expect("it can be made");
        let others = [writer(&path), reader(&path), visitor(&path)];
        for conn in others.into_iter().map(|conn| conn.expect("it is there")).chain([first]) {
            let kept = conn.db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG);
            assert_eq!(kept, Ok(true));
        }
    }
}
