//! A database with any number of debates, created without the server, which would take too long.
//!
//! Ids are spread evenly, like random ids, so that debates of nearby times are far apart on the
//! disk. A smaller database holds a subset of the debates of a larger one: the active debates are
//! the same in both.

use std::fs::File;
use std::path::Path;

use rusqlite::{Connection, params};
use uuid::Uuid;

use crate::ceiling;
use crate::debates::Debate;

/// The number of debates that receive claims. They contain only their motion.
pub(crate) const ACTIVE: u32 = 1000;

/// 2026-01-01 in milliseconds since 1970.
const EPOCH_MILLIS: u64 = 1_767_225_600_000;

/// An argument of a debate that is not active.
struct PastArgument {
    kind: &'static str,
    role: &'static str,
    state_after: &'static str,
}

const MOTION: PastArgument =
    PastArgument { kind: "MOTION", role: "proposer", state_after: "AWAITING_OPPONENT" };
const CLAIM: PastArgument =
    PastArgument { kind: "CLAIM", role: "opponent", state_after: "AWAITING_PROPOSER" };
const INTERVENTION: PastArgument =
    PastArgument { kind: "INTERVENTION", role: "arbitrator", state_after: "INTERVENTION_PENDING" };
const RULING: PastArgument =
    PastArgument { kind: "RULING", role: "arbitrator", state_after: "CLOSED" };

/// The arguments of the debate at `index`: enough variety for every list filter to match some.
const fn arguments_at(index: u32, total: u32) -> &'static [PastArgument] {
    if index.is_multiple_of(total / ACTIVE) {
        return &[MOTION];
    }
    match index % 3 {
        0 => &[MOTION],
        1 => &[MOTION, CLAIM],
        _ => &[MOTION, INTERVENTION, RULING],
    }
}

/// The debates that receive claims, in a database created with the same `total`.
pub(crate) fn active(total: u32) -> Vec<Debate> {
    let indexes = (0..total).step_by(step(total));
    indexes.map(|index| Debate::fresh(debate_id(index, total), argument_id(index, 0))).collect()
}

fn step(total: u32) -> usize {
    usize::try_from(total / ACTIVE).unwrap_or(usize::MAX)
}

/// Creates a database of only the active debates of `total`, or of all of them.
pub(crate) fn make(path: &Path, total: u32, set: DebateSet) -> anyhow::Result<()> {
    let conn = ceiling::create(path)?;
    conn.execute_batch(
        "pragma journal_mode = off;
         pragma synchronous = off;
         pragma cache_size = -524288;
         begin;",
    )?;
    let step = match set {
        DebateSet::Active => step(total),
        DebateSet::All => 1,
    };
    for index in (0..total).step_by(step) {
        insert(&conn, index, total)?;
    }
    count(&conn)?;
    conn.execute_batch("commit")?;
    drop(conn);
    // Otherwise the server's first sync would include all of this.
    File::open(path)?.sync_all()?;
    Ok(())
}

/// The set of debates that a database contains.
#[derive(Debug, Clone, Copy)]
pub(crate) enum DebateSet {
    Active,
    All,
}

fn insert(conn: &Connection, index: u32, total: u32) -> anyhow::Result<()> {
    let (debate, arguments) = (debate_id(index, total), arguments_at(index, total));
    let (title, motion) = (format!("On plan {index}"), format!("Let us go on with plan {index}."));
    let at = updated_at(index, total);
    let state = arguments.last().map_or(MOTION.state_after, |argument| argument.state_after);
    conn.prepare_cached(
        "insert into debates (id, title, debate_type, created_at, slug)
         values (?1, ?2, 'general_debate', ?3, ?4)",
    )?
    .execute(params![debate.as_bytes(), title, at, format!("on-plan-{index:08}")])?;
    conn.prepare_cached(
        "insert into standings (updated_at, debate_id, state, last_seq) values (?1, ?2, ?3, ?4)",
    )?
    .execute(params![at, debate.as_bytes(), state, arguments.len()])?;
    conn.prepare_cached("insert into debate_search (debate_id, folded) values (?1, ?2)")?
        .execute(params![debate.as_bytes(), format!("{title}\n{motion}").to_lowercase()])?;
    for (position, argument) in (0_u8..).zip(arguments) {
        let id = argument_id(index, position);
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
            position + 1,
            argument.state_after,
            at,
        ])?;
    }
    Ok(())
}

/// Fills the counters that the server maintains on each write.
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

/// Evenly spread and ascending, so that inserting a million of them appends to the index.
fn debate_id(index: u32, total: u32) -> Uuid {
    let spread = u64::from(index) * (u64::MAX / u64::from(total));
    let tail = u64::from(index).wrapping_mul(0x9e37_79b9_7f4a_7c15);
    let mut bytes = [0; 16];
    let (head_half, tail_half) = bytes.split_at_mut(8);
    head_half.copy_from_slice(&spread.to_be_bytes());
    tail_half.copy_from_slice(&tail.to_be_bytes());
    uuid::Builder::from_random_bytes(bytes).into_uuid()
}

/// Time-ordered, like the server's ids.
fn argument_id(index: u32, position: u8) -> Uuid {
    let mut unique = [0; 10];
    let (head, tail) = unique.split_at_mut(6);
    head.fill(position);
    tail.copy_from_slice(&index.to_be_bytes());
    uuid::Builder::from_unix_timestamp_millis(EPOCH_MILLIS + u64::from(index), &unique).into_uuid()
}

/// Shuffled, so that the newest debates are spread over all ids.
fn updated_at(index: u32, total: u32) -> i64 {
    let shuffled = u64::from(index) * 7919 % u64::from(total);
    i64::try_from(EPOCH_MILLIS * 1000 + shuffled * 1000).unwrap_or(i64::MAX)
}

#[cfg(test)]
mod tests {
    use std::collections::HashSet;

    use super::*;

    const TOTAL: u32 = 3000;

    fn create_database(set: DebateSet) -> (tempfile::TempDir, Connection) {
        let folder = tempfile::tempdir().unwrap();
        let path = folder.path().join("stock.db");
        make(&path, TOTAL, set).unwrap();
        let conn = Connection::open(path).unwrap();
        (folder, conn)
    }

    fn number(conn: &Connection, sql: &str) -> u32 {
        conn.query_row(sql, [], |row| row.get(0)).unwrap()
    }

    #[test]
    fn active_debates_are_the_same_in_both_databases_and_have_only_a_motion() {
        for set in [DebateSet::Active, DebateSet::All] {
            let (_folder, conn) = create_database(set);
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
    fn each_debate_is_counted_once_and_its_sequence_is_dense() {
        let (_folder, conn) = create_database(DebateSet::All);
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
        let ids: Vec<Uuid> = (0..TOTAL).map(|index| debate_id(index, TOTAL)).collect();
        assert!(ids.is_sorted());
        assert_eq!(ids.iter().collect::<HashSet<_>>().len(), ids.len());
        let arguments = (0..TOTAL).flat_map(|index| (0..3).map(move |n| argument_id(index, n)));
        let arguments: Vec<Uuid> = arguments.collect();
        assert!(arguments.is_sorted());
        assert_eq!(arguments.iter().collect::<HashSet<_>>().len(), arguments.len());
    }
}
