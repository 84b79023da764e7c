//! A PostgreSQL database as a whole: looked at, brought up to date, read from end to end, or
//! filled.

use std::collections::HashMap;
use std::collections::hash_map::Entry;

use async_trait::async_trait;
use debate_app::StoreError;
use debate_app::moving::Vault;
use futures_util::future::try_join_all;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Row, Statement};

use super::connection::Query;
use super::fault::Fault;
use super::limits::{BEGIN_READING, SHARE_LAYOUT};
use super::migrate::{self, CURRENT_VERSION, FORUM_VERSION, RUNNER_VERSION};
use super::pooler;
use super::server::{Connected, Server};
use super::{ConnectError, Postgres};
use crate::survey::{Migrated, Survey};

/// What every transaction of it begins with. It may be idle while the other side of a copy is at
/// work, and one of its statements may count millions of rows.
const SETTINGS: &str = "set local jit = off;
     set local lock_timeout = '5s'; set local statement_timeout = 0;
     set local idle_in_transaction_session_timeout = 0;
     select set_config('synchronous_commit', 'on', true)
     where current_setting('synchronous_commit') in ('off', 'local')";

/// Servers may read meanwhile; whoever would write waits, and so does a second copy.
const LOCK_FOR_FILLING: &str = "
     lock table debates, arguments, debate_search, debate_counts, runs, run_turns, run_calls,
         run_days, forum_agents, forum_keys, forum_problems, forum_solutions, forum_posts,
         forum_votes, forum_feed, forum_evaluations, forum_verdicts, forum_tokens,
         deleted_debates, revoked_sessions, original_ids
     in share row exclusive mode";

/// The planner is told to use the indexes, as with every writer: each page is a few rows of many.
const BY_INDEX: &str = "set local enable_seqscan = off; set local enable_hashjoin = off;
     set local enable_mergejoin = off";

const COUNTS: &str = "select (select count(*) from debates), (select count(*) from arguments)";

const RUN_COUNTS: &str = "select (select count(*) from runs), (select count(*) from run_turns)";

const FORUM_COUNTS: &str =
    "select (select count(*) from forum_agents), (select count(*) from forum_posts)";

const SIZE: &str = "select pg_database_size(current_database())";

/// A database in one transaction, from its opening to its end.
pub struct PostgresArchive {
    client: Client,
    prepared: HashMap<&'static str, Statement>,
}

impl Postgres {
    /// What the database holds.
    pub async fn survey(url: &str) -> Result<Survey, ConnectError> {
        let server = Server::of(url)?;
        let archive = PostgresArchive::connect(&server).await?;
        archive.begin(&server, BEGIN_READING).await?;
        let version = migrate::server_version(&server, &archive.client).await?;
        let layout = migrate::look(&server, &archive.client).await?;
        let mut numbers = archive.numbers(&server, SIZE).await?;
        if layout.is_some() {
            numbers.extend(archive.numbers(&server, COUNTS).await?);
        }
        if layout >= Some(RUNNER_VERSION) {
            numbers.extend(archive.numbers(&server, RUN_COUNTS).await?);
        }
        if layout >= Some(FORUM_VERSION) {
            numbers.extend(archive.numbers(&server, FORUM_COUNTS).await?);
        }
        let mut numbers = numbers.into_iter();
        let mut next = || numbers.next().unwrap_or_default();
        Ok(Survey {
            engine: format!("postgresql {version}"),
            layout,
            known: CURRENT_VERSION,
            bytes: next(),
            debates: next(),
            arguments: next(),
            runs: next(),
            turns: next(),
            agents: next(),
            posts: next(),
        })
    }

    /// Brings the database to the layout of this build.
    pub async fn migrate(url: &str) -> Result<Migrated, ConnectError> {
        let server = Server::of(url)?;
        pooler::refuse_if_shared(&server).await?;
        let prepared = migrate::prepare(&server).await?;
        Ok(Migrated { from: prepared.found, to: CURRENT_VERSION })
    }

    /// All that is there now, whatever servers write meanwhile.
    pub async fn read(url: &str) -> Result<PostgresArchive, ConnectError> {
        let server = Server::of(url)?;
        let archive = PostgresArchive::connect(&server).await?;
        archive.begin(&server, BEGIN_READING).await?;
        archive.run(&server, BY_INDEX).await?;
        let found = migrate::look(&server, &archive.client).await?;
        needs_current(&server, found.unwrap_or_default())?;
        Ok(archive)
    }

