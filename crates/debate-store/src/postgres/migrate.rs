//! Detection and migration of the schema version of a database.

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient, Transaction};

use super::ConnectError;
use super::limits::SCHEMA_LOCK;
use super::server::{ConnectFailure, NewConnection, Server, error_chain};
use super::slugs;

/// Every schema version, oldest first.
const MIGRATIONS: [(i64, &str); 7] = [
    (2, include_str!("../../migrations/postgres/0002_arena.sql")),
    (3, include_str!("../../migrations/postgres/0003_runner.sql")),
    (4, include_str!("../../migrations/postgres/0004_forum.sql")),
    (5, include_str!("../../migrations/postgres/0005_standings.sql")),
    (6, include_str!("../../migrations/postgres/0006_hardening.sql")),
    (7, include_str!("../../migrations/postgres/0007_undecided_posts.sql")),
    (SLUG_VERSION, include_str!("../../migrations/postgres/0008_seats.sql")),
];

/// Every table of the current schema version.
const TABLES: [&str; 25] = [
    "schema_meta",
    "debates",
    "arguments",
    "debate_search",
    "debate_counts",
    "runs",
    "run_turns",
    "run_calls",
    "run_days",
    "forum_agents",
    "forum_keys",
    "forum_problems",
    "forum_solutions",
    "forum_posts",
    "forum_votes",
    "forum_feed",
    "forum_evaluations",
    "forum_verdicts",
    "forum_tokens",
    "deleted_debates",
    "revoked_sessions",
    "original_ids",
    "rate_windows",
    "seats",
    "login_codes",
];

/// The first schema version with runs.
pub(super) const RUNNER_VERSION: i64 = 3;

/// The first schema version with a forum.
pub(super) const FORUM_VERSION: i64 = 4;

/// The first schema version with slugs.
const SLUG_VERSION: i64 = 8;

/// The schema version of this build.
pub(super) const CURRENT_VERSION: i64 = 8;

/// The oldest supported version of PostgreSQL, as `server_version_num`.
const OLDEST_SERVER: i32 = 140_000;

/// The advisory lock of a migration, because two processes may start at once.
/// The number spells "aweave".
const MIGRATION_LOCK: i64 = 0x6177_6561_7665;

/// The time limits of a migration: for the lock of another process, and for each statement.
const MIGRATION_TIMEOUTS: &str =
    "set local lock_timeout = '60s'; set local statement_timeout = '10min'";

/// A database with the current schema version.
pub(super) struct PreparedDatabase {
    /// The version of PostgreSQL.
    pub(super) version: String,
    /// The schema version before the migration; none for an empty database.
    pub(super) found: Option<i64>,
}

/// Connects, and executes every migration that the database lacks.
pub(super) async fn prepare(server: &Server) -> Result<PreparedDatabase, ConnectError> {
    let connected = server.connect().await;
    let NewConnection { mut client, driver, .. } =
        connected.map_err(|failure| connect_error(server, &failure))?;
    let driver = tokio::spawn(driver);
    let prepared = migrate(server, &mut client).await;
    drop(client);
    // The task ends when its client is dropped; the client has reported its errors.
    let _ = driver.await;
    prepared
}

/// The version of PostgreSQL, if this build supports it.
pub(super) async fn server_version(
    server: &Server,
    client: &Client,
) -> Result<String, ConnectError> {
    let failed = |err: tokio_postgres::Error| query_error(server, &err);
    let row = client
        .query_one(
            "select current_setting('server_version_num')::int, current_setting('server_version')",
            &[],
        )
        .await
        .map_err(failed)?;
    let (number, version): (i32, String) =
        (row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?);
    // "15.18 (Debian 15.18-0+deb12u1)": the first word is enough.
    let version = version.split(' ').next().unwrap_or_default().to_owned();
    if number < OLDEST_SERVER {
        return Err(ConnectError::TooOld { found: version });
    }
    Ok(version)
}

