//! A bounded pool of connections; each read sees one snapshot.

use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Object, Pool, Runtime};
use futures_util::future::{try_join, try_join_all, try_join3};
use tokio_postgres::types::ToSql;
use tokio_postgres::{Row, Statement};

use super::ConnectError;
use super::fault::Fault;
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

pub(super) struct Readers(Pool);

impl Readers {
    pub(super) fn new(server: &Server, count: usize) -> Result<Self, ConnectError> {
        let settle = Hook::async_fn(|client: &mut deadpool_postgres::ClientWrapper, _| {
            Box::pin(async move { client.batch_execute(SESSION).await.map_err(HookError::Backend) })
        });
        Pool::builder(server.manager())
            .max_size(count)
            .wait_timeout(Some(WAIT))
            .create_timeout(Some(CONNECT))
            .runtime(Runtime::Tokio1)
            .post_create(settle)
            .build()
            .map(Self)
            .map_err(|err| ConnectError::Failed { server: server.name(), words: err.to_string() })
    }

    /// A read that needs one flight only.
    pub(super) async fn once(&self, asked: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
        let snapshot = self.snapshot().await?;
        let (conn, statements) = snapshot.prepared(asked).await?;
        let answers = try_join3(
            conn.batch_execute(BEGIN),
            all(conn, &statements, asked),
            conn.batch_execute("commit"),
        );
        let ((), rows, ()) = answers.await?;
        snapshot.give_back();
        Ok(rows)
    }

    /// The first flight of a read that must know something before it can ask for the rest.
    pub(super) async fn begin(
        &self,
        asked: &[Query<'_>],
    ) -> Result<(Snapshot, Vec<Vec<Row>>), Fault> {
        let snapshot = self.snapshot().await?;
        let (conn, statements) = snapshot.prepared(asked).await?;
        let answers = try_join(conn.batch_execute(BEGIN), all(conn, &statements, asked));
        let ((), rows) = answers.await?;
        Ok((snapshot, rows))
    }

    async fn snapshot(&self) -> Result<Snapshot, Fault> {
        Ok(Snapshot { conn: Some(self.0.get().await?) })
    }
}

/// A statement and what it takes.
pub(super) type Query<'q> = (&'static str, &'q [&'q (dyn ToSql + Sync)]);

/// One read under way. Unless it ends well its connection is not used again: nobody knows what is
/// still on its way over it.
pub(super) struct Snapshot {
    conn: Option<Object>,
}

impl Snapshot {
    /// The last flight.
    pub(super) async fn end(self, asked: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
        let (conn, statements) = self.prepared(asked).await?;
        let answers = try_join(all(conn, &statements, asked), conn.batch_execute("commit"));
        let (rows, ()) = answers.await?;
        self.give_back();
        Ok(rows)
    }

    /// Before anything of the flight is sent: preparing may take a round trip of its own, and what
    /// follows must not overtake it.
    async fn prepared(&self, asked: &[Query<'_>]) -> Result<(&Object, Vec<Statement>), Fault> {
        let conn = self.conn.as_ref().ok_or_else(|| Fault::away("the read is over"))?;
        let mut statements = Vec::with_capacity(asked.len());
        for (statement, _) in asked {
            statements.push(conn.prepare_cached(statement).await?);
        }
        Ok((conn, statements))
    }

    fn give_back(mut self) {
        drop(self.conn.take());
    }
}

/// Sends every statement at once, in order, and gathers what they bring.
async fn all(
    conn: &Object,
    statements: &[Statement],
    asked: &[Query<'_>],
) -> Result<Vec<Vec<Row>>, tokio_postgres::Error> {
    let queries = statements.iter().zip(asked);
    try_join_all(queries.map(|(statement, (_, params))| conn.query(statement, params))).await
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take() {
            drop(Object::take(conn));
        }
    }
}