    /// A database to be filled. What is refused is not touched.
    pub async fn fill(url: &str) -> Result<PostgresArchive, ConnectError> {
        let server = Server::of(url)?;
        let archive = PostgresArchive::connect(&server).await?;
        if let Some(found) = migrate::look(&server, &archive.client).await? {
            needs_current(&server, found)?;
        }
        migrate::prepare(&server).await?;
        archive.begin(&server, "begin").await?;
        archive.run(&server, SHARE_LAYOUT).await?;
        archive.run(&server, LOCK_FOR_FILLING).await?;
        let found = migrate::look(&server, &archive.client).await?;
        needs_current(&server, found.unwrap_or_default())?;
        archive.run(&server, BY_INDEX).await?;
        Ok(archive)
    }

    /// Where a URL leads to, without a word of its password.
    pub fn place_of(url: &str) -> Result<String, ConnectError> {
        Server::of(url).map(|server| server.name())
    }
}

impl PostgresArchive {
    async fn connect(server: &Server) -> Result<Self, ConnectError> {
        pooler::refuse_if_shared(server).await?;
        let connected = server.connect().await;
        let Connected { client, wire, .. } =
            connected.map_err(|failure| migrate::unconnected(server, &failure))?;
        // It ends by itself once its client is gone, and the server rolls back what was not
        // committed. What goes wrong meanwhile, the client is told too.
        tokio::spawn(wire);
        Ok(Self { client, prepared: HashMap::new() })
    }

    async fn begin(&self, server: &Server, begin: &str) -> Result<(), ConnectError> {
        self.run(server, begin).await?;
        self.run(server, SETTINGS).await
    }

    async fn run(&self, server: &Server, statements: &str) -> Result<(), ConnectError> {
        let ran = self.client.batch_execute(statements).await;
        ran.map_err(|err| migrate::refused(server, &err))
    }

    /// Runs a statement, which is prepared when it is first run.
    pub(super) async fn query(
        &mut self,
        statement: &'static str,
        params: &[&(dyn ToSql + Sync)],
    ) -> Result<Vec<Row>, Fault> {
        let statement = self.prepared(statement).await?;
        Ok(self.client.query(&statement, params).await?)
    }

    /// Runs statements in this order, without waiting for each.
    pub(super) async fn flight(&mut self, asked: &[Query<'_>]) -> Result<Vec<Vec<Row>>, Fault> {
        let mut statements = Vec::with_capacity(asked.len());
        for (statement, _) in asked {
            statements.push(self.prepared(statement).await?);
        }
        let queries = statements.iter().zip(asked);
        let sent = queries.map(|(statement, (_, params))| self.client.query(statement, params));
        Ok(try_join_all(sent).await?)
    }

    async fn prepared(&mut self, statement: &'static str) -> Result<Statement, Fault> {
        Ok(match self.prepared.entry(statement) {
            Entry::Occupied(known) => known.get().clone(),
            Entry::Vacant(unknown) => unknown.insert(self.client.prepare(statement).await?).clone(),
        })
    }

    async fn numbers(&self, server: &Server, statement: &str) -> Result<Vec<u64>, ConnectError> {
        let failed = |err: tokio_postgres::Error| migrate::refused(server, &err);
        let row = self.client.query_one(statement, &[]).await.map_err(failed)?;
        let number = |column| row.try_get::<_, i64>(column).map_err(failed);
        let numbers = (0..row.len()).map(number).collect::<Result<Vec<_>, _>>()?;
        Ok(numbers.into_iter().map(|number| u64::try_from(number).unwrap_or_default()).collect())
    }
}

#[async_trait]
impl Vault for PostgresArchive {
    async fn commit(&mut self) -> Result<(), StoreError> {
        let committed = self.client.batch_execute("commit").await;
        committed.map_err(|err| Fault::from(err).0)
    }
}

fn needs_current(server: &Server, found: i64) -> Result<(), ConnectError> {
    let known = CURRENT_VERSION;
    match found {
        CURRENT_VERSION => Ok(()),
        found if found > CURRENT_VERSION => Err(ConnectError::Newer { found, known }),
        found => Err(ConnectError::Older { server: server.name(), found, known }),
    }
}
