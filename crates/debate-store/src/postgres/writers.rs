//! Transactions for writes that are too few to be batched: a bounded pool of connections, and two
//! or three round trips for each write.

use std::sync::Arc;
use std::time::Duration;

use debate_app::{Notifier, StoreError};
use futures_util::future::try_join3;
use tokio_postgres::Row;

use super::ConnectError;
use super::connection::{Payload, Query};
use super::health::WriteHealth;
use super::limits::WRITE_SETTINGS;
use super::listen::NOTIFY;
use super::pool::{Pool, PooledConnection, pool};
use super::round_trip::{RoundTripError, TRIES_MAX, check_schema_version};
use super::server::Server;
use crate::engine::EngineError;
use crate::notifications::Notifications;

/// Maximum wait of a write for a connection. Shorter than a lease by default, because the result
/// of a worker is discarded after its lease.
const WAIT: Duration = Duration::from_secs(10);

/// Writes a row that no reader uses.
const PROBE: &str = "insert into schema_meta (key, value) values ($1, gen_random_uuid()::text)
     on conflict (key) do update set value = excluded.value";

#[derive(Clone)]
pub(super) struct Writers {
    server: Server,
    pool: Pool,
    observers: Arc<CommitObservers>,
}

/// The parts of the process that learn of commits and failures.
pub(super) struct CommitObservers {
    pub(super) notifier: Arc<Notifier>,
    pub(super) health: Arc<WriteHealth>,
    /// The name of this process in its notifications.
    pub(super) process: Arc<str>,
}

impl Writers {
    pub(super) fn new(
        server: &Server,
        count: usize,
        observers: CommitObservers,
    ) -> Result<Self, ConnectError> {
        let pool = pool(server, count, WAIT)?;
        Ok(Self { server: server.clone(), pool, observers: Arc::new(observers) })
    }

    /// Executes `attempt`, again if another transaction interfered.
    pub(super) async fn run<T, F>(&self, attempt: impl Fn() -> F) -> Result<T, StoreError>
    where
        F: Future<Output = Result<T, RoundTripError>>,
    {
        let mut tries = 0;
        loop {
            tries += 1;
            match attempt().await {
                Ok(done) => return Ok(done),
                Err(RoundTripError::Refused { transient: true, .. }) if tries < TRIES_MAX => {}
                Err(RoundTripError::Refused { err, transient: true }) => return Err(err),
                Err(
                    RoundTripError::Refused { err, transient: false }
                    | RoundTripError::Lost { err, .. },
                ) => {
                    self.note(&err);
                    return Err(err);
                }
            }
        }
    }

