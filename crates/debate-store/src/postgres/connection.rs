//! One connection: its prepared statements, and round trips that end within the deadline.

use std::collections::HashMap;
use std::sync::{Arc, Mutex, PoisonError};

use futures_util::future::try_join_all;
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::types::ToSql;
use tokio_postgres::{CancelToken, Client, Row, Statement};

use super::hosts::Peer;
use super::limits::Limits;
use super::round_trip::{RoundTripError, is_connection_ending};
use super::server::{NewConnection, Server};
use crate::engine::EngineError;

/// A statement and its parameters.
pub(super) type Query<'q> = (&'static str, &'q [&'q (dyn ToSql + Sync)]);

/// A connection. Dropping it closes the socket at once, also while statements are executed.
pub(super) struct Connection {
    client: Client,
    peer: Peer,
    limits: Arc<Limits>,
    prepared: Mutex<HashMap<&'static str, Statement>>,
    _driver: AbortOnDrop,
}

/// A task that is aborted when this value is dropped.
pub(super) struct AbortOnDrop(pub(super) JoinHandle<()>);

impl Drop for AbortOnDrop {
    fn drop(&mut self) {
        self.0.abort();
    }
}

/// The statements that a round trip carries.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum Payload {
    /// Statements of a transaction that stays open or only reads.
    Statements,
    /// The commit of a transaction that writes.
    Commit,
}

impl Connection {
    pub(super) async fn open(server: &Server) -> Result<Self, EngineError> {
        let NewConnection { client, driver, peer } = server.connect().await?;
        let driver = tokio::spawn(async move {
            if let Err(err) = driver.await {
                tracing::warn!(error = %err, "database connection lost");
            }
        });
        Ok(Self {
            client,
            peer,
            limits: Arc::clone(server.limits()),
            prepared: Mutex::default(),
            _driver: AbortOnDrop(driver),
        })
    }

    pub(super) fn client(&self) -> &Client {
        &self.client
    }

    pub(super) fn limits(&self) -> &Limits {
        &self.limits
    }

    /// Whether the connection is open and its server has not stopped answering since.
    pub(super) fn is_usable(&self) -> bool {
        !self.client.is_closed() && !self.peer.is_suspect()
    }

    pub(super) fn cancel_token(&self) -> CancelToken {
        self.client.cancel_token()
    }

    /// Waits for an answer until the deadline. After an error other than a refusal the connection
    /// must not be used again, because answers may still arrive on it.
    pub(super) async fn round_trip<T>(
        &self,
        payload: Payload,
        messages: impl Future<Output = Result<T, tokio_postgres::Error>>,
    ) -> Result<T, RoundTripError> {
        let commit_sent = payload == Payload::Commit;
        match timeout(self.limits.deadline, messages).await {
            Ok(Ok(answer)) => Ok(answer),
            Ok(Err(err)) if err.as_db_error().is_some() && !is_connection_ending(&err) => {
                Err(RoundTripError::from_refusal(err))
            }
            Ok(Err(err)) => Err(RoundTripError::Lost {
                err: EngineError::from(err).0,
                commit_sent,
                stalled: false,
            }),
            Err(_) => {
                // A commit may wait for a standby while the primary is well.
                if !commit_sent {
                    self.peer.note_hang();
                }
                let (address, millis) = (self.peer.address(), self.limits.deadline.as_millis());
                let EngineError(err) =
                    EngineError::unavailable(format!("{address}: no answer within {millis} ms"));
                Err(RoundTripError::Lost { err, commit_sent, stalled: commit_sent })
            }
        }
    }

    /// Prepares a statement when it is used first.
    pub(super) async fn prepare(&self, sql: &'static str) -> Result<Statement, RoundTripError> {
        let known = |prepared: &Mutex<HashMap<_, Statement>>| {
            let prepared = prepared.lock().unwrap_or_else(PoisonError::into_inner);
            prepared.get(sql).cloned()
        };
        if let Some(statement) = known(&self.prepared) {
            return Ok(statement);
        }
        let statement = self.round_trip(Payload::Statements, self.client.prepare(sql)).await?;
        let mut prepared = self.prepared.lock().unwrap_or_else(PoisonError::into_inner);
        Ok(prepared.entry(sql).or_insert(statement).clone())
    }

    /// Prepares the statements of a round trip. Must be called before the round trip, because
    /// preparing a statement may take a round trip of its own.
    pub(super) async fn prepare_all(
        &self,
        queries: &[Query<'_>],
    ) -> Result<Vec<Statement>, RoundTripError> {
        let mut statements = Vec::with_capacity(queries.len());
        for (sql, _) in queries {
            statements.push(self.prepare(sql).await?);
        }
        Ok(statements)
    }

    /// Sends all statements at once, in order, and returns the rows of each.
    pub(super) async fn query_all(
        &self,
        statements: &[Statement],
        queries: &[Query<'_>],
    ) -> Result<Vec<Vec<Row>>, tokio_postgres::Error> {
        let queries = statements.iter().zip(queries);
        try_join_all(queries.map(|(statement, (_, params))| self.client.query(statement, params)))
            .await
    }
}
