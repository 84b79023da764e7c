//! The migration of original databases: every row and field is kept, and debates continue.

use std::fs;

use debate_core::Seq;
use debate_core::arena::{ListFilter, ListQuery, State};
use debate_core::{DebateId, SearchText};

use super::fixture::{Layout, OldDebate, closed_file, file_in_use, story};
use crate::contract::list::{Totals, ids, listed, query, totals};
use crate::earlier_versions::CURRENT;
use crate::engine::Engine;
use crate::sqlite::temp_database::{TempDatabase, query_text};
use crate::support::{CLOSE, OPPOSE, PROPOSE, debate_id, draft};

async fn assert_all_there(on: &Engine, layout: Layout, debates: &[OldDebate]) {
    for old in debates {
        let id = debate_id(old.number);
        assert_eq!(on.transcript(id).await.debate, old.debate(layout), "{layout:?}");
        assert_eq!(on.arguments(id).await, old.expected_arguments(layout), "{layout:?}");
    }
    assert_eq!(usize::try_from(totals(on).await.any), Ok(debates.len()), "{layout:?}");
}

#[tokio::test]
async fn migration_keeps_every_row_and_field() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let on = folder.engine();
        assert_all_there(&on, layout, &story()).await;
    }
}

#[tokio::test]
async fn original_database_without_debates_becomes_an_empty_one() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &[]);
        let on = folder.engine();
        assert_eq!(totals(&on).await, Totals { any: 0, unopposed: 0, by_state: [0; 5] });
        on.open_debate(1).await;
    }
}

#[tokio::test]
async fn counters_are_correct_after_the_migration() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let on = folder.engine();
        assert_eq!(
            totals(&on).await,
            Totals { any: 7, unopposed: 1, by_state: [2, 1, 1, 1, 2] },
            "{layout:?}"
        );
        for state in State::ALL {
            let page = listed(&on, query(ListFilter::In(state), 50)).await;
            assert_eq!(u64::try_from(page.debates.len()), Ok(page.total), "{state}");
        }
    }
}

#[tokio::test]
async fn migrated_debates_are_listed_and_searchable() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let on = folder.engine();
        let whole = listed(&on, query(ListFilter::Any, 50)).await;
        let newest_first: Vec<DebateId> = (1..=7).rev().map(debate_id).collect();
        assert_eq!(ids(&whole.debates), newest_first);
        let search = Some(SearchText::new("debate 3: ÜBER").unwrap());
        let found = listed(&on, ListQuery { search, ..query(ListFilter::Any, 50) }).await;
        assert_eq!(ids(&found.debates), [debate_id(3)]);
    }
}

#[tokio::test]
async fn migrated_debates_continue_from_their_state() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let on = folder.engine();
        let turns = [(2, OPPOSE, 2), (3, PROPOSE, 5), (4, CLOSE, 3), (6, CLOSE, 4), (7, OPPOSE, 4)];
        for (number, mv, seq) in turns {
            let written = on.add_argument(debate_id(number), 9_000 + number, mv).await;
            assert_eq!(written.argument.seq, Seq::new(seq), "debate {number}");
        }
        for closed in [1, 5] {
            on.try_argument(debate_id(closed), draft(9_100 + closed, OPPOSE)).await.unwrap_err();
        }
        assert_eq!(
            totals(&on).await,
            Totals { any: 7, unopposed: 0, by_state: [1, 2, 0, 0, 4] },
            "{layout:?}"
        );
    }
}

#[tokio::test]
async fn migrated_database_opens_like_any_other() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        drop(folder.engine());
        let carried = folder.bytes();
        let on = folder.engine();
        assert_all_there(&on, layout, &story()).await;
        drop(on);
        assert!(folder.bytes() == carried, "{layout:?}: the second opening changed the file");
        let conn = folder.read_only_connection();
        let version = query_text(&conn, "select value from schema_meta where key = 'version'");
        assert_eq!(version, CURRENT.to_string());
        assert_eq!(query_text(&conn, "pragma integrity_check"), "ok");
        assert_eq!(query_text(&conn, "pragma journal_mode"), "wal");
        let leftovers = "select cast(count(*) as text) from sqlite_schema
                         where name like '%legacy%' or sql like '%legacy%'";
        assert_eq!(query_text(&conn, leftovers), "0");
    }
}

#[tokio::test]
async fn other_tables_of_the_file_are_kept() {
    let folder = closed_file(Layout::Prisma, &story());
    drop(folder.engine());
    let name =
        query_text(&folder.read_only_connection(), "select migration_name from _prisma_migrations");
    assert_eq!(name, "20260207053250_init");
}

/// A server that was killed leaves its newest rows in the log beside the file.
#[tokio::test]
async fn rows_in_the_log_of_a_killed_server_are_migrated() {
    let (folder, found) = (TempDatabase::new(), TempDatabase::new());
    let conn = file_in_use(&folder, Layout::Express, &story());
    for end in ["", "-wal"] {
        fs::copy(folder.beside(end), found.beside(end)).unwrap();
    }
    drop(conn);
    assert!(fs::metadata(found.beside("-wal")).unwrap().len() > 0);
    assert_all_there(&found.engine(), Layout::Express, &story()).await;
}

#[tokio::test]
async fn original_database_without_a_version_row_is_recognised() {
    let folder = closed_file(Layout::Express, &story());
    folder.writable_connection().execute_batch("delete from schema_meta").unwrap();
    assert_all_there(&folder.engine(), Layout::Express, &story()).await;
}

/// Some clients send their ids in upper case.
#[tokio::test]
async fn ids_in_upper_case_are_the_same_ids() {
    for layout in Layout::BOTH {
        let folder = closed_file(layout, &story());
        let conn = folder.writable_connection();
        conn.execute_batch(
            "pragma foreign_keys = off;
             update debates set id = upper(id);
             update arguments set debate_id = upper(debate_id), parent_id = upper(parent_id),
                                  id = upper(id);",
        )
        .unwrap();
        drop(conn);
        assert_all_there(&folder.engine(), layout, &story()).await;
    }
}
