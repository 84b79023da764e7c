//! A database with any number of debates, made without the server, which would take too long.
//!
//! Ids are spread evenly, as random ones are, so that debates next to each other in time are far
//! apart on the disk. A smaller database holds a part of a larger one's debates: the active ones
//! are the same in both.

use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::ceiling;
use crate::debates::Debate;

/// How many debates are claimed in. They have nothing but their motion.
pub(crate) const ACTIVE: u32 = 1000;

/// 2026-01-01.
const EPOCH_MILLIS: u64 = 1_767_225_600_000;

/// An argument of a debate that is not active.
struct Past {
    kind: &'static str,
    role: &'static str,
    state_after: &'static str,
}

const MOTION: Past = Past { kind: "MOTION", role: "proposer", state_after: "AWAITING_OPPONENT" };
const CLAIM: Past = Past { kind: "CLAIM", role: "opponent", state_after: "AWAITING_PROPOSER" };
const INTERVENTION: Past =
    Past { kind: "INTERVENTION", role: "arbitrator", state_after: "INTERVENTION_PENDING" };
const RULING: Past = Past { kind: "RULING", role: "arbitrator", state_after: "CLOSED" };

/// What was said in the debate at `place`: enough variety for every list to have its share.
const fn log_of(place: u32, total: u32) -> &'static [Past] {
    if place.is_multiple_of(total / ACTIVE) {
        return &[MOTION];
    }
    match place % 3 {
        0 => &[MOTION],
        1 => &[MOTION, CLAIM],
        _ => &[MOTION, INTERVENTION, RULING],
    }
}

/// The debates that are claimed in, in a database made with the same `total`.
pub(crate) fn active(total: u32) -> Vec<Debate> {
    let places = (0..total).step_by(step(total));
    places.map(|place| Debate::fresh(debate_id(place, total), argument_id(place, 0))).collect()
}

fn step(total: u32) -> usize {
    usize::try_from(total / ACTIVE).unwrap_or(usize::MAX)
}

/// Makes a database of only the active debates of `total`, or of all of them.
pub(crate) fn make(path: &Path, total: u32, which: Which) -> anyhow::Result<()> {
    let conn = ceiling::create(path)?;
    conn.execute_batch(
        "pragma journal_mode = off;
         pragma synchronous = off;
         pragma cache_size = -524288;
         begin;",
    )?;
    let step = match which {
        Which::Active => step(total),
        Which::All => 1,
    };
    for place in (0..total).step_by(step) {
        insert(&conn, place, total)?;
    }
    count(&conn)?;
    conn.execute_batch("commit")?;
    drop(conn);
    // Else the server's first sync would have to wait for all of this.
    File::open(path)?.sync_all()?;
    Ok(())
}

/// Which debates are stored.
#[derive(Debug, Clone, Copy)]
pub(crate) enum Which {
    Active,
    All,
}

fn insert(conn: &Connection, place: u32, total: u32) -> anyhow::Result<()> {
    let (debate, log) = (debate_id(place, total), log_of(place, total));
    let (title, motion) = (format!("On plan {place}"), format!("Let us go on with plan {place}."));
    let at = time_of(place, total);
    let state = log.last().map_or(MOTION.state_after, |argument| argument.state_after);
    conn.prepare_cached(
        "insert into debates (id, title, debate_type, created_at)
         values (?1, ?2, 'general_debate', ?3)",
    )?
    .execute(params![debate.as_bytes(), title, at])?;
    conn.prepare_cached(
        "insert into standings (updated_at, debate_id, state, last_seq) values (?1, ?2, ?3, ?4)",
    )?
    .execute(params![at, debate.as_bytes(), state, log.len()])?;
    conn.prepare_cached("insert into debate_search (debate_id, folded) values (?1, ?2)")?
        .execute(params![debate.as_bytes(), format!("{title}\n{motion}").to_lowercase()])?;
    for (index, argument) in (0_u8..).zip(log) {
        let id = argument_id(place, index);
        conn.prepare_cached(
            "insert into arguments (id, debate_id, kind, role, content, client_request_id,
                                    fingerprint, seq, state_after, created_at)
             values (?1, ?2, ?3, ?4, ?5, ?6, ?7, ?8, ?9, ?10)",
        )?
        .execute(params![
            id.as_bytes(),
            debate.as_bytes(),
            argument.kind,
            argument.role,
            motion,
            id.to_string(),
            [7_u8; 32],
            index + 1,
            argument.state_after,
            at,
        ])?;
    }
    Ok(())
}