async fn migrate(server: &Server, client: &mut Client) -> Result<PreparedDatabase, ConnectError> {
    let failed = |err: tokio_postgres::Error| query_error(server, &err);
    let version = server_version(server, client).await?;
    let tx = client.transaction().await.map_err(failed)?;
    tx.batch_execute(MIGRATION_TIMEOUTS).await.map_err(failed)?;
    tx.execute("select pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await.map_err(failed)?;
    let found = find_version(server, &tx).await?;
    if let Some(found) = found.filter(|found| *found > CURRENT_VERSION) {
        return Err(ConnectError::Newer { found, known: CURRENT_VERSION });
    }
    let lacks = |version| found.is_none_or(|found| version > found);
    if lacks(CURRENT_VERSION) {
        // Writers of this version finish first, and later ones find the new version.
        tx.execute("select pg_advisory_xact_lock($1)", &[&SCHEMA_LOCK]).await.map_err(failed)?;
    }
    for (version, sql) in MIGRATIONS.iter().filter(|(version, _)| lacks(*version)) {
        tx.batch_execute(sql).await.map_err(failed)?;
        if *version == SLUG_VERSION {
            slugs::assign(&tx).await.map_err(failed)?;
        }
        tx.execute(
            "insert into schema_meta (key, value) values ('version', $1)
             on conflict (key) do update set value = excluded.value",
            &[&version.to_string()],
        )
        .await
        .map_err(failed)?;
        tracing::info!(schema.version = version, "database migrated");
    }
    check_rights(server, &tx).await?;
    tx.commit().await.map_err(failed)?;
    Ok(PreparedDatabase { version, found })
}

/// The schema version of a database, supported or not; none for an empty database.
pub(super) async fn find_version(
    server: &Server,
    client: &impl GenericClient,
) -> Result<Option<i64>, ConnectError> {
    let failed = |err: tokio_postgres::Error| query_error(server, &err);
    let row = client
        .query_one(
            "select to_regclass('schema_meta') is not null, to_regclass('debates') is not null",
            &[],
        )
        .await
        .map_err(failed)?;
    let (has_meta, has_debates): (bool, bool) =
        (row.try_get(0).map_err(failed)?, row.try_get(1).map_err(failed)?);
    if !has_meta {
        let not_ours = || ConnectError::NotOurs { server: server.name() };
        return if has_debates { Err(not_ours()) } else { Ok(None) };
    }
    let version = client
        .query_opt("select value from schema_meta where key = 'version'", &[])
        .await
        .map_err(failed)?;
    let Some(version) = version else { return Ok(None) };
    let version: String = version.try_get(0).map_err(failed)?;
    let not_ours = |_| ConnectError::NotOurs { server: server.name() };
    version.parse().map(Some).map_err(not_ours)
}

/// Fails if the user may not write to a table, as when another role owns it.
async fn check_rights(server: &Server, tx: &Transaction<'_>) -> Result<(), ConnectError> {
    let row = tx
        .query_one(
            "select bool_and(has_table_privilege(name, needed))
             from unnest($1::text[]) as name,
                  unnest('{select, insert, update, delete}'::text[]) as needed",
            &[&TABLES.as_slice()],
        )
        .await
        .map_err(|err: tokio_postgres::Error| query_error(server, &err))?;
    let may: bool =
        row.try_get(0).map_err(|err: tokio_postgres::Error| query_error(server, &err))?;
    if may {
        Ok(())
    } else {
        let (server, user) = (server.name(), server.user().to_owned());
        Err(ConnectError::NoRights { server, user, message: "another role owns the tables".into() })
    }
}

/// The error of a connection to no host, with advice for the operator.
pub(super) fn connect_error(server: &Server, failure: &ConnectFailure) -> ConnectError {
    if let Some(answer) = failure.answer() {
        return query_error(server, answer);
    }
    let (server, message) = (server.name(), failure.to_string());
    // The driver reports TLS errors only in its message.
    if message.contains("TLS") {
        ConnectError::Insecure { server, message }
    } else {
        ConnectError::Unreachable { server, message }
    }
}

/// The error of a statement or of a login, with advice for the operator.
pub(super) fn query_error(server: &Server, err: &tokio_postgres::Error) -> ConnectError {
    let (name, user) = (server.name(), server.user().to_owned());
    match err.code() {
        Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => {
            ConnectError::Denied { server: name, user, message: error_chain(err) }
        }
        Some(&SqlState::INVALID_CATALOG_NAME) => ConnectError::NoDatabase { server: name },
        Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            ConnectError::NoRights { server: name, user, message: error_chain(err) }
        }
        Some(_) => ConnectError::Failed { server: name, message: error_chain(err) },
        None => ConnectError::Unreachable { server: name, message: error_chain(err) },
    }
}
