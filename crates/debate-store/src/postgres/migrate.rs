//! Finding out what a database holds, and bringing it to the layout of this build.

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, GenericClient, Transaction};

use super::ConnectError;
use super::limits::LAYOUT_LOCK;
use super::server::{ConnectFailure, Connected, Server, words};

/// Every layout, oldest first.
const MIGRATIONS: [(i64, &str); 5] = [
    (2, include_str!("../../migrations/postgres/0002_arena.sql")),
    (3, include_str!("../../migrations/postgres/0003_runner.sql")),
    (4, include_str!("../../migrations/postgres/0004_forum.sql")),
    (5, include_str!("../../migrations/postgres/0005_standings.sql")),
    (6, include_str!("../../migrations/postgres/0006_hardening.sql")),
];

/// Every table of the current layout.
const TABLES: [&str; 23] = [
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
];

/// The first layout in which debates run themselves.
pub(super) const RUNNER_VERSION: i64 = 3;

/// The first layout with a forum.
pub(super) const FORUM_VERSION: i64 = 4;

/// The layout this build works with.
pub(super) const CURRENT_VERSION: i64 = 6;

/// The oldest server this build works with.
const OLDEST_SERVER: i32 = 140_000;

/// Held while a database is brought up to date: two processes may start at once. ("aweave")
const MIGRATION_LOCK: i64 = 0x6177_6561_7665;

/// How long a start waits for another process that is at it, and for each step.
const PATIENCE: &str = "set local lock_timeout = '60s'; set local statement_timeout = '10min'";

/// A database that is up to date.
pub(super) struct Prepared {
    /// The server's version.
    pub(super) version: String,
    /// The layout that was found; none when the database was empty.
    pub(super) found: Option<i64>,
}

/// Connects, looks, and runs every step the database still lacks.
pub(super) async fn prepare(server: &Server) -> Result<Prepared, ConnectError> {
    let connected = server.connect().await;
    let Connected { mut client, wire, .. } =
        connected.map_err(|failure| unconnected(server, &failure))?;
    let driver = tokio::spawn(wire);
    let prepared = bring_up_to_date(server, &mut client).await;
    drop(client);
    // It ends by itself once its client is gone, and it has nothing more to say.
    let _ = driver.await;
    prepared
}

/// The server's version, if this build works with it.
pub(super) async fn server_version(
    server: &Server,
    client: &Client,
) -> Result<String, ConnectError> {
    let failed = |err: tokio_postgres::Error| refused(server, &err);
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

async fn bring_up_to_date(server: &Server, client: &mut Client) -> Result<Prepared, ConnectError> {
    let failed = |err: tokio_postgres::Error| refused(server, &err);
    let version = server_version(server, client).await?;
    let tx = client.transaction().await.map_err(failed)?;
    tx.batch_execute(PATIENCE).await.map_err(failed)?;
    tx.execute("select pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await.map_err(failed)?;
    let found = look(server, &tx).await?;
    if let Some(found) = found.filter(|found| *found > CURRENT_VERSION) {
        return Err(ConnectError::Newer { found, known: CURRENT_VERSION });
    }
    let lacks = |version| found.is_none_or(|found| version > found);
    if lacks(CURRENT_VERSION) {
        // Writers of this version finish first, and later ones find the new version.
        tx.execute("select pg_advisory_xact_lock($1)", &[&LAYOUT_LOCK]).await.map_err(failed)?;
    }
    for (version, sql) in MIGRATIONS.iter().filter(|(version, _)| lacks(*version)) {
        tx.batch_execute(sql).await.map_err(failed)?;
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
    Ok(Prepared { version, found })
}

/// Which layout the database has, whether this build can work with it or not; none when it is
/// empty.
pub(super) async fn look(
    server: &Server,
    client: &impl GenericClient,
) -> Result<Option<i64>, ConnectError> {
    let failed = |err: tokio_postgres::Error| refused(server, &err);
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

/// Tables made by another role may be there and still not be ours to write.
async fn check_rights(server: &Server, tx: &Transaction<'_>) -> Result<(), ConnectError> {
    let row = tx
        .query_one(
            "select bool_and(has_table_privilege(name, needed))
             from unnest($1::text[]) as name,
                  unnest('{select, insert, update, delete}'::text[]) as needed",
            &[&TABLES.as_slice()],
        )
        .await
        .map_err(|err: tokio_postgres::Error| refused(server, &err))?;
    let may: bool = row.try_get(0).map_err(|err: tokio_postgres::Error| refused(server, &err))?;
    if may {
        Ok(())
    } else {
        let (server, user) = (server.name(), server.user().to_owned());
        Err(ConnectError::NoRights { server, user, words: "another role owns the tables".into() })
    }
}

/// Why no host could be used, and what to do about it.
pub(super) fn unconnected(server: &Server, failure: &ConnectFailure) -> ConnectError {
    if let Some(answer) = failure.answer() {
        return refused(server, answer);
    }
    let (server, words) = (server.name(), failure.to_string());
    // The driver has no other sign for it.
    if words.contains("TLS") {
        ConnectError::Insecure { server, words }
    } else {
        ConnectError::Unreachable { server, words }
    }
}

/// What stands in the way, and what to do about it.
pub(super) fn refused(server: &Server, err: &tokio_postgres::Error) -> ConnectError {
    let (name, user) = (server.name(), server.user().to_owned());
    match err.code() {
        Some(&SqlState::INVALID_PASSWORD | &SqlState::INVALID_AUTHORIZATION_SPECIFICATION) => {
            ConnectError::Denied { server: name, user, words: words(err) }
        }
        Some(&SqlState::INVALID_CATALOG_NAME) => ConnectError::NoDatabase { server: name },
        Some(&SqlState::INSUFFICIENT_PRIVILEGE) => {
            ConnectError::NoRights { server: name, user, words: words(err) }
        }
        Some(_) => ConnectError::Failed { server: name, words: words(err) },
        None => ConnectError::Unreachable { server: name, words: words(err) },
    }
}
