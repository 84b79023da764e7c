//! A PostgreSQL database as an archive: inspected, migrated, read from end to end, or filled.

use std::collections::HashMap;

use debate_app::StoreError;
use tokio_postgres::types::ToSql;
use tokio_postgres::{Client, Statement};

use super::limits::{BEGIN_READING, SHARE_SCHEMA};
use super::migrate::{self, CURRENT_VERSION, FORUM_VERSION, RUNNER_VERSION};
use super::pooler;
use super::server::{NewConnection, Server};
use super::values::{params, to_rows};
use super::{ConnectError, Postgres};
use crate::archive::Table;
use crate::archive::{
    Archive, ArchiveError, COPIED, DERIVED, DatabaseStatus, Dialect, EngineArchive, Migration,
    TableRow,
};
use crate::engine::EngineError;
use crate::sql::Value;

/// The settings of every transaction of an archive. The transaction may be idle while the other
/// side of a copy works, and one statement may count millions of rows.
const SETTINGS: &str = "set local jit = off;
     set local lock_timeout = '5s'; set local statement_timeout = 0;
     set local idle_in_transaction_session_timeout = 0;
     select set_config('synchronous_commit', 'on', true)
     where current_setting('synchronous_commit') in ('off', 'local')";

/// Makes the planner use indexes: each page is a few rows of many.
const BY_INDEX: &str = "set local enable_seqscan = off; set local enable_hashjoin = off;
     set local enable_mergejoin = off";

const COUNTS: &str = "select (select count(*) from debates), (select count(*) from arguments)";

const RUN_COUNTS: &str = "select (select count(*) from runs), (select count(*) from run_turns)";

const FORUM_COUNTS: &str =
    "select (select count(*) from forum_agents), (select count(*) from forum_posts)";

const SIZE: &str = "select pg_database_size(current_database())";

/// A database in one transaction.
pub(crate) struct PostgresArchive {
    client: Client,
    prepared: HashMap<String, Statement>,
}

