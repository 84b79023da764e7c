//! Query plans of the arena's statements on SQLite: by an index, and without sorting.
//!
//! The statements are taken from the source itself, so that none can be changed or added without
//! being checked here.

use rusqlite::Connection;

use crate::engine::turn;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{debate_id, draft, open, opening};

const LIST: &str = include_str!("../../../src/sqlite/arena/list.rs");
const LIST_BY_NAME: &str = include_str!("../../../src/sqlite/arena/list_by_name.rs");
const READ: &str = include_str!("../../../src/sqlite/arena/read.rs");
const WRITE: &str = include_str!("../../../src/sqlite/arena/write.rs");

/// Every string of a source file that begins like this.
pub(super) fn statements<'s>(source: &'s str, verb: &str) -> Vec<&'s str> {
    let opening = format!("\"{verb} ");
    source
        .match_indices(&opening)
        .filter_map(|(at, _)| source.get(at + 1..)?.split('"').next())
        .collect()
}

/// The query plan of a statement.
pub(super) fn plan(conn: &Connection, statement: &str) -> Vec<String> {
    let mut explain = conn
        .prepare(&format!("explain query plan {statement}"))
        .expect("the statement is one of ours");
    // Without bound values, because the plan must not depend on them.
    explain
        .raw_query()
        .mapped(|row| row.get(3))
        .collect::<rusqlite::Result<_>>()
        .expect("a plan can be read")
}

/// Enough debates for a meaningful query plan.
async fn populated(folder: &TempDatabase) -> Connection {
    let on = folder.engine();
    for number in 1..=30 {
        on.store.open(open(opening(number), number)).await.expect("the id is free");
        for round in 1..=number % 4 {
            let draft = draft(100 * number + round, turn(round));
            on.add_draft(debate_id(number), draft, number).await;
        }
    }
    drop(on);
    folder.writable_connection()
}

fn assert_by_index(conn: &Connection, statement: &str) {
    let plan = plan(conn, statement);
    for step in &plan {
        assert!(!step.contains("TEMP B-TREE"), "{statement}\n{plan:#?}");
        let whole_table = ["debates", "arguments", "standings"]
            .iter()
            .any(|table| step.starts_with(&format!("SCAN {table}")));
        assert!(!whole_table || step.contains("USING"), "{statement}\n{plan:#?}");
    }
}

#[tokio::test]
async fn every_list_page_uses_an_index_without_sorting() {
    let folder = TempDatabase::new();
    let conn = populated(&folder).await;
    let pages: Vec<_> = statements(LIST, "select")
        .into_iter()
        .filter(|statement| statement.contains("limit"))
        .collect();
    assert_eq!(pages.len(), 4, "three filters and the search");
    for statement in pages {
        assert_by_index(&conn, statement);
    }
}

#[tokio::test]
async fn each_filter_uses_its_index() {
    let folder = TempDatabase::new();
    let conn = populated(&folder).await;
    let pages = statements(LIST, "select");
    for (needle, index) in [
        ("where (updated_at, debate_id)", "SEARCH standings USING PRIMARY KEY"),
        ("where state = ?5", "standings_by_state"),
        ("where last_seq = 1", "standings_unopposed"),
    ] {
        let page = pages.iter().find(|page| page.contains(needle)).expect("the page is there");
        let plan = plan(&conn, page);
        assert!(plan.iter().any(|step| step.contains(index)), "{page}\n{plan:#?}");
    }
}

/// A name selects few debates, so that they may be sorted.
#[tokio::test]
async fn lists_by_name_find_debates_by_their_ids() {
    let folder = TempDatabase::new();
    let conn = populated(&folder).await;
    let lists = statements(LIST_BY_NAME, "select");
    assert_eq!(lists.len(), 2, "the page and the total");
    for statement in lists {
        let plan = plan(&conn, statement);
        let by_id = "SEARCH d USING PRIMARY KEY (id>? AND id<?)";
        assert!(plan.iter().any(|step| step == by_id), "{statement}\n{plan:#?}");
        assert!(!plan.iter().any(|step| step.starts_with("SCAN")), "{statement}\n{plan:#?}");
    }
}

#[tokio::test]
async fn statements_on_one_debate_do_not_scan_all_debates() {
    let folder = TempDatabase::new();
    let conn = populated(&folder).await;
    let mut looked_at = 0;
    for source in [READ, WRITE] {
        for verb in ["select", "update", "delete"] {
            for statement in statements(source, verb) {
                assert_by_index(&conn, statement);
                let plan = plan(&conn, statement);
                assert!(!plan.iter().any(|step| step.starts_with("SCAN")), "{statement}");
                looked_at += 1;
            }
        }
    }
    assert!(looked_at >= 8, "the statements were found in the source");
}

/// If a plan may depend on bound values, SQLite plans the statement for each binding, which takes
/// longer than most statements.
#[tokio::test]
async fn statements_are_not_planned_again_for_each_binding() {
    let folder = TempDatabase::new();
    let conn = populated(&folder).await;
    // As the connections of the store are configured.
    conn.set_db_config(rusqlite::config::DbConfig::SQLITE_DBCONFIG_ENABLE_QPSG, true).unwrap();
    for source in [LIST, LIST_BY_NAME, READ, WRITE] {
        for statement in statements(source, "select") {
            let mut prepared = conn.prepare(statement).expect("the statement is one of ours");
            for number in 1..=3_i64 {
                for parameter in 1..=prepared.parameter_count() {
                    prepared.raw_bind_parameter(parameter, number).expect("it is one of its own");
                }
                let mut rows = prepared.raw_query();
                while rows.next().expect("it can be read").is_some() {}
            }
            let again = prepared.get_status(rusqlite::StatementStatus::RePrepare);
            assert_eq!(again, 0, "{statement}");
        }
    }
}
