//! A bounded pool of connections; each read sees one snapshot.

use std::sync::Arc;
use std::time::Duration;

use debate_app::StoreError;
use futures_util::future::{try_join, try_join3, try_join4};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::Row;

use super::ConnectError;
use super::connection::{Payload, Query};
use super::limits::{BEGIN_READING, READ_SETTINGS};
use super::pool::{Pool, PooledConnection, pool};
use super::server::Server;
use crate::engine::EngineError;

/// Maximum wait of a read for a connection: long enough for 10,000 clients at the same time.
const WAIT: Duration = Duration::from_secs(30);

pub(super) struct Readers {
    pool: Pool,
    /// One permit for each read that runs or waits, where the queue is bounded.
    queue_slots: Option<Arc<Semaphore>>,
}

impl Readers {
    pub(super) fn new(server: &Server, count: usize) -> Result<Self, ConnectError> {
        Ok(Self { pool: pool(server, count, WAIT)?, queue_slots: None })
    }

    /// Lets at most `queue_max` reads wait for a connection; the next
    /// one fails with `StoreError::Overloaded`.
    pub(super) fn with_queue_max(self, queue_max: usize) -> Self {
        let queue_slots = self.pool.status().max_size + queue_max;
        Self { queue_slots: Some(Arc::new(Semaphore::new(queue_slots))), ..self }
    }

    /// A connection, and the slot in the queue that is occupied while the connection is in use.
    async fn admit(&self) -> Result<(PooledConnection, Option<OwnedSemaphorePermit>), EngineError> {
        let slot = self
            .queue_slots
            .as_ref()
            .map(|queue_slots| Arc::clone(queue_slots).try_acquire_owned());
        let slot = slot.transpose().map_err(|_| EngineError(StoreError::Overloaded))?;
        Ok((PooledConnection::take(&self.pool).await?, slot))
    }

    /// A read in one round trip.
    pub(super) async fn once(&self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>, EngineError> {
        let (pooled, _slot) = self.admit().await?;
        let conn = pooled.conn()?;
        let settings = conn.prepare(READ_SETTINGS).await?;
        let statements = conn.prepare_all(queries).await?;
        let limits = conn.limits().read_settings();
        let answers = try_join4(
            conn.client().batch_execute(BEGIN_READING),
            conn.client().query(&settings, &limits),
            conn.query_all(&statements, queries),
            conn.client().batch_execute("commit"),
        );
        let ((), _, rows, ()) = conn.round_trip(Payload::Statements, answers).await?;
        pooled.release();
        Ok(rows)
    }

    /// The first round trip of a read whose further statements depend on its rows.
    pub(super) async fn begin(
        &self,
        queries: &[Query<'_>],
    ) -> Result<(Snapshot, Vec<Vec<Row>>), EngineError> {
        let (pooled, slot) = self.admit().await?;
        let conn = pooled.conn()?;
        let settings = conn.prepare(READ_SETTINGS).await?;
        let statements = conn.prepare_all(queries).await?;
        let limits = conn.limits().read_settings();
        let answers = try_join3(
            conn.client().batch_execute(BEGIN_READING),
            conn.client().query(&settings, &limits),
            conn.query_all(&statements, queries),
        );
        let ((), _, rows) = conn.round_trip(Payload::Statements, answers).await?;
        Ok((Snapshot { pooled, _slot: slot }, rows))
    }
}

/// A read with an open transaction.
pub(super) struct Snapshot {
    pooled: PooledConnection,
    _slot: Option<OwnedSemaphorePermit>,
}

impl Snapshot {
    /// The last round trip of the read: executes the statements and ends the transaction.
    pub(super) async fn end(self, queries: &[Query<'_>]) -> Result<Vec<Vec<Row>>, EngineError> {
        let Self { pooled, _slot: _held } = self;
        let conn = pooled.conn()?;
        let statements = conn.prepare_all(queries).await?;
        let answers =
            try_join(conn.query_all(&statements, queries), conn.client().batch_execute("commit"));
        let (rows, ()) = conn.round_trip(Payload::Statements, answers).await?;
        pooled.release();
        Ok(rows)
    }
}
