//! A bounded pool of connections; each read sees one snapshot.

use std::time::Duration;

use deadpool_postgres::{Hook, HookError, Object, Pool, Runtime};
use futures_util::future::try_join;
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::ConnectError;
use super::fault::Fault;
use super::server::Server;

/// How long a read waits for a connection, and how long it may take to make one.
const WAIT: Duration = Duration::from_secs(5);

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
            .create_timeout(Some(WAIT))
            .runtime(Runtime::Tokio1)
            .post_create(settle)
            .build()
            .map(Self)
            .map_err(|err| ConnectError::Tls(err.to_string()))
    }

    /// Opens a snapshot with its first statement, both on their way at once.
    pub(super) async fn begin(
        &self,
        statement: &str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<(Snapshot, Vec<Row>), Fault> {
        let snapshot = Snapshot { conn: Some(self.0.get().await?) };
        let conn = snapshot.conn()?;
        let statement = conn.prepare_cached(statement).await?;
        let ((), rows) =
            try_join(conn.batch_execute(BEGIN), conn.query(&statement, params)).await?;
        Ok((snapshot, rows))
    }
}

/// One read under way. Unless it ends well its connection is not used again: nobody knows what is
/// still on its way over it.
pub(super) struct Snapshot {
    conn: Option<Object>,
}

impl Snapshot {
    pub(super) async fn query(
        &self,
        statement: &str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Fault> {
        let conn = self.conn()?;
        let statement = conn.prepare_cached(statement).await?;
        Ok(conn.query(&statement, params).await?)
    }

    pub(super) async fn end(mut self) -> Result<(), Fault> {
        self.conn()?.batch_execute("commit").await?;
        drop(self.conn.take());
        Ok(())
    }

    fn conn(&self) -> Result<&Object, Fault> {
        self.conn.as_ref().ok_or_else(|| Fault::away("the read is over"))
    }
}

impl Drop for Snapshot {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take() {
            drop(Object::take(conn));
        }
    }
}