impl Postgres {
    /// Reads the schema version and the row counts. Servers may use the database meanwhile.
    pub async fn inspect(url: &str) -> Result<DatabaseStatus, ConnectError> {
        let server = Server::from_url(url)?;
        let archive = PostgresArchive::connect(&server).await?;
        archive.begin(&server, BEGIN_READING).await?;
        let version = migrate::server_version(&server, &archive.client).await?;
        let layout = migrate::find_version(&server, &archive.client).await?;
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
        Ok(DatabaseStatus {
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

    /// Migrates the database to the schema version of this build.
    pub async fn migrate(url: &str) -> Result<Migration, ConnectError> {
        let server = Server::from_url(url)?;
        pooler::refuse_if_shared(&server).await?;
        let prepared = migrate::prepare(&server).await?;
        Ok(Migration { from: prepared.found, to: CURRENT_VERSION })
    }

    /// Opens the database as the source of a copy, in one snapshot. Servers may use it meanwhile.
    pub async fn source(url: &str) -> Result<Archive, ConnectError> {
        let server = Server::from_url(url)?;
        let archive = PostgresArchive::connect(&server).await?;
        archive.begin(&server, BEGIN_READING).await?;
        archive.run(&server, BY_INDEX).await?;
        let found = migrate::find_version(&server, &archive.client).await?;
        needs_current(&server, found.unwrap_or_default())?;
        Ok(Archive(EngineArchive::Postgres(Box::new(archive))))
    }

    /// Opens an empty database as the destination of a copy. Servers may read it meanwhile; their
    /// writes and another copy wait. A database that is refused is not changed.
    pub async fn destination(url: &str) -> Result<Archive, ConnectError> {
        let server = Server::from_url(url)?;
        let archive = PostgresArchive::connect(&server).await?;
        if let Some(found) = migrate::find_version(&server, &archive.client).await? {
            needs_current(&server, found)?;
        }
        migrate::prepare(&server).await?;
        archive.begin(&server, "begin").await?;
        archive.run(&server, SHARE_SCHEMA).await?;
        let tables: Vec<_> = COPIED.iter().chain(&DERIVED).map(|table| table.name).collect();
        let lock = format!("lock table {} in share row exclusive mode", tables.join(", "));
        archive.run(&server, &lock).await?;
        let found = migrate::find_version(&server, &archive.client).await?;
        needs_current(&server, found.unwrap_or_default())?;
        archive.run(&server, BY_INDEX).await?;
        Ok(Archive(EngineArchive::Postgres(Box::new(archive))))
    }

    /// The server and database that a URL names, without the password.
    pub fn display_name(url: &str) -> Result<String, ConnectError> {
        Server::from_url(url).map(|server| server.name())
    }
}

impl PostgresArchive {
    async fn connect(server: &Server) -> Result<Self, ConnectError> {
        pooler::refuse_if_shared(server).await?;
        let connected = server.connect().await;
        let NewConnection { client, driver, .. } =
            connected.map_err(|failure| migrate::connect_error(server, &failure))?;
        // The task ends when the client is dropped, and the server rolls back what was not
        // committed. The client reports errors of the connection too.
        tokio::spawn(driver);
        Ok(Self { client, prepared: HashMap::new() })
    }

    async fn begin(&self, server: &Server, begin: &str) -> Result<(), ConnectError> {
        self.run(server, begin).await?;
        self.run(server, SETTINGS).await
    }

    async fn run(&self, server: &Server, statements: &str) -> Result<(), ConnectError> {
        let ran = self.client.batch_execute(statements).await;
        ran.map_err(|err| migrate::query_error(server, &err))
    }

    pub(crate) async fn page(
        &mut self,
        table: &'static Table,
        after: Option<&[Value<'static>]>,
    ) -> Result<Vec<TableRow>, ArchiveError> {
        let statement = table.page_statement(Dialect::Postgres, after.is_some());
        let statement = self.prepare(statement).await?;
        let values = params(after.unwrap_or_default());
        let found = self.client.query(&statement, &values).await.map_err(failure)?;
        let rows = to_rows(&found).map_err(|EngineError(err)| ArchiveError::from(err))?;
        rows.iter().map(|row| TableRow::read(table, row)).collect()
    }

    /// Inserts a page with one statement: each column is bound as an array.
    pub(crate) async fn insert(
        &mut self,
        table: &Table,
        rows: &[TableRow],
    ) -> Result<(), ArchiveError> {
        let has_nul = |row: &&TableRow| row.values.iter().any(Value::has_nul);
        if let Some(row) = rows.iter().find(has_nul) {
            return Err(ArchiveError::Nul(row.item()));
        }
        for insert in table.insert_statements(Dialect::Postgres) {
            let statement = self.prepare(insert.statement).await?;
            let column = |index| rows.iter().filter_map(move |row| row.values.get(index)).collect();
            let columns: Vec<Vec<&Value<'_>>> = insert.indexes.into_iter().map(column).collect();
            let arrays: Vec<&(dyn ToSql + Sync)> =
                columns.iter().map(|column| -> &(dyn ToSql + Sync) { column }).collect();
            self.client.execute(&statement, &arrays).await.map_err(failure)?;
        }
        Ok(())
    }

    /// Empties the derived tables.
    pub(crate) async fn prepare_derived(&mut self) -> Result<(), ArchiveError> {
        for table in DERIVED {
            let delete = format!("delete from {}", table.name);
            self.client.batch_execute(&delete).await.map_err(failure)?;
        }
        Ok(())
    }

    pub(crate) async fn commit(&mut self) -> Result<(), StoreError> {
        let committed = self.client.batch_execute("commit").await;
        committed.map_err(|err| EngineError::from(err).0)
    }

    async fn prepare(&mut self, statement: String) -> Result<Statement, ArchiveError> {
        if let Some(known) = self.prepared.get(&statement) {
            return Ok(known.clone());
        }
        let prepared = self.client.prepare(&statement).await.map_err(failure)?;
        self.prepared.insert(statement, prepared.clone());
        Ok(prepared)
    }

    async fn numbers(&self, server: &Server, statement: &str) -> Result<Vec<u64>, ConnectError> {
        let failed = |err: tokio_postgres::Error| migrate::query_error(server, &err);
        let row = self.client.query_one(statement, &[]).await.map_err(failed)?;
        let number = |column| row.try_get::<_, i64>(column).map_err(failed);
        let numbers = (0..row.len()).map(number).collect::<Result<Vec<_>, _>>()?;
        Ok(numbers.into_iter().map(|number| u64::try_from(number).unwrap_or_default()).collect())
    }
}

fn failure(err: tokio_postgres::Error) -> ArchiveError {
    EngineError::from(err).0.into()
}

fn needs_current(server: &Server, found: i64) -> Result<(), ConnectError> {
    let known = CURRENT_VERSION;
    match found {
        CURRENT_VERSION => Ok(()),
        found if found > CURRENT_VERSION => Err(ConnectError::Newer { found, known }),
        found => Err(ConnectError::Older { server: server.name(), found, known }),
    }
}
