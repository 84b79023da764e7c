//! A database of an earlier layout comes up by itself, with all that it held.

use aw_testbed::Database;
use debate_core::arena::Filter;
use debate_store::{ConnectError, OpenError, Postgres, Sqlite};
use jiff::SignedDuration;

use crate::contract::listing::{listed, query};
use crate::postgres::store_on;
use crate::sqlite::file::{Folder, asked};
use crate::support::{OPPOSE, PROPOSE};

/// Makes a current file one of layout 4.
const FILE_BACK_TO_4: &str = "
    alter table debates add column state text not null default '';
    alter table debates add column last_seq integer not null default 0;
    alter table debates add column updated_at integer not null default 0;
    update debates set (state, last_seq, updated_at) =
        (select state, last_seq, updated_at from standings where debate_id = id);
    create index debates_by_time on debates (updated_at desc, id desc);
    create index debates_by_state on debates (state, updated_at desc, id desc);
    create index debates_unopposed on debates (updated_at desc, id desc)
        where last_seq = 1 and state = 'AWAITING_OPPONENT';
    drop table standings;
    alter table arguments drop column updated_after;
    update schema_meta set value = '4' where key = 'version'";

/// Makes a database of layout 4 one of layout 3.
const BACK_TO_3: [&str; 12] = [
    "drop table forum_windows",
    "drop table forum_keys",
    "drop table forum_votes",
    "drop table forum_feed",
    "drop table forum_evaluations",
    "drop table forum_posts",
    "drop table forum_solutions",
    "drop table forum_problems",
    "drop table forum_agents",
    "drop table forum_verdicts",
    "drop table forum_tokens",
    "update schema_meta set value = '3' where key = 'version'",
];

/// Makes a database of layout 3 one of layout 2.
const BACK_TO_2: [&str; 5] = [
    "drop table run_turns",
    "drop table run_calls",
    "drop table runs",
    "drop table run_days",
    "update schema_meta set value = '2' where key = 'version'",
];

#[tokio::test]
async fn a_file_of_layout_2_is_brought_up_and_its_debates_go_on() {
    let folder = Folder::new();
    let on = folder.engine();
    let debate = on.played(1, &[OPPOSE]).await;
    let log = on.log(debate).await;
    drop(on);
    for back in [FILE_BACK_TO_4, &BACK_TO_3.join(";"), &BACK_TO_2.join(";")] {
        folder.stranger().execute_batch(back).unwrap();
    }
    let survey = Sqlite::survey(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.known, survey.debates), (Some(2), 5, 1));
    assert_eq!((survey.runs, survey.turns), (0, 0));
    let err = Sqlite::read(&folder.path()).err().expect("it is old");
    assert!(matches!(err, OpenError::Older { found: 2, known: 5, .. }), "{err:?}");
    let migrated = Sqlite::migrate(&folder.path()).unwrap();
    assert_eq!((migrated.from, migrated.to), (Some(2), 5));
    let on = folder.engine();
    assert_eq!(on.log(debate).await, log);
    on.started(1, 0).await;
    on.stepped(1, 1).await;
    drop(on);
    let survey = Sqlite::survey(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.runs, survey.turns), (Some(5), 1, 1));
}

#[tokio::test]
async fn a_server_of_layout_2_is_brought_up_and_its_debates_go_on() {
    let database = Database::fresh().unwrap();
    let on = store_on(database.url()).await;
    let debate = on.played(1, &[OPPOSE]).await;
    let log = on.log(debate).await;
    drop(on);
    database.sql(&BACK_TO_3).unwrap();
    database.sql(&BACK_TO_2).unwrap();
    let survey = Postgres::survey(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.known, survey.debates), (Some(2), 5, 1));
    assert_eq!((survey.runs, survey.turns), (0, 0));
    let err = Postgres::read(database.url()).await.err().expect("it is old");
    assert!(matches!(err, ConnectError::Older { found: 2, known: 5, .. }), "{err:?}");
    let migrated = Postgres::migrate(database.url()).await.unwrap();
    assert_eq!((migrated.from, migrated.to), (Some(2), 5));
    let on = store_on(database.url()).await;
    assert_eq!(on.log(debate).await, log);
    on.started(1, 0).await;
    on.stepped(1, 1).await;
    let survey = Postgres::survey(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.runs, survey.turns), (Some(5), 1, 1));
}

#[tokio::test]
async fn a_file_of_layout_3_is_brought_up_and_has_a_forum() {
    let folder = Folder::new();
    let on = folder.engine();
    on.started(1, 0).await;
    drop(on);
    for back in [FILE_BACK_TO_4, &BACK_TO_3.join(";")] {
        folder.stranger().execute_batch(back).unwrap();
    }
    let survey = Sqlite::survey(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.known, survey.runs), (Some(3), 5, 1));
    assert_eq!((survey.agents, survey.posts), (0, 0));
    let on = folder.engine();
    on.forum_open().await;
    on.posted(1, 1, None, 1).await;
    on.stepped(1, 1).await;
    drop(on);
    let survey = Sqlite::survey(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.runs), (Some(5), 1));
    assert_eq!((survey.agents, survey.posts), (2, 1));
}

#[tokio::test]
async fn a_server_of_layout_3_is_brought_up_and_has_a_forum() {
    let database = Database::fresh().unwrap();
    let on = store_on(database.url()).await;
    on.started(1, 0).await;
    drop(on);
    database.sql(&BACK_TO_3).unwrap();
    let survey = Postgres::survey(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.known, survey.runs), (Some(3), 5, 1));
    let on = store_on(database.url()).await;
    on.forum_open().await;
    on.posted(1, 1, None, 1).await;
    let survey = Postgres::survey(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.agents, survey.posts), (Some(5), 2, 1));
}

#[tokio::test]
async fn a_file_of_layout_4_keeps_where_each_debate_stands() {
    let folder = Folder::new();
    let on = folder.engine();
    let (opposed, unopposed) = (on.played(1, &[OPPOSE]).await, on.opened(2).await);
    let gone = on.played(3, &[OPPOSE, PROPOSE]).await;
    let mut before = listed(&on, query(Filter::Any, 50)).await.debates;
    drop(on);
    folder.stranger().execute_batch(FILE_BACK_TO_4).unwrap();
    // Changed at another time than its newest argument's, as debates of the first servers may be.
    let elsewhen = "update debates set updated_at = updated_at + 7 where last_seq = 2";
    folder.stranger().execute_batch(elsewhen).unwrap();
    for debate in before.iter_mut().filter(|debate| debate.id == opposed) {
        debate.updated_at += SignedDuration::from_micros(7);
    }
    before.sort_by_key(|debate| (debate.updated_at, debate.id));
    before.reverse();

    let on = folder.engine();
    assert_eq!(listed(&on, query(Filter::Any, 50)).await.debates, before);
    for debate in before {
        assert_eq!(on.seen(debate.id).await.debate, debate);
    }
    on.added(opposed, 20, PROPOSE).await;
    on.store.delete(gone).await.unwrap();
    on.added(unopposed, 21, OPPOSE).await;
    let after = listed(&on, query(Filter::Any, 50)).await.debates;
    for debate in &after {
        assert_eq!(on.seen(debate.id).await.debate, *debate);
    }
    assert_eq!(after.len(), 2);
    drop(on);
    assert_eq!(asked(&folder.onlooker(), "select count(*) || '' from standings"), "2");
}
