//! A bounded pool of connections, and a connection of it while it is used.

use std::time::Duration;

use deadpool::Runtime;
use deadpool::managed::{self, Metrics, Object, RecycleError, RecycleResult};

use super::ConnectError;
use super::connection::Connection;
use super::fault::Fault;
use super::server::Server;

pub(super) type Pool = managed::Pool<ConnectionManager>;

/// Makes the connections of a pool, and takes out those that are no longer of use.
pub(super) struct ConnectionManager(Server);

impl managed::Manager for ConnectionManager {
    type Type = Connection;
    type Error = Fault;

    async fn create(&self) -> Result<Connection, Fault> {
        Connection::open(&self.0).await
    }

    async fn recycle(&self, connection: &mut Connection, _: &Metrics) -> RecycleResult<Fault> {
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
        .map_err(|err| ConnectError::Failed { server: server.name(), words: err.to_string() })
}

/// A connection in use. Unless that ends well it is not used again: nobody knows what is still on
/// its way over it.
pub(super) struct PooledConnection {
    conn: Option<Object<ConnectionManager>>,
}

impl PooledConnection {
    pub(super) async fn take(pool: &Pool) -> Result<Self, Fault> {
        Ok(Self { conn: Some(pool.get().await?) })
    }

    pub(super) fn conn(&self) -> Result<&Connection, Fault> {
        let conn = self.conn.as_deref();
        conn.ok_or_else(|| Fault::away("the connection was returned to the pool"))
    }

    /// It ended well.
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