    /// The first round trip: begins the transaction and executes the first statements.
    pub(super) async fn begin(
        &self,
        queries: &[Query<'_>],
    ) -> Result<(WriteTransaction, Vec<Vec<Row>>), RoundTripError> {
        match self.observers.health.stall() {
            Some(stall) => Err(RoundTripError::unsent(stall)),
            None => self.begin_anyway(queries).await,
        }
    }

    async fn begin_anyway(
        &self,
        queries: &[Query<'_>],
    ) -> Result<(WriteTransaction, Vec<Vec<Row>>), RoundTripError> {
        let pooled = PooledConnection::take(&self.pool).await.map_err(unsent)?;
        let conn = pooled.conn().map_err(unsent)?;
        let settings = conn.prepare(WRITE_SETTINGS).await?;
        let statements = conn.prepare_all(queries).await?;
        let (begin, limits) = (&conn.limits().begin_writing, conn.limits().write_settings());
        let messages = try_join3(
            conn.client().batch_execute(begin),
            conn.client().query_opt(&settings, &limits),
            conn.query_all(&statements, queries),
        );
        let checked = match conn.round_trip(Payload::Statements, messages).await {
            Ok(((), version, rows)) => check_schema_version(version.as_ref()).map(|()| rows),
            Err(failed) => Err(failed),
        };
        match checked {
            Ok(rows) => {
                Ok((WriteTransaction { observers: Arc::clone(&self.observers), pooled }, rows))
            }
            Err(failed) => Err(roll_back(pooled, failed).await),
        }
    }

    /// Commits one row of `schema_meta`, also while writes are refused because commits stall.
    pub(super) async fn probe(&self, key: &String) -> Result<(), StoreError> {
        let attempt = || async {
            let (transaction, _) = self.begin_anyway(&[]).await?;
            let token = transaction.pooled.conn()?.cancel_token();
            let saved = transaction.save(&[(PROBE, &[key])], &Notifications::default()).await;
            if let Err(RoundTripError::Lost { stalled: true, .. }) = &saved {
                // Without a cancellation the backend would wait until the standby answers. A
                // cancelled wait leaves the row committed on the primary, which does no harm.
                let server = self.server.clone();
                tokio::spawn(async move { server.cancel(token).await });
            }
            saved
        };
        self.run(attempt).await
    }

    fn note(&self, err: &StoreError) {
        match err {
            // All connections were in use, which says nothing about the database.
            StoreError::Overloaded => {}
            // A row that cannot be decoded does not affect other writes.
            StoreError::Undecodable(_) => {}
            StoreError::Full(_)
            | StoreError::Unavailable(_)
            | StoreError::WalFull(_)
            | StoreError::Moved(_)
            | StoreError::Latched
            | StoreError::Damaged(_)
            | StoreError::Unexpected(_) => self.observers.health.note_failure(err),
        }
    }
}

/// A transaction that has begun.
pub(super) struct WriteTransaction {
    observers: Arc<CommitObservers>,
    pooled: PooledConnection,
}

impl WriteTransaction {
    /// Executes more statements in another round trip.
    pub(super) async fn ask(&self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>, RoundTripError> {
        let conn = self.pooled.conn().map_err(unsent)?;
        let statements = conn.prepare_all(queries).await?;
        conn.round_trip(Payload::Statements, conn.query_all(&statements, queries)).await
    }

    /// The last round trip: writes everything and commits, then notifies. The result of every
    /// statement counts: after a failed statement the commit succeeds and rolls back.
    pub(super) async fn save(
        self,
        writes: &[Query<'_>],
        notifications: &Notifications,
    ) -> Result<(), RoundTripError> {
        let Self { observers, pooled } = self;
        let notices = notifications.payloads(&observers.process);
        let conn = pooled.conn().map_err(unsent)?;
        let statements = conn.prepare_all(writes).await?;
        let notify = conn.prepare(NOTIFY).await?;
        let client = conn.client();
        let send_notices = async {
            if !notices.is_empty() {
                client.query(&notify, &[&notices]).await?;
            }
            Ok(())
        };
        let messages = try_join3(
            conn.query_all(&statements, writes),
            send_notices,
            client.batch_execute("commit"),
        );
        if let Err(failed) = conn.round_trip(Payload::Commit, messages).await {
            if let RoundTripError::Lost { stalled: true, .. } = &failed {
                observers.health.note_stall();
            }
            return Err(roll_back(pooled, failed).await);
        }
        if !writes.is_empty() {
            observers.health.note_commit();
        }
        pooled.release();
        // After the commit and before the answer: a client with an answer may rely on subscribers
        // having been notified.
        notifications.send(&observers.notifier);
        Ok(())
    }
}

fn unsent(EngineError(err): EngineError) -> RoundTripError {
    RoundTripError::unsent(err)
}

/// Rolls back after a refusal and returns the connection to the pool. Returns the error.
async fn roll_back(pooled: PooledConnection, failed: RoundTripError) -> RoundTripError {
    if let (RoundTripError::Refused { .. }, Ok(conn)) = (&failed, pooled.conn())
        && conn
            .round_trip(Payload::Statements, conn.client().batch_execute("rollback"))
            .await
            .is_ok()
    {
        pooled.release();
    }
    failed
}
