//! Detection of a pooler that shares connections between transactions.
//!
//! Behind such a pooler `LISTEN` and prepared statements fail later, one by one, while the server
//! looks healthy. So the check comes before any other statement.

use tokio::time::timeout;
use tokio_postgres::SimpleQueryMessage;

use super::ConnectError;
use super::connection::AbortOnDrop;
use super::migrate::{connect_error, query_error};
use super::server::{NewConnection, Server};

/// Number of times that each of two connections is asked for its backend.
const ROUNDS: usize = 3;

/// Identifies the backend; the start time distinguishes the servers of several hosts. Sent as a
/// simple query, which leaves no prepared statement.
const BACKEND: &str = "select pg_backend_pid(), pg_postmaster_start_time()";

/// Refuses a server where two connections are served by the same backend, or one by several.
pub(super) async fn refuse_if_shared(server: &Server) -> Result<(), ConnectError> {
    let (first, second) =
        (BackendClient::connect(server).await?, BackendClient::connect(server).await?);
    let mut known = None;
    for _ in 0..ROUNDS {
        let backends = (first.backend().await?, second.backend().await?);
        let is_own = backends.0 != backends.1;
        if !is_own || known.as_ref().is_some_and(|known| *known != backends) {
            return Err(ConnectError::Pooled { server: server.name() });
        }
        known = Some(backends);
    }
    Ok(())
}

struct BackendClient<'s> {
    server: &'s Server,
    client: tokio_postgres::Client,
    _driver: AbortOnDrop,
}

impl<'s> BackendClient<'s> {
    async fn connect(server: &'s Server) -> Result<Self, ConnectError> {
        let connected = server.connect().await;
        let NewConnection { client, driver, .. } =
            connected.map_err(|failure| connect_error(server, &failure))?;
        let driver = tokio::spawn(async move {
            // The client receives the same error.
            let _ = driver.await;
        });
        Ok(Self { server, client, _driver: AbortOnDrop(driver) })
    }

    async fn backend(&self) -> Result<Vec<Option<String>>, ConnectError> {
        let deadline = self.server.limits().deadline;
        let answer = timeout(deadline, self.client.simple_query(BACKEND)).await;
        let answer = answer.map_err(|_| ConnectError::Unreachable {
            server: self.server.name(),
            message: format!("no answer within {} ms", deadline.as_millis()),
        })?;
        let messages = answer.map_err(|err| query_error(self.server, &err))?;
        for message in messages {
            if let SimpleQueryMessage::Row(row) = message {
                return Ok((0..row.len()).map(|n| row.get(n).map(str::to_owned)).collect());
            }
        }
        Ok(Vec::new())
    }
}
