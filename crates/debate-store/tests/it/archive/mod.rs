//! Whole databases, moved between the engines.

mod auxiliary;
mod faithful;
mod forum;
mod history;
mod many;
mod refused;
mod running;

use aw_testbed::Database;
use debate_app::moving::{Account, Archive, Copied, MoveError, Vault, account, copy};
use debate_app::runner::RunRows;
use debate_store::{Postgres, Sqlite};
use rusqlite::Connection;
use rusqlite::types::ValueRef;

use crate::sqlite::file::Folder;

/// One end of a copy.
pub(crate) enum End<'e> {
    File(&'e Folder),
    Server(&'e Database),
}

impl End<'_> {
    async fn source(&self) -> Box<dyn Archive> {
        match self {
            Self::File(folder) => Box::new(Sqlite::read(&folder.path()).expect("it can be read")),
            Self::Server(database) => {
                Box::new(Postgres::read(database.url()).await.expect("it can be read"))
            }
        }
    }

    async fn destination(&self) -> Box<dyn Vault> {
        match self {
            Self::File(folder) => Box::new(Sqlite::fill(&folder.path()).expect("it can be filled")),
            Self::Server(database) => {
                Box::new(Postgres::fill(database.url()).await.expect("it can be filled"))
            }
        }
    }

    async fn account(&self) -> Account {
        account(&mut *self.source().await).await.expect("it folds")
    }

    /// Whether there is nothing in it, as the next copy would see it.
    async fn is_empty(&self) -> bool {
        let mut vault = self.destination().await;
        let runs = vault.rows().await.expect("it can be asked");
        runs == RunRows::default() && vault.is_empty().await.expect("it can be asked")
    }
}

pub(crate) async fn copied(from: &End<'_>, to: &End<'_>) -> Result<Copied, MoveError> {
    copy(&mut *from.source().await, &mut *to.destination().await, &mut |_| {}).await
}

pub(crate) fn database() -> Database {
    Database::fresh().expect("PostgreSQL can be started")
}

/// Every row of every table of ours, in order, every byte of it.
fn export(folder: &Folder) -> Vec<u8> {
    let conn = folder.onlooker();
    let mut bytes = Vec::new();
    for statement in [
        "select * from debates order by id",
        "select * from standings order by debate_id",
        "select id, debate_id, parent_id, kind, role, content, client_request_id, fingerprint,
                seq, state_after, updated_after, created_at
         from arguments order by debate_id, seq",
        "select * from debate_search order by debate_id",
        "select * from debate_counts where debates <> 0 order by bucket",
        // Who holds a debate stays behind, and so does since when; the forum moves as it is.
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

/// A copy that knows too little would lose what a new table holds.
#[test]
fn every_table_there_is_is_one_that_a_copy_knows_of() {
    let folder = Folder::new();
    drop(folder.open().unwrap());
    let conn = folder.onlooker();
    let mut tables = conn
        .prepare("select name from sqlite_schema where type = 'table' order by name")
        .expect("every file has a schema");
    let tables = tables.query_map([], |row| row.get::<_, String>(0)).expect("it can be read");
    let tables: Vec<_> = tables.map(Result::unwrap).collect();
    let known = [
        "arguments",
        "debate_counts",
        "debate_search",
        "debates",
        "deleted_debates",
        "forum_agents",
        "forum_evaluations",
        "forum_feed",
        "forum_keys",
        "forum_posts",
        "forum_problems",
        "forum_solutions",
        "forum_tokens",
        "forum_verdicts",
        "forum_votes",
        "original_ids",
        "revoked_sessions",
        "run_calls",
        "run_days",
        "run_turns",
        "runs",
        "schema_meta",
        "standings",
    ];
    assert_eq!(tables, known);
}
