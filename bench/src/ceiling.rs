//! The upper limits of the machine and of SQLite: no network, no JSON, no other client.

use std::fs::File;
use std::io::{Seek, SeekFrom, Write};
use std::path::Path;
use std::time::{Duration, Instant};

use anyhow::Context;
use rusqlite::config::DbConfig;
use rusqlite::{Connection, OptionalExtension, params};
use uuid::Uuid;

use crate::debates::kilobyte;
use crate::server::thread_cpu;
use crate::stats::{micros, to_f64};

/// The server's current migrations.
const SCHEMA: [&str; 7] = [
    include_str!("../../crates/debate-store/migrations/sqlite/0002_arena.sql"),
    include_str!("../../crates/debate-store/migrations/sqlite/0003_runner.sql"),
    include_str!("../../crates/debate-store/migrations/sqlite/0004_forum.sql"),
    include_str!("../../crates/debate-store/migrations/sqlite/0005_standings.sql"),
    include_str!("../../crates/debate-store/migrations/sqlite/0006_hardening.sql"),
    include_str!("../../crates/debate-store/migrations/sqlite/0007_undecided_posts.sql"),
    include_str!("../../crates/debate-store/migrations/sqlite/0008_seats.sql"),
];

/// A new database with the server's schema and no rows.
pub(crate) fn create(path: &Path) -> anyhow::Result<Connection> {
    let conn = Connection::open(path)?;
    for step in SCHEMA {
        conn.execute_batch(step)?;
    }
    conn.execute("insert into schema_meta (key, value) values ('version', '8')", [])?;
    conn.set_prepared_statement_cache_capacity(64);
    Ok(conn)
}

/// The throughput of a series of writes.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Throughput {
    pub(crate) per_second: f64,
    pub(crate) cpu_micros_each: f64,
}

/// Claims as the server writes them, all in one transaction, each in its own savepoint.
pub(crate) fn giant_transaction(folder: &Path, writes: usize) -> anyhow::Result<Throughput> {
    let conn = create(&folder.join("ceiling.db"))?;
    // The server sets this too: without it SQLite plans the statements again for each claim.
    conn.set_db_config(DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true)?;
    conn.execute_batch(
        "pragma journal_mode = wal;
         pragma synchronous = full;
         pragma foreign_keys = on;
         pragma cache_size = -65536;
         pragma temp_store = memory;
         pragma wal_autocheckpoint = 0;",
    )?;
    let debates = open_debates(&conn, 1000)?;
    let (started, cpu_before) = (Instant::now(), thread_cpu()?);
    conn.execute_batch("begin immediate")?;
    for (debate, motion) in debates.iter().cycle().take(writes) {
        conn.prepare_cached("savepoint claim")?.execute([])?;
        append(&conn, *debate, *motion)?;
        conn.prepare_cached("release claim")?.execute([])?;
    }
    conn.execute_batch("commit")?;
    let (took, cpu) = (started.elapsed(), thread_cpu()?.saturating_sub(cpu_before));
    Ok(Throughput {
        per_second: to_f64(writes) / took.as_secs_f64(),
        cpu_micros_each: micros(cpu) / to_f64(writes),
    })
}

fn open_debates(conn: &Connection, count: usize) -> anyhow::Result<Vec<(Uuid, Uuid)>> {
    conn.execute_batch("begin immediate")?;
    let debates = (0..count)
        .map(|_| {
            let (debate, motion, now) = (Uuid::new_v4(), Uuid::now_v7(), now_micros());
            conn.prepare_cached(
                "insert into debates (id, title, debate_type, created_at, slug)
                 values (?1, 'On the plan', 'general_debate', ?2, ?3)",
            )?
            .execute(params![
                debate.as_bytes(),
                now,
                format!("on-the-plan-{debate}")
            ])?;
            conn.prepare_cached(
                "insert into standings (updated_at, debate_id, state, last_seq)
                 values (?1, ?2, 'AWAITING_OPPONENT', 1)",
            )?
            .execute(params![now, debate.as_bytes()])?;
            insert(conn, debate, motion, 1, "AWAITING_OPPONENT", now)?;
            Ok((debate, motion))
        })
        .collect::<anyhow::Result<Vec<_>>>()?;
    conn.execute_batch("commit")?;
    Ok(debates)
}

