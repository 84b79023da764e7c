//! SQLite inside the process: one writing thread with group commit, a few readers with snapshots.

mod archive;
mod arena;
mod backup;
mod capacity;
mod check;
mod checkpointer;
mod database_file;
mod engine;
mod error;
mod job;
mod legacy;
mod legacy_migration;
mod log_mark;
mod migrate;
mod open;
mod open_error;
mod owners;
mod readers;
mod regular_file;
mod slugs;
mod writer;

use std::fs;
use std::path::PathBuf;
use std::sync::Arc;

use async_trait::async_trait;
use debate_app::{MemoryWindows, Notifier, RateWindows, Storage, StorageStatus, StoreError};
use debate_core::{Charge, RateDecision};
use jiff::Timestamp;

pub(crate) use archive::SqliteArchive;
pub use backup::{Backup, BackupError};
pub use legacy::{LossyMigration, RowProblem};
pub use legacy_migration::{LegacyMigrationEvent, LegacyMigrationSummary};
pub use open::Consent;
pub use open_error::OpenError;

use capacity::Capacity;
use check::BackgroundCheck;
use database_file::DatabaseFile;
use open::{FileLock, PreparedFile};
use readers::Readers;
use writer::{Writer, WriterConnection};

use crate::arena::SEARCH_QUEUE_MAX;
use crate::engine::Store;
use crate::storage_health::{DamagedDebates, StorageHealth};

/// Connections for pages of lists.
const LIST_CONNECTIONS: usize = 2;

/// Connections for searches. A search reads every debate, so searches have connections of their
/// own and no list waits behind one.
const SEARCH_CONNECTIONS: usize = 2;

/// The path of a database file, and the limits of connections, queues and disk space.
#[derive(Debug, Clone)]
pub struct SqliteOptions {
    /// The database file; created if it does not exist.
    pub path: PathBuf,
    /// Number of connections for reads.
    pub readers: usize,
    /// Maximum number of queued writes.
    pub queue_max: usize,
    /// Maximum number of writes that share one commit.
    pub batch_max: usize,
    /// Length of the write-ahead log, in bytes, at which the store logs a warning.
    pub wal_warn_bytes: u64,
    /// Length of the write-ahead log, in bytes, at which writes fail with `StoreError::WalFull`.
    pub wal_bytes_max: u64,
    /// Free bytes of the file system below which writes fail with `StoreError::Full`; 0
    /// turns the check off.
    pub free_bytes_min: u64,
    /// The risks that the operator accepts.
    pub consent: Consent,
}

impl SqliteOptions {
    /// The options for the file at `path` with default limits.
    #[must_use]
    pub const fn at(path: PathBuf) -> Self {
        Self {
            path,
            readers: 4,
            queue_max: 4096,
            batch_max: 512,
            wal_warn_bytes: 256 << 20,
            wal_bytes_max: 1 << 30,
            free_bytes_min: 64 << 20,
            consent: Consent { database_as_is: false, carry_over: false },
        }
    }
}

/// A SQLite file as a store.
pub type Sqlite = Store<SqliteEngine>;

/// The connections to a SQLite file.
pub struct SqliteEngine {
    /// Ends before the connections that it runs beside.
    _check: Option<BackgroundCheck>,
    // Dropped in this order: the writer closes last, because only the last connection copies the
    // log into the file. The lock is released after that.
    readers: Arc<Readers>,
    /// For pages of lists, which take longer than a short read.
    list_readers: Arc<Readers>,
    /// For searches, which take longer than a list. Its queue is bounded.
    search_readers: Arc<Readers>,
    writer: Writer,
    damaged: Arc<DamagedDebates>,
    /// The write-ahead log beside the file.
    wal: PathBuf,
    windows: MemoryWindows,
    _lock: FileLock,
}

impl Sqlite {
    /// Opens the file, creates or migrates its schema, and starts the writer.
    pub fn open(options: &SqliteOptions, notifier: Arc<Notifier>) -> Result<Self, OpenError> {
        Self::open_reporting(options, notifier, &mut |_| {})
    }

    /// As [`Self::open`]. `report` receives each step of the migration of
    /// an original server's database.
    pub fn open_reporting(
        options: &SqliteOptions,
        notifier: Arc<Notifier>,
        report: &mut dyn FnMut(LegacyMigrationEvent),
    ) -> Result<Self, OpenError> {
        // Links are followed: the lock and the log are beside the file itself.
        let path = open::resolve_path(&options.path)?;
        let needs_check = check::is_needed(&path);
        let PreparedFile { mark, conn, lock, .. } = open::prepare(&path, options.consent, report)?;
        let health = Arc::new(StorageHealth::default());
        let readers = Arc::new(Readers::open(&path, options.readers, &health)?);
        let list_readers = Arc::new(Readers::open(&path, LIST_CONNECTIONS, &health)?);
        let search_readers = Readers::open(&path, SEARCH_CONNECTIONS, &health)?;
        let search_readers = Arc::new(search_readers.with_queue_max(SEARCH_QUEUE_MAX));
        let (checkpoint_conn, file) = (open::writer(&path)?, DatabaseFile::new(&path, &conn)?);
        let damaged = Arc::new(DamagedDebates::default());
        let check = needs_check.then(|| {
            let (health, damaged) = (Arc::clone(&health), Arc::clone(&damaged));
            BackgroundCheck::start(&path, options.wal_warn_bytes, health, damaged)
        });
        let wal = open::sibling(&path, "-wal");
        let capacity = Capacity::new(&path, options);
        let marked = WriterConnection { mark, conn };
        let writer =
            Writer::start(marked, checkpoint_conn, (file, capacity), health, notifier, options)?;
        Ok(Store(SqliteEngine {
            _check: check.transpose()?,
            readers,
            list_readers,
            search_readers,
            writer,
            damaged,
            wal,
            windows: MemoryWindows::default(),
            _lock: lock,
        }))
    }
}

