//! PostgreSQL outside the process: several server processes on one database.
//!
//! Batch writers, which each own a connection, execute the arena's writes. The writes of the runner
//! and the forum are transactions on connections of a pool. Reads use another pool, and each sees
//! one snapshot. One connection listens for the notifications of other processes.

mod archive;
mod arena;
mod batch_session;
mod batch_writer;
mod connection;
mod engine;
mod error;
mod health;
mod hosts;
mod limits;
mod listen;
mod migrate;
mod pool;
mod pooler;
mod probe;
mod rate;
mod readers;
mod round_trip;
mod server;
mod slugs;
mod tls;
mod values;
mod writers;

use std::sync::Arc;
use std::time::Duration;

use debate_app::{Notifier, Storage, StorageStatus};

use crate::arena::SEARCH_QUEUE_MAX;
use crate::engine::Store;
use crate::storage_health::DamagedDebates;

pub(crate) use archive::PostgresArchive;
use batch_writer::BatchWriters;
use connection::AbortOnDrop;
use health::WriteHealth;
use listen::Listener;
use probe::WriteProbe;
use rate::CachedRefusals;
use readers::Readers;
use server::Server;
use writers::{CommitObservers, Writers};

/// Connections for pages of lists.
const LIST_CONNECTIONS: usize = 2;

/// Connections for searches. A search reads every debate, so searches have connections of their
/// own and no list waits behind one.
const SEARCH_CONNECTIONS: usize = 2;

/// The URL of a database, and the limits of connections and queues.
#[derive(Clone)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database`, as libpq takes it.
    pub url: String,
    /// Number of connections for reads.
    pub readers: usize,
    /// Number of batch writers, which write to the arena with a connection each.
    pub batch_writers: usize,
    /// Number of connections for the writes of the runner and the forum.
    pub writers: usize,
    /// Maximum number of queued writes per batch writer.
    pub queue_max: usize,
    /// Maximum number of writes that share one commit.
    pub batch_max: usize,
    /// Maximum wait for an answer of the server, and for a connection to each of its hosts. A
    /// connection that takes longer is closed, and the next host of the URL is tried.
    pub deadline: Duration,
}

impl PostgresOptions {
    /// The options for the database at `url` with default limits.
    #[must_use]
    pub const fn at(url: String) -> Self {
        let (readers, batch_writers, writers) = (8, 2, 4);
        let (queue_max, batch_max, deadline) = (4096, 512, limits::DEADLINE);
        Self { url, readers, batch_writers, writers, queue_max, batch_max, deadline }
    }
}

/// The reason why a database cannot be used. Each message says what to do.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The URL cannot be parsed.
    #[error("invalid PostgreSQL URL: {0}; expected postgres://user:password@host:5432/database")]
    Url(String),
    /// The TLS configuration is invalid, such as an unreadable `sslrootcert`.
    #[error("cannot set up TLS: {0}")]
    Tls(String),
    /// The server's certificate is not trusted, or the server does not support TLS.
    #[error(
        "no secure connection to PostgreSQL at {server}: {message}; check sslmode and sslrootcert \
         in the URL, and the server's certificate"
    )]
    Insecure {
        /// Hosts, ports and database of the URL.
        server: String,
        /// The error of the driver, with its causes.
        message: String,
    },
    /// No host of the URL accepts connections.
    #[error(
        "cannot reach PostgreSQL at {server}: {message}; check that it is running at this address"
    )]
    Unreachable {
        /// Hosts, ports and database of the URL.
        server: String,
        /// The error of the driver, with its causes.
        message: String,
    },
    /// The user or the password is wrong.
    #[error(
        "PostgreSQL at {server} rejected the login of {user}: {message}; check the user and the \
         password in the URL"
    )]
    Denied {
        /// Hosts, ports and database of the URL.
        server: String,
        /// The user in the URL.
        user: String,
        /// The error of the server, with its causes.
        message: String,
    },
    /// The server has no database of this name.
    #[error("the database {server} does not exist; create it with createdb, or with psql")]
    NoDatabase {
        /// Hosts, ports and database of the URL.
        server: String,
    },
    /// The user lacks privileges to create or use the tables.
    #[error(
        "{user} lacks privileges in {server}: {message}; make {user} the owner of the database, or \
         grant it create on the schema and all on the tables"
    )]
    NoRights {
        /// Hosts, ports and database of the URL.
        server: String,
        /// The user in the URL.
        user: String,
        /// The error of the server, with its causes.
        message: String,
    },
    /// The version of PostgreSQL is not supported any more.
    #[error("PostgreSQL {found} is too old; aw requires 14 or newer")]
    TooOld {
        /// The version of the server.
        found: String,
    },
    /// A pooler shares connections between transactions, so that `LISTEN`
    /// and prepared statements fail.
    #[error(
        "{server} is behind a connection pooler in transaction mode, such as PgBouncer with \
         pool_mode=transaction; aw requires session mode: use pool_mode=session, or the address of \
         PostgreSQL itself"
    )]
    Pooled {
        /// Hosts, ports and database of the URL.
        server: String,
    },
    /// The database contains the tables of another program.
    #[error("the tables in {server} belong to another program; choose another database")]
    NotOurs {
        /// Hosts, ports and database of the URL.
        server: String,
    },
    /// A later version of aw migrated the database.
    #[error(
        "the database has schema version {found}, and this aw supports up to version {known}; use \
         a newer aw"
    )]
    Newer {
        /// The schema version of the database.
        found: i64,
        /// The newest schema version that this build supports.
        known: i64,
    },
    /// The operation needs the current schema version.
    #[error(
        "{server} has schema version {found}, and version {known} is required; migrate it first: \
         set DEBATE_DATABASE_URL to its URL and run aw db migrate"
    )]
    Older {
        /// Hosts, ports and database of the URL.
        server: String,
        /// The schema version of the database; 0 for an empty database.
        found: i64,
        /// The schema version that is needed.
        known: i64,
    },
    /// Any other error of the server.
    #[error("PostgreSQL at {server} returned an error: {message}")]
    Failed {
        /// Hosts, ports and database of the URL.
        server: String,
        /// The error of the server, with its causes.
        message: String,
    },
}