/// What the server counts as it writes.
fn count(conn: &Connection) -> anyhow::Result<()> {
    conn.execute(
        "insert into debate_counts (bucket, debates)
         select iif(state = 'AWAITING_OPPONENT' and last_seq = 1, 'UNOPPOSED', state) as bucket,
                count(*)
         from standings group by bucket",
        [],
    )?;
    Ok(())
}

/// Evenly spread and ascending, so that making a million of them appends.
fn debate_id(place: u32, total: u32) -> Uuid {
    let spread = u64::from(place) * (u64::MAX / u64::from(total));
    let tail = u64::from(place).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut bytes = [0; 16];
    let (head_half, tail_half) = bytes.split_at_mut(8);
    head_half.copy_from_slice(&spread.to_be_bytes());
    tail_half.copy_from_slice(&tail.to_be_bytes());
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// Time-ordered, as the server makes them.
fn argument_id(place: u32, index: u8) -> Uuid {
    let mut unique = [0; 10];
    let (head, tail) = unique.split_at_mut(6);
    head.fill(index);
    tail.copy_from_slice(&place.to_be_bytes());
    uuid::Builder::from_unix_timestamp_millis(EPOCH_MILLIS + u64::from(place), &unique).into_uuid()
}

/// Shuffled, since what was written last is anywhere among the ids.
fn time_of(place: u32, total: u32) -> i64 {
    let shuffled = u64::from(place) * 7919 % u64::from(total);
    i64::try_from(EPOCH_MILLIS * 1000 + shuffled * 1000).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const TOTAL: u32 = 3000;

    fn made(which: Which) -> (tempfile::TempDir, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stock.db");
        make(&path, TOTAL, which).unwrap();
        let conn = Connection::open(path).unwrap();
        (folder, conn)
    }

    fn number(conn: &Connection, sql: &str) -> u32 {
        conn.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn the_active_debates_are_the_same_in_both_databases_and_have_only_a_motion() {
        for which in [Which::Active, Which::All] {
            let (_folder, conn) = made(which);
            for debate in active(TOTAL) {
                let found: ([u8; 16], u32) = conn
                    .query_row(
                        "select arguments.id, last_seq from standings
                         join arguments using (debate_id) where debate_id = ?1",
                        [debate.id.as_bytes()],
                        |row| Ok((row.get(0)?, row.get(1)?)),
                    )
                    .unwrap();
                assert_eq!(found, (debate.motion.into_bytes(), 1));
            }
        }
    }

    #[test]
    fn every_debate_is_counted_once_and_its_log_is_dense() {
        let (_folder, conn) = made(Which::All);
        assert_eq!(number(&conn, "select count(*) from debates"), TOTAL);
        assert_eq!(number(&conn, "select count(*) from debate_search"), TOTAL);
        assert_eq!(number(&conn, "select sum(debates) from debate_counts"), TOTAL);
        let broken = "select count(*) from standings where last_seq <>
            (select max(seq) from arguments where debate_id = standings.debate_id
             having count(*) = max(seq) and min(seq) = 1)";
        assert_eq!(number(&conn, broken), 0);
    }

    #[test]
    fn ids_are_unique_and_ascending() {
        let ids: Vec<Uuid> = (0..TOTAL).map(|place| debate_id(place, TOTAL)).collect();
        assert!(ids.is_sorted());
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        let arguments = (0..TOTAL).flat_map(|place| (0..3).map(move |n| argument_id(place, n)));
        let arguments: Vec<Uuid> = arguments.collect();
        assert!(arguments.is_sorted());
        assert_eq!(arguments.iter().collect::<HashSet<_>>().len(), arguments.len());
    }
}
