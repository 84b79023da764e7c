//! Finding out what a database holds, and bringing it to the layout of this build.

use tokio_postgres::error::SqlState;
use tokio_postgres::{Client, Transaction};

use super::ConnectError;
use super::server::{Server, words};

/// Every layout, oldest first.
const MIGRATIONS: [(i64, &str); 1] =
    [(2, include_str!("../../migrations/postgres/0002_arena.sql"))];

/// The layout this build works with.
const CURRENT_VERSION: i64 = 2;

/// The oldest server this build works with.
const OLDEST_SERVER: i32 = 140_000;

/// Held while a database is brought up to date: two processes may start at once. ("aweave")
const MIGRATION_LOCK: i64 = 0x6177_6561_7665;

/// How long a start waits for another process that is at it, and for each step.
const PATIENCE: &str = "set local lock_timeout = '60s'; set local statement_timeout = '10min'";

/// Connects, looks, and runs every step the database still lacks. Tells the server's version.
pub(super) async fn prepare(server: &Server) -> Result<String, ConnectError> {
    let (mut client, wire) =
        server.connect().await.map_err(|err: tokio_postgres::Error| refused(server, &err))?;
    let driver = tokio::spawn(wire);
    let prepared = bring_up_to_date(server, &mut client).await;
    drop(client);
    // It ends by itself once its client is gone, and it has nothing more to say.
    let _ = driver.await;
    prepared
}

async fn bring_up_to_date(server: &Server, client: &mut Client) -> Result<String, ConnectError> {
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
    let tx = client.transaction().await.map_err(failed)?;
    tx.batch_execute(PATIENCE).await.map_err(failed)?;
    tx.execute("select pg_advisory_xact_lock($1)", &[&MIGRATION_LOCK]).await.map_err(failed)?;
    let found = found(server, &tx).await?;
    for (version, sql) in MIGRATIONS.iter().filter(|(version, _)| *version > found) {
        tx.batch_execute(sql).await.map_err(failed)?;
        tx.execute(
            "insert into schema_meta (key, value) values ('version', $1)
             on conflict (key) do update set value = excluded.value",
            &[&version.to_string()],
        )
        .await
        .map_err(failed)?;
        tracing::info!(version, "the database was brought to a new layout");
    }
    check_rights(server, &tx).await?;
    tx.commit().await.map_err(failed)?;
    Ok(version)
}

/// Which layout the database has; 0 when it is empty.
async fn found(server: &Server, tx: &Transaction<'_>) -> Result<i64, ConnectError> {
    let failed = |err: tokio_postgres::Error| refused(server, &err);
    let row = tx
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
        return if has_debates { Err(not_ours()) } else { Ok(0) };
    }
    let version = tx
        .query_opt("select value from schema_meta where key = 'version'", &[])
        .await
        .map_err(failed)?;
    let Some(version) = version else { return Ok(0) };
    let version: String = version.try_get(0).map_err(failed)?;
    match version.parse() {
        Ok(found) if found > CURRENT_VERSION => {
            Err(ConnectError::Newer { found, known: CURRENT_VERSION })
        }
        Ok(found) => Ok(found),
        Err(_) => Err(ConnectError::NotOurs { server: server.name() }),
    }
}

/// Tables made by another role may be there and still not be ours to write.
async fn check_rights(server: &Server, tx: &Transaction<'_>) -> Result<(), ConnectError> {
    let row = tx
        .query_one(
            "select bool_and(has_table_privilege(name, needed))
             from unnest($1::text[]) as name,
                  unnest('{select, insert, update, delete}'::text[]) as needed",
            &[&["schema_meta", "debates", "arguments", "debate_search", "debate_counts"]
                .as_slice()],
        )
        .await
        .map_err(|err: tokio_postgres::Error| refused(server, &err))?;
    let may: bool = row.try_get(0).map_err(|err: tokio_postgres::Error| refused(server, &err))?;
    if may {
        Ok(())
    } else {
        let (server, user) = (server.name(), server.user().to_owned());
        Err(ConnectError::NoRights { server, user, words: "its tables are another role's".into() })
    }
}

/// What stands in the way, and what to do about it.
fn refused(server: &Server, err: &tokio_postgres::Error) -> ConnectError {
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
        // The driver has no other sign for it.
        None if words(err).contains("TLS") => {
            ConnectError::Insecure { server: name, words: words(err) }
        }
        None => ConnectError::Unreachable { server: name, words: words(err) },
    }
}
