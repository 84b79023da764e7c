//! The views for people who read the database with SQL: text ids, ISO 8601 times, no secrets, and
//! the same columns on both engines.

use aw_testbed::Database;
use debate_core::forum::guardrail::Decision;
use jiff::Timestamp;
use uuid::Uuid;

use crate::engine::Engine;
use crate::postgres::store_on;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::OPPOSE;

/// Each view, with its ids and its times as two texts. An absent id or time is replaced by
/// one that always exists.
const VIEWS: [(&str, &str, &str); 10] = [
    ("debates_view", "id", "created_at || ' ' || updated_at"),
    ("arguments_view", "id || ' ' || debate_id || ' ' || coalesce(parent_id, id)", "created_at"),
    ("runs_view", "id", "created_at || ' ' || updated_at"),
    ("turns_view", "id || ' ' || run_id", "created_at"),
    ("calls_view", "id || ' ' || run_id", "started_at || ' ' || finished_at"),
    ("agents_view", "id", "created_at"),
    ("problems_view", "id || ' ' || agent_id || ' ' || evaluation_id", "created_at"),
    (
        "solutions_view",
        "id || ' ' || problem_id || ' ' || agent_id || ' ' || evaluation_id",
        "created_at || ' ' || updated_at",
    ),
    (
        "posts_view",
        "id || ' ' || solution_id || ' ' || agent_id || ' ' || root_id || ' ' || evaluation_id
             || ' ' || coalesce(parent_id, id)",
        "created_at",
    ),
    (
        "evaluations_view",
        "id || ' ' || agent_id || ' ' || coalesce(problem_id, id) || ' '
             || coalesce(solution_id, id) || ' ' || coalesce(post_id, id)",
        "created_at || ' ' || coalesce(decided_at, created_at)",
    ),
];

/// Rows for every view.
async fn fill(on: &Engine) {
    on.play_moves(1, &[OPPOSE]).await;
    on.start_run(1, 0).await;
    on.execute_step(1, 1).await;
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
    on.decide_post(1, Decision::Approve, 2).await;
    on.create_post(1, 2, Some(1), 5).await;
}

/// Checks every view through `ask`, which returns one line for each row.
fn assert_readable(ask: impl Fn(&str) -> Vec<String>) {
    for (view, ids, times) in VIEWS {
        let rows = ask(&format!("select {ids} || ';' || {times} from {view}"));
        assert!(!rows.is_empty(), "{view} is empty");
        for row in rows {
            let (ids, times) = row.split_once(';').expect("both are there");
            for id in ids.split(' ') {
                let parsed = Uuid::parse_str(id).unwrap_or_else(|_| panic!("{view}: {row}"));
                assert_eq!(parsed.to_string(), id, "{view}: {row}");
            }
            for time in times.split(' ') {
                let parsed: Result<Timestamp, _> = time.parse();
                assert!(parsed.is_ok() && time.len() == 27, "{view}: {row}");
            }
        }
    }
    let debate =
        "select id || ' ' || title || ' ' || state || ' ' || created_at || ' ' || updated_at
        from debates_view";
    assert_eq!(
        ask(debate),
        ["00000000-0000-0000-0000-deba00000001 Debate 1 AWAITING_PROPOSER \
          2026-02-02T02:40:00.000000Z 2026-02-02T02:41:40.000000Z"]
    );
    let roots = "select count(*) || '' from posts_view where parent_id is null";
    assert_eq!(ask(roots), ["1"], "an absent parent is null");
}

fn assert_no_secrets(view: &str, columns: &[String]) {
    for secret in ["digest", "prefix", "fingerprint", "key", "text_mark", "holder"] {
        let has_secret = columns.iter().any(|column| column.contains(secret));
        assert!(!has_secret, "{view} shows {secret}: {columns:?}");
    }
}

fn sqlite_lines(folder: &TempDatabase, query: &str) -> Vec<String> {
    let conn = folder.read_only_connection();
    let mut statement = conn.prepare(query).expect("the query is valid");
    let rows = statement.query_map([], |row| row.get(0)).expect("the query runs");
    rows.collect::<Result<_, _>>().expect("each row is a text")
}

fn sqlite_columns(folder: &TempDatabase, view: &str) -> Vec<String> {
    sqlite_lines(folder, &format!("select name from pragma_table_info('{view}') order by cid"))
}

fn postgres_lines(database: &Database, query: &str) -> Vec<String> {
    let lines = database.sql(&[query]).expect("the query runs");
    lines.lines().map(str::to_owned).collect()
}

#[tokio::test]
async fn views_of_sqlite_show_text_ids_and_iso_times_and_refuse_writes() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    fill(&on).await;
    assert_readable(|query| sqlite_lines(&folder, query));
    for (view, ..) in VIEWS {
        assert_no_secrets(view, &sqlite_columns(&folder, view));
        let deleted = folder.writable_connection().execute(&format!("delete from {view}"), []);
        deleted.expect_err("a view is read-only");
    }
}

#[tokio::test]
async fn views_of_postgresql_show_the_same_as_those_of_sqlite_and_refuse_writes() {
    let (folder, database) =
        (TempDatabase::new(), Database::fresh().expect("PostgreSQL can be started"));
    drop(folder.engine());
    let on = store_on(database.url()).await;
    fill(&on).await;
    assert_readable(|query| postgres_lines(&database, query));
    for (view, ..) in VIEWS {
        let columns = format!(
            "select column_name from information_schema.columns where table_name = '{view}'
             order by ordinal_position"
        );
        assert_eq!(postgres_lines(&database, &columns), sqlite_columns(&folder, view), "{view}");
        let deleted = database.sql(&[&format!("delete from {view}")]);
        deleted.expect_err("a view is read-only");
    }
}
