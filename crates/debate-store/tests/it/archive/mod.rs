//! Whole databases, checked and copied between the engines.

mod auxiliary;
mod check;
mod equality;
mod forum;
mod history;
mod large;
mod refusals;
mod runner;
mod seats;

use aw_testbed::Database;
use debate_store::{
    Archive, ArchiveError, CopyResult, DatabaseSummary, Item, Postgres, Sqlite, archive_tables,
    check, copy,
};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::sqlite::temp_database::TempDatabase;

/// One end of a copy.
pub(crate) enum End<'e> {
    File(&'e TempDatabase),
    Server(&'e Database),
}

impl End<'_> {
    async fn source(&self) -> Archive {
        match self {
            Self::File(folder) => Sqlite::source(&folder.path()).expect("the file is readable"),
            Self::Server(database) => {
                Postgres::source(database.url()).await.expect("the database is readable")
            }
        }
    }

    async fn destination(&self) -> Archive {
        match self {
            Self::File(folder) => Sqlite::destination(&folder.path()).expect("the file is empty"),
            Self::Server(database) => {
                Postgres::destination(database.url()).await.expect("the database is empty")
            }
        }
    }

    async fn checked(&self) -> Result<DatabaseSummary, ArchiveError> {
        check(&mut self.source().await, &mut |_| {}).await
    }

    async fn contents(&self) -> DatabaseSummary {
        self.checked().await.expect("the database has no mismatch")
    }

    /// Whether the next copy can fill the database.
    async fn is_empty(&self) -> bool {
        self.destination().await.is_empty().await.expect("the database is readable")
    }
}

pub(crate) async fn copy_to(from: &End<'_>, to: &End<'_>) -> Result<CopyResult, ArchiveError> {
    copy(&mut from.source().await, &mut to.destination().await, &mut |_| {}).await
}

/// The debate, run or table that an error names.
fn item(err: &ArchiveError) -> Option<Item> {
    match err {
        ArchiveError::Mismatch { item, .. }
        | ArchiveError::Orphan { item, .. }
        | ArchiveError::Unreadable { item, .. }
        | ArchiveError::Nul(item) => Some(*item),
        ArchiveError::NotEmpty(_)
        | ArchiveError::Different { .. }
        | ArchiveError::Store(_)
        | ArchiveError::Commit(_) => None,
    }
}

pub(crate) fn database() -> Database {
    Database::fresh().expect("PostgreSQL can be started")
}

/// Every row of every table of the archive, in order.
fn export(folder: &TempDatabase) -> Vec<u8> {
    let conn = folder.read_only_connection();
    let mut bytes = Vec::new();
    for statement in [
        "select * from debates order by id",
        "select * from standings order by debate_id",
        "select id, debate_id, parent_id, kind, role, content, client_request_id, fingerprint,
                seq, state_after, updated_after, created_at, author
         from arguments order by debate_id, seq",
        "select * from seats order by debate_id, side",
        "select * from debate_search order by debate_id",
        "select * from debate_counts where debates <> 0 order by bucket",
        // The holder of a run and its lease are not copied; those of the forum are.
        "select id, topic, status, stop_reason, debater_a_side, output_language, judge_mode,
                max_rounds, max_runtime_seconds, max_total_output_tokens, max_tokens_debater,
                max_tokens_judge, model_debater, model_debater_a, model_debater_b, model_judge,
                prompt_version, next_round, next_actor, last_error, last_seq, completed_rounds,
                spent, ran, tries, term, coalesce(held_since, due), idempotency_key, fingerprint,
                created_at, updated_at, output_language_given
         from runs order by id",
        "select id, run_id, seq, round, actor, content, model, prompt_tokens, completion_tokens,
                outcome, verdict_valid, summary, score_a, score_b, winner,
                no_new_substantive_arguments, created_at, duration_ms, usage_clipped
         from run_turns order by run_id, seq",
        "select id, run_id, round, actor, number, model, allowed, started_at, finished_at, called,
                prompt_tokens, completion_tokens, prompt_bytes, usd_input_rate, usd_output_rate,
                usage_clipped
         from run_calls order by run_id, round, actor, number",
        "select * from run_days order by day",
        "select * from forum_agents order by 1, 2",
        "select * from forum_keys order by 1, 2",
        "select * from forum_problems order by 1, 2",
        "select * from forum_solutions order by 1, 2",
        "select * from forum_posts order by 1, 2",
        "select * from forum_votes order by 1, 2",
        "select * from forum_feed order by 1, 2",
        "select * from forum_evaluations order by 1, 2",
        "select * from forum_verdicts order by 1, 2",
        "select * from forum_tokens order by 1, 2",
        "select * from original_ids order by 1, 2",
        "select * from deleted_debates order by 1",
        "select * from revoked_sessions order by 1",
    ] {
        dump(&conn, statement, &mut bytes);
    }
    bytes
}

