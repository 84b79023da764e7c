//! A debate with rows that cannot be decoded takes no writes; other debates are not affected.

use aw_testbed::Database;
use debate_app::arena::{ArenaError, TranscriptLimit};
use debate_core::DebateId;
use debate_core::arena::{ListFilter, ListStart};
use futures_util::future::join_all;

use crate::contract::list::{ids, listed, query};
use crate::engine::Engine;
use crate::postgres::store_on;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{OPPOSE, PROPOSE, debate_id, draft, open, opening};

/// Debates 1 to 4, of which three are damaged: one by an argument, two by their own rows.
const SPOIL: [&str; 3] = [
    "update arguments set role = 'nobody' where content = 'Argument 100'",
    "update debates set created_at = 9223372036854775807 where title = 'Debate 2'",
    "update debates set debate_type = 'unknown' where title = 'Debate 3'",
];

async fn fill(on: &Engine) {
    for number in 1..=4 {
        on.play_moves(number, &[OPPOSE, PROPOSE]).await;
    }
}

fn is_damaged<T>(outcome: &Result<T, ArenaError>, expected: DebateId) -> bool {
    matches!(outcome, Err(ArenaError::DebateDamaged(debate)) if *debate == expected)
}

/// The whole list, in pages of one row.
async fn list_one_by_one(on: &Engine) -> Vec<DebateId> {
    let (mut found, mut next) = (Vec::new(), query(ListFilter::Any, 1));
    loop {
        let page = listed(on, next.clone()).await;
        found.extend(ids(&page.debates));
        let Some(cursor) = page.next else { return found };
        next.start = ListStart::After(cursor);
    }
}

/// Asserts that the damage of `SPOIL` affects only its debates.
async fn assert_contained(on: &Engine) {
    assert_eq!(on.storage.status().damaged, 0, "nothing has met them yet");
    // A write reads the row of the second debate, in a batch with writes that succeed.
    let tries =
        [2, 4].map(|number| on.try_argument(debate_id(number), draft(1000 + number, OPPOSE)));
    let [second, fourth] = <[_; 2]>::try_from(join_all(tries).await).expect("there were two");
    assert!(is_damaged(&second, debate_id(2)), "{second:?}");
    assert!(fourth.is_ok(), "{fourth:?}");
    // A read decodes the argument, and a list the row of the third debate.
    let read = on.store.transcript(debate_id(1), TranscriptLimit::All).await;
    assert!(is_damaged(&read, debate_id(1)), "{read:?}");
    let page = listed(on, query(ListFilter::Any, 50)).await;
    assert!(!ids(&page.debates).contains(&debate_id(3)), "{page:?}");
    assert!(ids(&page.debates).contains(&debate_id(4)), "{page:?}");
    assert_eq!(list_one_by_one(on).await, ids(&page.debates), "pages continue past it");
    assert_eq!(on.storage.status().damaged, 3);
    assert!(on.storage.status().failure.is_none());

    for number in 1..=3 {
        let debate = debate_id(number);
        let write = on.try_argument(debate, draft(2000 + number, OPPOSE)).await;
        assert!(is_damaged(&write, debate), "{write:?}");
        let opened = on.store.open(open(opening(number), 0)).await;
        assert!(is_damaged(&opened, debate), "{opened:?}");
        let deleted = on.delete(debate).await;
        assert!(is_damaged(&deleted, debate), "{deleted:?}");
    }
    on.add_argument(debate_id(4), 2000, PROPOSE).await;
    on.open_debate(5).await;
    assert_eq!(on.storage.status().damaged, 3);
    assert!(on.storage.status().failure.is_none());
}

#[tokio::test]
async fn undecodable_rows_stop_writes_to_their_debates_only_on_sqlite() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    fill(&on).await;
    folder.writable_connection().execute_batch(&SPOIL.join(";")).expect("the tables are there");
    assert_contained(&on).await;
}

#[tokio::test]
async fn undecodable_rows_stop_writes_to_their_debates_only_on_postgresql() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let on = store_on(database.url()).await;
    fill(&on).await;
    database.sql(&SPOIL).expect("the tables are there");
    assert_contained(&on).await;
}
