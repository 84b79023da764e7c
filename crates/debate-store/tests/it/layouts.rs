//! A database of an earlier layout comes up by itself, with all that it held.

use aw_testbed::Database;
use debate_store::{ConnectError, OpenError, Postgres, Sqlite};

use crate::postgres::store_on;
use crate::sqlite::file::Folder;
use crate::support::OPPOSE;

/// Makes a current database one of layout 3.
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
    for back in [BACK_TO_3.join(";"), BACK_TO_2.join(";")] {
        folder.stranger().execute_batch(&back).unwrap();
    }
    let survey = Sqlite::survey(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.known, survey.debates), (Some(2), 4, 1));
    assert_eq!((survey.runs, survey.turns), (0, 0));
    let err = Sqlite::read(&folder.path()).err().expect("it is old");
    assert!(matches!(err, OpenError::Older { found: 2, known: 4, .. }), "{err:?}");
    let migrated = Sqlite::migrate(&folder.path()).unwrap();
    assert_eq!((migrated.from, migrated.to), (Some(2), 4));
    let on = folder.engine();
    assert_eq!(on.log(debate).await, log);
    on.started(1, 0).await;
    on.stepped(1, 1).await;
    drop(on);
    let survey = Sqlite::survey(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.runs, survey.turns), (Some(4), 1, 1));
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
    assert_eq!((survey.layout, survey.known, survey.debates), (Some(2), 4, 1));
    assert_eq!((survey.runs, survey.turns), (0, 0));
    let err = Postgres::read(database.url()).await.err().expect("it is old");
    assert!(matches!(err, ConnectError::Older { found: 2, known: 4, .. }), "{err:?}");
    let migrated = Postgres::migrate(database.url()).await.unwrap();
    assert_eq!((migrated.from, migrated.to), (Some(2), 4));
    let on = store_on(database.url()).await;
    assert_eq!(on.log(debate).await, log);
    on.started(1, 0).await;
    on.stepped(1, 1).await;
    let survey = Postgres::survey(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.runs, survey.turns), (Some(4), 1, 1));
}

#[tokio::test]
async fn a_file_of_layout_3_is_brought_up_and_has_a_forum() {
    let folder = Folder::new();
    let on = folder.engine();
    on.started(1, 0).await;
    drop(on);
    folder.stranger().execute_batch(&BACK_TO_3.join(";")).unwrap();
    let survey = Sqlite::survey(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.known, survey.runs), (Some(3), 4, 1));
    assert_eq!((survey.agents, survey.posts), (0, 0));
    let on = folder.engine();
    on.forum_open().await;
    on.posted(1, 1, None, 1).await;
    on.stepped(1, 1).await;
    drop(on);
    let survey = Sqlite::survey(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.runs), (Some(4), 1));
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
    assert_eq!((survey.layout, survey.known, survey.runs), (Some(3), 4, 1));
    let on = store_on(database.url()).await;
    on.forum_open().await;
    on.posted(1, 1, None, 1).await;
    let survey = Postgres::survey(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.agents, survey.posts), (Some(4), 2, 1));
}