fn dump(conn: &Connection, statement: &str, bytes: &mut Vec<u8>) {
    let mut statement = conn.prepare(statement).expect("the table is there");
    let columns = statement.column_count();
    let mut rows = statement.query([]).expect("the table can be read");
    while let Some(row) = rows.next().expect("the table can be read") {
        for column in 0..columns {
            let (kind, value) = match row.get_ref(column).expect("there are as many columns") {
                ValueRef::Null => (b'0', Vec::new()),
                ValueRef::Integer(number) => (b'i', number.to_le_bytes().to_vec()),
                ValueRef::Real(number) => (b'r', number.to_le_bytes().to_vec()),
                ValueRef::Text(text) => (b't', text.to_vec()),
                ValueRef::Blob(blob) => (b'b', blob.to_vec()),
            };
            bytes.push(kind);
            bytes.extend(value.len().to_le_bytes());
            bytes.extend(value);
        }
    }
}

/// Tables of SQLite that a copy does not contain under this name, and the reason.
const NOT_COPIED: [(&str, &str); 3] = [
    ("schema_meta", "each database has its own version"),
    ("standings", "stored with debates"),
    ("login_codes", "valid for minutes, on one server"),
];

/// Columns that only one engine has, or that are a copy of another table's.
const NOT_IN_SQLITE: [(&str, &str); 5] = [
    ("debates", "state"),
    ("debates", "last_seq"),
    ("debates", "updated_at"),
    ("run_days", "slot"),
    ("debate_counts", "slot"),
];

fn table_columns(conn: &Connection, table: &str) -> Vec<String> {
    let mut columns =
        conn.prepare("select name from pragma_table_info(?1)").expect("it is a statement");
    let names = columns.query_map([table], |row| row.get(0)).expect("the table exists");
    names.map(Result::unwrap).collect()
}

/// A table or column that is missing in the list would be lost by a copy.
#[test]
fn archive_lists_every_table_and_column_of_the_schema() {
    let folder = TempDatabase::new();
    drop(folder.open().unwrap());
    let conn = folder.read_only_connection();
    let mut tables = conn
        .prepare("select name from sqlite_schema where type = 'table' order by name")
        .expect("every file has a schema");
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).expect("it can be read");
    let mut tables: Vec<_> = tables.map(Result::unwrap).collect();
    tables.retain(|table| NOT_COPIED.iter().all(|(name, _)| name != table));
    let mut listed: Vec<_> = archive_tables().into_iter().map(|(name, _)| name).collect();
    listed.sort_unstable();
    assert_eq!(listed, tables);
    for (table, columns) in archive_tables() {
        let mut columns: Vec<_> = columns
            .into_iter()
            .filter(|column| !NOT_IN_SQLITE.contains(&(table, column)))
            .collect();
        columns.sort_unstable();
        let mut found = table_columns(&conn, table);
        // Recorded by the destination from the time at which the debate changed.
        found.retain(|column| column != "updated_after");
        found.sort_unstable();
        assert_eq!(columns, found, "{table}");
    }
}
