//! The check of a database: every debate and run is replayed, and every stored value counts.

use std::fs;

use debate_core::{Seq, StateMismatch};
use debate_store::{ArchiveError, Item, archive_tables};

use super::{End, auxiliary, copy_to, database, forum, item, runner};
use crate::contract::runner::fixture::run_id;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{OPPOSE, PROPOSE, debate_id};

/// A database with debates, runs, a forum and the other tables.
async fn filled() -> TempDatabase {
    let folder = TempDatabase::new();
    let on = folder.engine();
    on.play_moves(1, &[OPPOSE, PROPOSE, OPPOSE]).await;
    super::seats::fill(&on).await;
    runner::fill(&on).await;
    forum::fill(&on).await;
    drop(on);
    folder.writable_connection().execute_batch(auxiliary::ROWS).expect("the rows fit");
    folder
}

#[tokio::test]
async fn check_passes_on_both_engines_with_the_same_digest() {
    let (folder, server) = (filled().await, database());
    let contents = End::File(&folder).contents().await;
    assert_eq!((contents.count("debates"), contents.count("arguments")), (3, 8));
    assert_eq!(contents.stale_index, None);
    copy_to(&End::File(&folder), &End::Server(&server)).await.unwrap();
    let there = End::Server(&server).contents().await;
    assert_eq!((there.digest, &there.rows), (contents.digest, &contents.rows));
    assert_eq!(there.stale_index, None);
}

/// Differences, the item that has them, and the value as it is reported.
fn differences() -> [(&'static str, Item, &'static str, Option<Seq>); 5] {
    let (debate, run) = (Item::Debate(debate_id(1)), Item::Run(run_id(2)));
    [
        (
            "update arguments set state_after = 'AWAITING_ARBITRATOR'
             where seq = 3 and author is null",
            debate,
            "state_after: expected AWAITING_OPPONENT, found AWAITING_ARBITRATOR",
            Some(Seq::new(3)),
        ),
        (
            "update arguments set kind = 'APPEAL' where seq = 2 and author is null",
            debate,
            "kind: expected a move that is allowed in AWAITING_OPPONENT, found APPEAL by the \
             opponent",
            Some(Seq::new(2)),
        ),
        (
            "update debates set slug = 'debate-1-0123' where title = 'Debate 1'",
            debate,
            "slug: expected debate-1-4dev or a longer suffix, found debate-1-0123",
            None,
        ),
        (
            "update runs set completed_rounds = 2 where last_seq = 5",
            run,
            "completed_rounds: expected 1, found 2",
            None,
        ),
        (
            "update run_turns set seq = 7 where seq = 2",
            run,
            "seq: expected 2, found 3",
            Some(Seq::new(2)),
        ),
    ]
}

fn assert_reported(err: &ArchiveError, expected: (Item, &str, Option<Seq>)) {
    assert_eq!(item(err), Some(expected.0), "{err}");
    let ArchiveError::Mismatch { mismatch, .. } = err else { panic!("{err:?}") };
    let StateMismatch { seq, field, expected: value, found } = mismatch;
    assert_eq!(*seq, expected.2, "{mismatch}");
    assert_eq!(format!("{field}: expected {value}, found {found}"), expected.1);
}

#[tokio::test]
async fn check_reports_the_first_difference_on_sqlite() {
    for (change, item, text, seq) in differences() {
        let folder = filled().await;
        assert!(folder.writable_connection().execute(change, []).unwrap() > 0, "{change}");
        let err = End::File(&folder).checked().await.expect_err(change);
        assert_reported(&err, (item, text, seq));
    }
}

#[tokio::test]
async fn check_reports_the_first_difference_on_postgresql() {
    let folder = filled().await;
    for (change, item, text, seq) in differences() {
        let server = database();
        copy_to(&End::File(&folder), &End::Server(&server)).await.unwrap();
        server.sql(&[change]).expect("the tables are there");
        let err = End::Server(&server).checked().await.expect_err(change);
        assert_reported(&err, (item, text, seq));
    }
}

/// Columns that a copy changes.
const LEASES: [(&str, &str); 4] =
    [("runs", "holder"), ("runs", "due"), ("runs", "held_since"), ("debates", "updated_at")];

#[tokio::test]
async fn check_notices_a_change_of_any_column_of_any_table() {
    let folder = filled().await;
    let digest = End::File(&folder).contents().await.digest;
    let saved = folder.bytes();
    for (table, columns) in archive_tables() {
        for column in columns {
            let is_stored = super::table_columns(&folder.read_only_connection(), table)
                .iter()
                .any(|stored| stored == column);
            if !is_stored || LEASES.contains(&(table, column)) || table.starts_with("debate_") {
                continue;
            }
            let change = format!(
                "pragma foreign_keys = off; pragma ignore_check_constraints = on;
                 update {table} set {column} = case
                     when {column} in (0, 1) then 1 - {column}
                     when typeof({column}) = 'integer' then {column} + 1000
                     when typeof({column}) = 'text' then {column} || 'x'
                     when typeof({column}) = 'blob' then randomblob(length({column}))
                     else (select case type when 'INTEGER' then 1 when 'TEXT' then 'x'
                               else randomblob(16) end
                           from pragma_table_info('{table}') where name = '{column}') end
                 where ({}) = (select {} from {table} limit 1)",
                key_of(table),
                key_of(table)
            );
            folder.writable_connection().execute_batch(&change).expect(&change);
            let checked = End::File(&folder).checked().await;
            assert!(!checked.is_ok_and(|found| found.digest == digest), "{table}.{column}");
            fs::write(folder.path(), &saved).expect("the file is writable");
        }
    }
}

/// The columns that identify a row for the statement above.
fn key_of(table: &str) -> &'static str {
    match table {
        "forum_keys" => "prefix, digest",
        "forum_votes" => "post_id, agent_id",
        "forum_feed" => "solution_id, seq",
        "forum_verdicts" => "key",
        "forum_tokens" | "run_days" => "day",
        "original_ids" => "kind, original",
        "revoked_sessions" => "digest",
        "seats" => "debate_id, side",
        _ => "id",
    }
}

#[tokio::test]
async fn lease_of_a_run_is_not_part_of_the_digest() {
    let folder = filled().await;
    let before = End::File(&folder).contents().await.digest;
    let conn = folder.writable_connection();
    let release = "update runs set holder = null, due = held_since, held_since = null
        where held_since is not null and due is not null";
    assert!(conn.execute(release, []).unwrap() > 0);
    drop(conn);
    assert_eq!(End::File(&folder).contents().await.digest, before);
}