/// A PostgreSQL database as a store.
pub type Postgres = Store<PostgresEngine>;

/// The connections to a PostgreSQL database.
pub struct PostgresEngine {
    readers: Readers,
    /// For pages of lists, which take longer than a short read.
    list_readers: Readers,
    /// For searches, which take longer than a list. Its queue is bounded.
    search_readers: Arc<Readers>,
    batch_writers: BatchWriters,
    writers: Writers,
    refusals: CachedRefusals,
    health: Arc<WriteHealth>,
    damaged: Arc<DamagedDebates>,
    version: String,
    server_name: String,
    _listener: Listener,
    _probe: AbortOnDrop,
}

impl Postgres {
    /// Connects, creates or migrates the schema, and starts the batch writers and the listener.
    pub async fn open(
        options: &PostgresOptions,
        notifier: Arc<Notifier>,
    ) -> Result<Self, ConnectError> {
        let server = Server::for_process(&options.url, options.deadline)?;
        pooler::refuse_if_shared(&server).await?;
        let version = migrate::prepare(&server).await?.version;
        let health = Arc::new(WriteHealth::new(options.deadline));
        let batch_writers = BatchWriters::start(&server, options, &notifier, &health);
        let observers = CommitObservers {
            notifier: Arc::clone(&notifier),
            health: Arc::clone(&health),
            process: batch_writers.name(),
        };
        let writers = Writers::new(&server, options.writers, observers)?;
        let process = batch_writers.process().as_u128();
        let probe =
            WriteProbe::new(writers.clone(), Arc::clone(&health), process, options.deadline);
        let listener = Listener::start(
            server.clone(),
            batch_writers.name(),
            notifier,
            Arc::clone(&health),
            Arc::clone(&probe),
        );
        Ok(Store(PostgresEngine {
            _listener: listener.await,
            _probe: probe.start(),
            readers: Readers::new(&server, options.readers)?,
            list_readers: Readers::new(&server, LIST_CONNECTIONS)?,
            search_readers: Arc::new(
                Readers::new(&server, SEARCH_CONNECTIONS)?.with_queue_max(SEARCH_QUEUE_MAX),
            ),
            batch_writers,
            writers,
            refusals: CachedRefusals::default(),
            health,
            damaged: Arc::default(),
            version,
            server_name: server.name(),
        }))
    }
}

impl Postgres {
    /// The hosts, ports and database of the URL, without user and password.
    #[must_use]
    pub fn server_name(&self) -> &str {
        &self.0.server_name
    }
}

impl Storage for Postgres {
    fn status(&self) -> StorageStatus {
        StorageStatus {
            engine: format!("postgresql {}", self.0.version),
            failure: self.0.health.failure(),
            damaged: self.0.damaged.count(),
            wal_bytes: None,
        }
    }
}
