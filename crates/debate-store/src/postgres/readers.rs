//! A bounded pool of connections; each read sees one snapshot.

use std::sync::Arc;
use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Pool, Runtime};
use debate_app::StoreError;
use futures_util::future::{try_join, try_join3};
use tokio::sync::{OwnedSemaphorePermit, Semaphore};
use tokio_postgres::Row;

use super::ConnectError;
use super::fault::Fault;
use super::loan::{Loan, Query, all};
use super::server::Server;

/// How long a connection may take to be made.
const CONNECT: Duration = Duration::from_secs(5);

/// How long a read waits for a connection: long enough for ten thousand who come at once.
const WAIT: Duration = Duration::from_secs(30);

/// What every reading connection begins with. A read that takes longer is given up by the server.
const SESSION: &str = "set default_transaction_read_only = on;
     set statement_timeout = '5s'; set idle_in_transaction_session_timeout = '10s'; set jit = off";

/// All statements of one read see what the first one saw.
const BEGIN: &str = "begin isolation level repeatable read, read only";

pub(super) struct Readers {
    pool: Pool,
    /// One permit for each read that runs or waits, where the queue is bounded.
    places: Option<Arc<Semaphore>>,
}

/// Connections that begin with `session`, at most `count` of them.
pub(super) fn pool(
    server: &Server,
    count: usize,
    wait: Duration,
    session: &'static str,
) -> Result<Pool, ConnectError> {
    let settle = Hook::async_fn(move |client: &mut deadpool_postgres::ClientWrapper, _| {
        Box::pin(async move { client.batch_execute(session).await.map_err(HookError::Backend) })
    });
    Pool::builder(server.manager())
        .max_size(count)
        .wait_timeout(Some(wait))
        .create_timeout(Some(CONNECT))
        .runtime(Runtime::Tokio1)
        .post_create(settle)
        .build()
        .map_err(|err| ConnectError::Failed { server: server.name(), words: err.to_string() })
}

impl Readers {
    pub(super) fn new(server: &Server, count: usize) -> Result<Self, ConnectError> {
        Ok(Self { pool: pool(server, count, WAIT, SESSION)?, places: None })
    }

    /// Lets at most `queue_max` reads wait for a connection; the next one fails with
    /// `StoreError::Overloaded`.
    pub(super) fn with_queue_max(self, queue_max: usize) -> Self {
        let places = self.pool.status().max_size + queue_max;
        Self { places: Some(Arc::new(Semaphore::new(places))), ..self }
    }

    /// A connection, and the place in the queue that is held as long as it is in use.
    async fn admit(&self) -> Result<(Loan, Option<OwnedSemaphorePermit>), Fault> {
        let place = self.places.as_ref().map(|places| Arc::clone(places).try_acquire_owned());
        let place = place.transpose().map_err(|_| Fault(StoreError::Overloaded))?;
        Ok((Loan::of(&self.pool).await?, place))
    }

    /// A read that needs one flight only.
    pub(super) async fn once(&self, asked: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
        let (loan, _place) = self.admit().await?;
        let (conn, statements) = loan.prepared(asked).await?;
        let answers = try_join3(
            conn.batch_execute(BEGIN),
            all(conn, &statements, asked),
            conn.batch_execute("commit"),
        );
        let ((), rows, ()) = answers.await?;
        loan.give_back();
        Ok(rows)
    }

    /// The first flight of a read that must know something before it can ask for the rest.
    pub(super) async fn begin(
        &self,
        asked: &[Query<'_>],
    ) -> Result<(Snapshot, Vec<Vec<Row>>), Fault> {
        let (loan, place) = self.admit().await?;
        let (conn, statements) = loan.prepared(asked).await?;
        let answers = try_join(conn.batch_execute(BEGIN), all(conn, &statements, asked));
        let ((), rows) = answers.await?;
        Ok((Snapshot { loan, _place: place }, rows))
    }
}

/// One read under way.
pub(super) struct Snapshot {
    loan: Loan,
    _place: Option<OwnedSemaphorePermit>,
}

impl Snapshot {
    /// The last flight.
    pub(super) async fn end(self, asked: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
        let Self { loan, _place: _held } = self;
        let (conn, statements) = loan.prepared(asked).await?;
        let answers = try_join(all(conn, &statements, asked), conn.batch_execute("commit"));
        let (rows, ()) = answers.await?;
        loan.give_back();
        Ok(rows)
    }
}
