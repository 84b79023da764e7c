//! PostgreSQL outside the process: several server processes on one database.
//!
//! The arena's writes are batched as with SQLite, by batch writers that each own a connection; the
//! runner's are plain transactions on connections of a pool; reads take one from another pool and
//! see one snapshot; one connection listens for what other processes write.

mod archive;
mod arena;
mod batch_session;
mod batch_writer;
mod connection;
mod engine;
mod fault;
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
mod tls;
mod values;
mod writers;

use std::sync::Arc;
use std::time::Duration;

use debate_app::{Notifier, Storage, StorageStatus};

use crate::arena::SEARCH_QUEUE_MAX;
use crate::damage::DamagedDebates;
use crate::engine::Store;

pub(crate) use archive::PostgresArchive;
use batch_writer::BatchWriters;
use connection::AbortOnDrop;
use health::WriteHealth;
use listen::Listener;
use probe::WriteProbe;
use rate::Refusals;
use readers::Readers;
use server::Server;
use writers::{CommitObservers, Writers};

/// Connections for pages of lists.
const LIST_CONNECTIONS: usize = 2;

/// Connections for searches. A search reads every debate, so searches have connections of their
/// own and no list waits behind one.
const SEARCH_CONNECTIONS: usize = 2;

/// Which server, and the bounds of the machinery before it.
#[derive(Clone)]
pub struct PostgresOptions {
    /// `postgres://user:password@host:port/database`, as libpq takes it.
    pub url: String,
    /// How many reads run at once.
    pub readers: usize,
    /// How many transactions write at once.
    pub lanes: usize,
    /// How many transactions of the runner write at once.
    pub writers: usize,
    /// The most writes that wait, for each batch writer.
    pub queue_max: usize,
    /// How many writes share one commit at most.
    pub batch_max: usize,
    /// How long an answer of the server is waited for, and a connection to each of its hosts. A
    /// connection that takes longer is closed, and the next host of the URL is tried.
    pub deadline: Duration,
}

impl PostgresOptions {
    /// The usual bounds.
    #[must_use]
    pub const fn at(url: String) -> Self {
        let (readers, lanes, writers) = (8, 2, 4);
        let (queue_max, batch_max, deadline) = (4096, 512, limits::DEADLINE);
        Self { url, readers, lanes, writers, queue_max, batch_max, deadline }
    }
}

/// Why a database can't be used, and what to do about it.
#[derive(Debug, thiserror::Error)]
pub enum ConnectError {
    /// The URL makes no sense.
    #[error("invalid PostgreSQL URL: {0}; expected postgres://user:password@host:5432/database")]
    Url(String),
    /// TLS can't be set up.
    #[error("cannot set up TLS: {0}")]
    Tls(String),
    /// It does not prove itself, or speaks no TLS where it must.
    #[error(
        "no secure connection to PostgreSQL at {server}: {words}; check sslmode and sslrootcert in \
         the URL, and the server's certificate"
    )]
    Insecure {
        /// Where.
        server: String,
        /// The driver's words.
        words: String,
    },
    /// Nobody answers there.
    #[error(
        "cannot reach PostgreSQL at {server}: {words}; check that it is running at this address"
    )]
    Unreachable {
        /// Where.
        server: String,
        /// The driver's words.
        words: String,
    },
    /// It does not know the user, or not by this password.
    #[error(
        "PostgreSQL at {server} rejected the login of {user}: {words}; check the user and the \
         password in the URL"
    )]
    Denied {
        /// Where.
        server: String,
        /// Who.
        user: String,
        /// The server's words.
        words: String,
    },
    /// It has no such database.
    #[error("the database {server} does not exist; create it with createdb, or with psql")]
    NoDatabase {
        /// Where.
        server: String,
    },
    /// The user may not make or use the tables.
    #[error(
        "{user} lacks privileges in {server}: {words}; make {user} the owner of the database, or \
         grant it create on the schema and all on the tables"
    )]
    NoRights {
        /// Where.
        server: String,
        /// Who.
        user: String,
        /// The server's words.
        words: String,
    },
    /// The server is older than this build works with.
    #[error("PostgreSQL {found} is too old; aw requires 14 or newer")]
    TooOld {
        /// Its version.
        found: String,
    },
    /// Connections are shared between transactions, so that nothing can be kept on one.
    #[error(
        "{server} is behind a connection pooler in transaction mode, such as PgBouncer with \
         pool_mode=transaction; aw requires session mode: use pool_mode=session, or the address of \
         PostgreSQL itself"
    )]
    Pooled {
        /// Where.
        server: String,
    },
    /// Another program's tables are there.
    #[error("the tables in {server} belong to another program; choose another database")]
    NotOurs {
        /// Where.
        server: String,
    },
    /// A newer server has been at work.
    #[error(
        "the database has schema version {found}, and this aw supports up to version {known}; use \
         a newer aw"
    )]
    Newer {
        /// What was found.
        found: i64,
        /// What is known.
        known: i64,
    },
    /// It must be brought up to date before it can be used for this.
    #[error(
        "{server} has schema version {found}, and version {known} is required; migrate it first: \
         set DEBATE_DATABASE_URL to its URL and run aw db migrate"
    )]
    Older {
        /// Where.
        server: String,
        /// What was found; 0 when there is none yet.
        found: i64,
        /// What is needed.
        known: i64,
    },
    /// Anything else the server said.
    #[error("PostgreSQL at {server} returned an error: {words}")]
    Failed {
        /// Where.
        server: String,
        /// The server's words.
        words: String,
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
    lanes: BatchWriters,
    writers: Writers,
    refusals: Refusals,
    health: Arc<WriteHealth>,
    damaged: Arc<DamagedDebates>,
    version: String,
    place: String,
    _listener: Listener,
    _probe: AbortOnDrop,
}

impl Postgres {
    /// Connects, creates or migrates the schema, and starts the batch writers and the listener.
    pub async fn open(
        options: &PostgresOptions,
        notifier: Arc<Notifier>,
    ) -> Result<Self, ConnectError> {
        let server = Server::serving(&options.url, options.deadline)?;
        pooler::refuse_if_shared(&server).await?;
        let version = migrate::prepare(&server).await?.version;
        let health = Arc::new(WriteHealth::new(options.deadline));
        let lanes = BatchWriters::start(&server, options, &notifier, &health);
        let observers = CommitObservers {
            notifier: Arc::clone(&notifier),
            health: Arc::clone(&health),
            process: lanes.name(),
        };
        let writers = Writers::new(&server, options.writers, observers)?;
        let process = lanes.process().as_u128();
        let probe =
            WriteProbe::new(writers.clone(), Arc::clone(&health), process, options.deadline);
        let listener = Listener::start(
            server.clone(),
            lanes.name(),
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
            lanes,
            writers,
            refusals: Refusals::default(),
            health,
            damaged: Arc::default(),
            version,
            place: server.name(),
        }))
    }
}

impl Postgres {
    /// Where the server is and which database of it, without a word of the password.
    #[must_use]
    pub fn place(&self) -> &str {
        &self.0.place
    }
}

impl Storage for Postgres {
    fn status(&self) -> StorageStatus {
        StorageStatus {
            engine: format!("postgresql {}", self.0.version),
            trouble: self.0.health.now(),
            damaged: self.0.damaged.count(),
            wal_bytes: None,
        }
    }
}
