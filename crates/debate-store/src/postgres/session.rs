//! One connection that writes: what it has prepared, and the two flights of a batch.

use futures_util::future::{BoxFuture, FutureExt, try_join_all, try_join3, try_join4};
use tokio::task::JoinHandle;
use tokio::time::timeout;
use tokio_postgres::{Client, Row, Statement};

use super::arena::{Asked, Changes, Params};
use super::fault::Fault;
use super::flight::{FLIGHT, Failed, WRITING_SESSION, land};
use super::server::Server;

/// The rows must be locked in one order everywhere, or two batches could wait for each other.
const HEADS: &str = "select id, title, debate_type, state, created_at, updated_at, last_seq,
            auto_ruling
     from debates where id = any($1) order by id for update";

/// A statement of its own, after the locks: it sees what those who held them before have written.
const KEYS: &str = "select a.id, a.debate_id, a.parent_id, a.kind, a.role, a.content,
            a.client_request_id, a.seq, a.created_at, a.state_after, a.fingerprint
     from unnest($1::text[], $2::uuid[]) as asked (key, debate)
     join arguments a on a.client_request_id = asked.key and a.debate_id = asked.debate";

const HOMES: &str = "select id, debate_id from arguments where id = any($1)";

/// What the first flight brings home.
pub(super) struct Loaded {
    pub(super) heads: Vec<Row>,
    pub(super) keys: Vec<Row>,
    pub(super) homes: Vec<Row>,
}

pub(super) struct Session {
    client: Client,
    driver: JoinHandle<()>,
    heads: Statement,
    keys: Statement,
    homes: Statement,
    /// In the order of `Changes::STATEMENTS`.
    writes: Vec<Statement>,
}

impl Session {
    pub(super) async fn open(server: &Server) -> Result<Self, Fault> {
        let opened = timeout(FLIGHT, Self::prepared(server)).await;
        opened.unwrap_or_else(|_| Err(Fault::away("PostgreSQL did not answer in time")))
    }

    async fn prepared(server: &Server) -> Result<Self, Fault> {
        let (client, wire) = server.connect().await?;
        let driver = tokio::spawn(async move {
            if let Err(err) = wire.await {
                tracing::warn!(error = %err, "a connection to PostgreSQL ended");
            }
        });
        client.batch_execute(WRITING_SESSION).await?;
        let (heads, keys, homes) =
            try_join3(client.prepare(HEADS), client.prepare(KEYS), client.prepare(HOMES)).await?;
        let mut writes = Vec::new();
        for sql in Changes::STATEMENTS {
            writes.push(client.prepare(sql).await?);
        }
        Ok(Self { client, driver, heads, keys, homes, writes })
    }

    /// Whether the connection was alive when last heard of.
    pub(super) fn is_alive(&self) -> bool {
        !self.client.is_closed()
    }

    /// The first flight: begins, locks the debates, and looks up what a decision needs.
    pub(super) async fn load(&self, asked: &Asked) -> Result<Loaded, Failed> {
        let Asked { debates, keys, key_debates, targets } = asked;
        let client = &self.client;
        // Each is sent when it is first polled, which happens in this order.
        let locked: Params<'_> = vec![debates];
        let known: Params<'_> = vec![keys, key_debates];
        let placed: Params<'_> = vec![targets];
        let flight = try_join4(
            client.batch_execute("begin"),
            client.query(&self.heads, &locked),
            client.query(&self.keys, &known),
            client.query(&self.homes, &placed),
        );
        let ((), heads, keys, homes) = land(flight, false).await?;
        Ok(Loaded { heads, keys, homes })
    }

    /// The second flight: writes everything, and commits. Every statement's own result counts: a
    /// commit after a failure says "done" and has rolled back.
    pub(super) async fn save(&self, changes: &Changes) -> Result<(), Failed> {
        let writes = self.writes.iter().zip(changes.params()).filter_map(|(statement, params)| {
            params.map(|params| self.write(statement, params).boxed())
        });
        let mut flight: Vec<BoxFuture<'_, Result<(), tokio_postgres::Error>>> = writes.collect();
        flight.push(self.client.batch_execute("commit").boxed());
        land(try_join_all(flight), true).await?;
        Ok(())
    }

    async fn write(
        &self,
        statement: &Statement,
        params: Params<'_>,
    ) -> Result<(), tokio_postgres::Error> {
        self.client.execute(statement, &params).await?;
        Ok(())
    }

    /// Leaves a transaction that came to nothing.
    pub(super) async fn roll_back(&self) -> Result<(), Failed> {
        land(self.client.batch_execute("rollback"), false).await
    }
}

impl Drop for Session {
    fn drop(&mut self) {
        self.driver.abort();
    }
}
