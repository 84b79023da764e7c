//! A bounded pool of connections; each read sees one snapshot.

use std::sync::Arc;
use std::time::Duration;

use debate_app::StoreError;
use futures_util::future::{try_join, try_join3, try_join4};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::Row;

use super::ConnectError;
use super::connection::{Payload, Query};
use super::fault::Fault;
use super::limits::{BEGIN_READING, READ_SETTINGS};
use super::pool::{Pool, PooledConnection, pool};
use super::round_trip::RoundTripError;
use super::server::Server;

/// How long a read waits for a connection: long enough for ten thousand who come at once.
const WAIT: Duration = Duration::from_secs(30);

pub(super) struct Readers {
    pool: Pool,
    /// One permit for each read that runs or waits, where the queue is bounded.
    places: Option<Arc<Semaphore>>,
}

impl Readers {
    pub(super) fn new(server: &Server, count: usize) -> Result<Self, ConnectError> {
        Ok(Self { pool: pool(server, count, WAIT)?, places: None })
    }

    /// Lets at most `queue_max` reads wait for a connection; the next one fails with
    /// `StoreError::Overloaded`.
    pub(super) fn with_queue_max(self, queue_max: usize) -> Self {
        let places = self.pool.status().max_size + queue_max;
        Self { places: Some(Arc::new(Semaphore::new(places))), ..self }
    }

    /// A connection, and the place in the queue that is held as long as it is in use.
    async fn admit(&self) -> Result<(PooledConnection, Option<OwnedSemaphorePermit>), Fault> {
        let place = self.places.as_ref().map(|places| Arc::clone(places).try_acquire_owned());
        let place = place.transpose().map_err(|_| Fault(StoreError::Overloaded))?;
        Ok((PooledConnection::take(&self.pool).await?, place))
    }

    /// A read in one round trip.
    pub(super) async fn once(&self, asked: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
        let (pooled, _place) = self.admit().await?;
        let conn = pooled.conn()?;
        let settings = conn.prepare(READ_SETTINGS).await.map_err(RoundTripError::into_fault)?;
        let statements = conn.prepare_all(asked).await.map_err(RoundTripError::into_fault)?;
        let limits = conn.limits().read_settings();
        let answers = try_join4(
            conn.client().batch_execute(BEGIN_READING),
            conn.client().query(&settings, &limits),
            conn.query_all(&statements, asked),
            conn.client().batch_execute("commit"),
        );
        let answers = conn.round_trip(Payload::Statements, answers).await;
        let ((), _, rows, ()) = answers.map_err(RoundTripError::into_fault)?;
        pooled.release();
        Ok(rows)
    }

    /// The first round trip of a read whose further statements depend on its rows.
    pub(super) async fn begin(
        &self,
        asked: &[Query<'_>],
    ) -> Result<(Snapshot, Vec<Vec<Row>>), Fault> {
        let (pooled, place) = self.admit().await?;
        let conn = pooled.conn()?;
        let settings = conn.prepare(READ_SETTINGS).await.map_err(RoundTripError::into_fault)?;
        let statements = conn.prepare_all(asked).await.map_err(RoundTripError::into_fault)?;
        let limits = conn.limits().read_settings();
        let answers = try_join3(
            conn.client().batch_execute(BEGIN_READING),
            conn.client().query(&settings, &limits),
            conn.query_all(&statements, asked),
        );
        let answers = conn.round_trip(Payload::Statements, answers).await;
        let ((), _, rows) = answers.map_err(RoundTripError::into_fault)?;
        Ok((Snapshot { pooled, _place: place }, rows))
    }
}

/// One read under way.
pub(super) struct Snapshot {
    pooled: PooledConnection,
    _place: Option<OwnedSemaphorePermit>,
}

impl Snapshot {
    /// The last round trip.
    pub(super) async fn end(self, asked: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
        let Self { pooled, _place: _held } = self;
        let conn = pooled.conn()?;
        let statements = conn.prepare_all(asked).await.map_err(RoundTripError::into_fault)?;
        let answers =
            try_join(conn.query_all(&statements, asked), conn.client().batch_execute("commit"));
        let answers = conn.round_trip(Payload::Statements, answers).await;
        let (rows, ()) = answers.map_err(RoundTripError::into_fault)?;
        pooled.release();
        Ok(rows)
    }
}