/// One claim: all statements of the server's `append`, in its order. For a cached debate the server
/// skips the first and the third.
fn append(conn: &Connection, debate: Uuid, motion: Uuid) -> anyhow::Result<()> {
    let Head { state, updated_at, last_seq } =
        head(conn, debate)?.context("the debate was just opened")?;
    let key = Uuid::now_v7().to_string();
    let known: Option<[u8; 16]> = conn
        .prepare_cached(
            "select id, debate_id, parent_id, kind, role, content, client_request_id, seq,
                    created_at, state_after, author, fingerprint
             from arguments where client_request_id = ?1 and debate_id = ?2",
        )?
        .query_row(params![key, debate.as_bytes()], |row| row.get(0))
        .optional()?;
    anyhow::ensure!(known.is_none(), "a new key was known already");
    let home: [u8; 16] = conn
        .prepare_cached("select debate_id from arguments where id = ?1")?
        .query_row([motion.as_bytes()], |row| row.get(0))?;
    anyhow::ensure!(home == *debate.as_bytes(), "the motion is of another debate");
    let next = if state == "AWAITING_OPPONENT" { "AWAITING_PROPOSER" } else { "AWAITING_OPPONENT" };
    let now = now_micros();
    insert(conn, debate, Uuid::now_v7(), last_seq + 1, next, now)?;
    let moved = conn
        .prepare_cached(
            "update standings set updated_at = ?3, state = ?4, last_seq = ?5
             where updated_at = ?1 and debate_id = ?2",
        )?
        .execute(params![updated_at, debate.as_bytes(), now, next, last_seq + 1])?;
    anyhow::ensure!(moved == 1, "a debate without its standing");
    Ok(())
}

/// A debate's state, motion and newest argument.
struct Head {
    state: String,
    updated_at: i64,
    last_seq: u32,
}

fn head(conn: &Connection, debate: Uuid) -> anyhow::Result<Option<Head>> {
    let head = conn
        .prepare_cached(
            "select d.id, d.title, d.debate_type, a.state_after, d.created_at,
                    coalesce(a.updated_after, a.created_at), d.slug, d.seat_changes, a.seq,
                    d.auto_ruling, d.invite, d.seat_fields
             from debates d cross join arguments a
             where d.id = ?1 and a.debate_id = ?1 order by a.seq desc limit 1",
        )?
        .query_row([debate.as_bytes()], |row| {
            let (_title, _kind): (String, String) = (row.get(1)?, row.get(2)?);
            let _slug: String = row.get(6)?;
            Ok(Head { state: row.get(3)?, updated_at: row.get(5)?, last_seq: row.get(8)? })
        })
        .optional()?;
    Ok(head)
}

fn insert(
    conn: &Connection,
    debate: Uuid,
    argument: Uuid,
    seq: u32,
    state_after: &str,
    at: i64,
) -> anyhow::Result<()> {
    conn.prepare_cached(
        "insert into arguments
             (id, debate_id, parent_id, kind, role, content, client_request_id, fingerprint, seq,
              state_after, created_at, author)
         values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10, ?11, ?12)",
    )?
    .execute(params![
        argument.as_bytes(),
        debate.as_bytes(),
        None::<[u8; 16]>,
        "CLAIM",
        "opponent",
        kilobyte(),
        Uuid::now_v7().to_string(),
        [7_u8; 32],
        seq,
        state_after,
        at,
        None::<String>,
    ])?;
    Ok(())
}

fn now_micros() -> i64 {
    jiff::Timestamp::now().as_microsecond()
}

/// The number of synced page writes per second.
pub(crate) fn syncs_per_second(folder: &Path, span: Duration) -> anyhow::Result<f64> {
    let page = [0x5a_u8; 4096];
    let mut file = File::create(folder.join("sync.bin"))?;
    file.write_all(&page)?;
    file.sync_all()?;
    let started = Instant::now();
    let mut syncs = 0;
    while started.elapsed() < span {
        file.seek(SeekFrom::Start(0))?;
        file.write_all(&page)?;
        file.sync_data()?;
        syncs += 1;
    }
    Ok(to_f64(syncs) / started.elapsed().as_secs_f64())
}
