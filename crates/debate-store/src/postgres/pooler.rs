//! Finding out whether a pooler shares connections between transactions.
//!
//! Behind such a pooler `LISTEN` and prepared statements fail later, one by one, while the server
//! looks healthy. So the question is settled before anything else is sent.

use tokio::time::timeout;
use tokio_postgres::SimpleQueryMessage;

use super::ConnectError;
use super::connection::AbortOnDrop;
use super::migrate::{refused, unconnected};
use super::server::{Connected, Server};

/// How often two connections are asked in turn for the backend that serves them.
const ROUNDS: usize = 3;

/// Names the backend; the start time tells the servers of several hosts apart. Sent as a simple
/// query, which leaves no prepared statement behind.
const BACKEND: &str = "select pg_backend_pid(), pg_postmaster_start_time()";

/// Refuses a server where two connections are served by the same backend, or one by several.
pub(super) async fn refuse_if_shared(server: &Server) -> Result<(), ConnectError> {
    let (first, second) = (Asker::connect(server).await?, Asker::connect(server).await?);
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

struct Asker<'s> {
    server: &'s Server,
    client: tokio_postgres::Client,
    _driver: AbortOnDrop,
}

impl<'s> Asker<'s> {
    async fn connect(server: &'s Server) -> Result<Self, ConnectError> {
        let connected = server.connect().await;
        let Connected { client, wire, .. } =
            connected.map_err(|failure| unconnected(server, &failure))?;
        let driver = tokio::spawn(async move {
            // The client receives the same error.
            let _ = wire.await;
        });
        Ok(Self { server, client, _driver: AbortOnDrop(driver) })
    }

    async fn backend(&self) -> Result<Vec<Option<String>>, ConnectError> {
        let deadline = self.server.limits().deadline;
        let answer = timeout(deadline, self.client.simple_query(BACKEND)).await;
        let answer = answer.map_err(|_| ConnectError::Unreachable {
            server: self.server.name(),
            words: format!("no answer within {} ms", deadline.as_millis()),
        })?;
        let messages = answer.map_err(|err| refused(self.server, &err))?;
        for message in messages {
            if let SimpleQueryMessage::Row(row) = message {
                return Ok((0..row.len()).map(|n| row.get(n).map(str::to_owned)).collect());
            }
        }
        Ok(Vec::new())
    }
}