impl Storage for Sqlite {
    fn status(&self) -> StorageStatus {
        StorageStatus {
            engine: format!("sqlite {}", rusqlite::version()),
            failure: self.0.writer.failure(),
            damaged: self.0.damaged.count(),
            // None only while the log was moved or deleted, which `failure` reports.
            wal_bytes: fs::metadata(&self.0.wal).ok().map(|wal| wal.len()),
        }
    }
}

/// One process has the file open, so rate windows are in memory: counting a request writes nothing,
/// and reads continue while the disk is full.
#[async_trait]
impl RateWindows for Sqlite {
    async fn admit(
        &self,
        charges: &[Charge],
        at: Timestamp,
    ) -> Result<Option<RateDecision>, StoreError> {
        self.0.windows.admit(charges, at).await
    }
}

#[cfg(test)]
mod tests {
    use std::sync::mpsc::{Receiver, Sender, channel};
    use std::time::Duration;

    use debate_app::arena::{ArenaError, ArenaStore};
    use debate_app::forum::ForumStore;
    use debate_app::runner::RunnerStore;
    use debate_app::{StoreError, WaiterLimits};
    use debate_core::arena::{ListFilter, ListQuery, ListStart};
    use debate_core::forum::{PageLimit, ProblemQuery, Viewer};
    use debate_core::runner::RunQuery;
    use debate_core::{Limit, Offset, SearchText};
    use futures_util::FutureExt;
    use tempfile::TempDir;
    use tokio::task::JoinSet;
    use tokio::time::timeout;

    use super::*;

    fn store() -> (TempDir, Sqlite) {
        let folder = tempfile::tempdir().expect("there is room for temporary files");
        let notifier = Notifier::new(WaiterLimits { waiters_max: 1, waiters_per_debate_max: 1 });
        let options = SqliteOptions::at(folder.path().join("debate.db"));
        let store = Sqlite::open(&options, notifier).expect("an empty folder can be used");
        (folder, store)
    }

    fn query(search: Option<&str>) -> ListQuery {
        let search = search.map(|text| SearchText::new(text).expect("it is short"));
        let start = ListStart::At(Offset::default());
        ListQuery { filter: ListFilter::Any, search, name: None, start, limit: Limit::DEFAULT }
    }

    /// Searches that run until the returned senders are dropped, on every search connection.
    async fn occupy_search_connections(
        store: &Sqlite,
        running: &mut JoinSet<Result<(), StoreError>>,
    ) -> Vec<Sender<()>> {
        let mut ends = Vec::new();
        for _ in 0..SEARCH_CONNECTIONS {
            let (end, ended): (_, Receiver<()>) = channel();
            let (begin, begun) = tokio::sync::oneshot::channel();
            let readers = Arc::clone(&store.0.search_readers);
            running.spawn(async move {
                let search = move |_: &rusqlite::Connection| {
                    let _ = begin.send(());
                    let _ = ended.recv();
                    Ok(())
                };
                readers.long(search).await
            });
            begun.await.expect("a connection is free");
            ends.push(end);
        }
        ends
    }

    #[tokio::test]
    async fn lists_answer_while_every_search_connection_is_in_use() {
        let (_folder, store) = store();
        let mut running = JoinSet::new();
        let ends = occupy_search_connections(&store, &mut running).await;
        let lists = async {
            ArenaStore::list(&store, query(None)).await.expect("debates are listed");
            let runs = RunQuery { status: None, after: None, limit: Limit::DEFAULT };
            RunnerStore::list(&store, runs).await.expect("runs are listed");
            let problems = ProblemQuery {
                viewer: Viewer::Anonymous,
                author: None,
                status: None,
                after: None,
                limit: PageLimit::DEFAULT,
            };
            store.problems(problems).await.expect("problems are listed");
        };
        timeout(Duration::from_mins(1), lists).await.expect("lists do not wait for searches");
        drop(ends);
        running.join_all().await;
    }

    #[tokio::test]
    async fn searches_over_the_bound_of_the_queue_are_refused() {
        let (_folder, store) = store();
        let store = Arc::new(store);
        let mut running = JoinSet::new();
        let ends = occupy_search_connections(&store, &mut running).await;
        let mut waiting = Vec::new();
        for _ in 0..SEARCH_QUEUE_MAX {
            let mut search = Box::pin(ArenaStore::list(&*store, query(Some("motion"))));
            assert!((&mut search).now_or_never().is_none());
            waiting.push(search);
        }
        let refused = ArenaStore::list(&*store, query(Some("motion"))).await;
        assert!(matches!(refused, Err(ArenaError::Store(StoreError::Overloaded))), "{refused:?}");
        // A client that disconnects frees its slot in the queue.
        waiting.pop();
        let mut search = Box::pin(ArenaStore::list(&*store, query(Some("motion"))));
        assert!((&mut search).now_or_never().is_none());
        waiting.push(search);
        drop(ends);
        for search in waiting {
            search.await.expect("an admitted search is answered");
        }
    }
}
