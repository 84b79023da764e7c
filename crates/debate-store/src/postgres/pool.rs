//! A bounded pool of connections, and a connection of it while it is used.

use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, Metrics, Object, RecycleError, RecycleResult};

use super::ConnectError;
use super::connection::Connection;
use super::server::Server;
use crate::engine::EngineError;

pub(super) type Pool = managed::Pool<ConnectionManager>;

/// Opens the connections of a pool, and discards those that are not usable any more.
pub(super) struct ConnectionManager(Server);

impl managed::Manager for ConnectionManager {
    type Type = Connection;
    type Error = EngineError;

    async fn create(&self) -> Result<Connection, EngineError> {
        Connection::open(&self.0).await
    }

    async fn recycle(
        &self,
        connection: &mut Connection,
        _: &Metrics,
    ) -> RecycleResult<EngineError> {
        if connection.is_usable() { Ok(()) } else { Err(RecycleError::message("not usable")) }
    }
}

/// At most `count` connections, for one of which a caller waits at most `wait`.
pub(super) fn pool(server: &Server, count: usize, wait: Duration) -> Result<Pool, ConnectError> {
    Pool::builder(ConnectionManager(server.clone()))
        .max_size(count)
        .wait_timeout(Some(wait))
        .runtime(Runtime::Tokio1)
        .build()
        .map_err(|err| ConnectError::Failed { server: server.name(), message: err.to_string() })
}

/// A connection in use. It returns to the pool only through [`release`](Self::release). Dropping it
/// closes the connection, because answers may still arrive on it.
pub(super) struct PooledConnection {
    conn: Option<Object<ConnectionManager>>,
}

impl PooledConnection {
    pub(super) async fn take(pool: &Pool) -> Result<Self, EngineError> {
        Ok(Self { conn: Some(pool.get().await?) })
    }

    pub(super) fn conn(&self) -> Result<&Connection, EngineError> {
        let conn = self.conn.as_deref();
        conn.ok_or_else(|| EngineError::unavailable("the connection was returned to the pool"))
    }

    /// Returns the connection to the pool after the last answer.
    pub(super) fn release(mut self) {
        drop(self.conn.take());
    }
}

impl Drop for PooledConnection {
    fn drop(&mut self) {
        if let Some(conn) = self.conn.take() {
            drop(Object::take(conn));
        }
    }
}
