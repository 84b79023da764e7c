//! Databases of earlier schema versions are migrated with all rows.

use aw_testbed::Database;
use debate_core::DebateId;
use debate_core::arena::{Argument, ListFilter};
use debate_core::forum::guardrail::Decision;
use debate_core::runner::{BeginCall, BeginCallError};
use debate_store::{ConnectError, OpenError, Postgres, Sqlite};
use jiff::SignedDuration;

use crate::contract::list::{listed, query};
use crate::contract::runner::fixture::{RESERVED, beginning, tokens, tokens_a_day};
use crate::earlier_versions::{CURRENT, file_back_to, server_back_to};
use crate::engine::Engine;
use crate::postgres::store_on;
use crate::sqlite::temp_database::{TempDatabase, query_text};
use crate::support::{OPPOSE, PROPOSE, instant};

#[tokio::test]
async fn file_of_version_2_is_migrated_and_its_debates_continue() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let debate = on.play_moves(1, &[OPPOSE]).await;
    let log = on.arguments(debate).await;
    drop(on);
    file_back_to(&folder, 2);
    let survey = Sqlite::inspect(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.known, survey.debates), (Some(2), CURRENT, 1));
    assert_eq!((survey.runs, survey.turns), (0, 0));
    let err = Sqlite::source(&folder.path()).err().expect("it is old");
    assert!(matches!(err, OpenError::Older { found: 2, known: CURRENT, .. }), "{err:?}");
    let migrated = Sqlite::migrate(&folder.path()).unwrap();
    assert_eq!((migrated.from, migrated.to), (Some(2), CURRENT));
    let on = folder.engine();
    assert_eq!(on.arguments(debate).await, log);
    on.start_run(1, 0).await;
    on.execute_step(1, 1).await;
    drop(on);
    let survey = Sqlite::inspect(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.runs, survey.turns), (Some(CURRENT), 1, 1));
}

#[tokio::test]
async fn server_of_version_2_is_migrated_and_its_debates_continue() {
    let database = Database::fresh().unwrap();
    let on = store_on(database.url()).await;
    let debate = on.play_moves(1, &[OPPOSE]).await;
    let log = on.arguments(debate).await;
    drop(on);
    server_back_to(&database, 2);
    let survey = Postgres::inspect(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.known, survey.debates), (Some(2), CURRENT, 1));
    assert_eq!((survey.runs, survey.turns), (0, 0));
    let err = Postgres::source(database.url()).await.err().expect("it is old");
    assert!(matches!(err, ConnectError::Older { found: 2, known: CURRENT, .. }), "{err:?}");
    let migrated = Postgres::migrate(database.url()).await.unwrap();
    assert_eq!((migrated.from, migrated.to), (Some(2), CURRENT));
    let on = store_on(database.url()).await;
    assert_eq!(on.arguments(debate).await, log);
    on.start_run(1, 0).await;
    on.execute_step(1, 1).await;
    let survey = Postgres::inspect(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.runs, survey.turns), (Some(CURRENT), 1, 1));
}

#[tokio::test]
async fn file_of_version_3_is_migrated_and_has_a_forum() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    on.start_run(1, 0).await;
    drop(on);
    file_back_to(&folder, 3);
    let survey = Sqlite::inspect(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.known, survey.runs), (Some(3), CURRENT, 1));
    assert_eq!((survey.agents, survey.posts), (0, 0));
    let on = folder.engine();
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
    on.execute_step(1, 1).await;
    drop(on);
    let survey = Sqlite::inspect(&folder.path()).unwrap();
    assert_eq!((survey.layout, survey.runs), (Some(CURRENT), 1));
    assert_eq!((survey.agents, survey.posts), (2, 1));
}

#[tokio::test]
async fn server_of_version_3_is_migrated_and_has_a_forum() {
    let database = Database::fresh().unwrap();
    let on = store_on(database.url()).await;
    on.start_run(1, 0).await;
    drop(on);
    server_back_to(&database, 3);
    let survey = Postgres::inspect(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.known, survey.runs), (Some(3), CURRENT, 1));
    let on = store_on(database.url()).await;
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
    let survey = Postgres::inspect(database.url()).await.unwrap();
    assert_eq!((survey.layout, survey.agents, survey.posts), (Some(CURRENT), 2, 1));
}

#[tokio::test]
async fn file_of_version_4_keeps_the_state_of_each_debate() {
    let folder = TempDatabase::new();
    let on = folder.engine();
    let (opposed, unopposed) = (on.play_moves(1, &[OPPOSE]).await, on.open_debate(2).await);
    let gone = on.play_moves(3, &[OPPOSE, PROPOSE]).await;
    let mut before = listed(&on, query(ListFilter::Any, 50)).await.debates;
    drop(on);
    file_back_to(&folder, 4);
    // Its last change has another time than its newest argument, as in debates of original servers.
    let elsewhen = "update debates set updated_at = updated_at + 7 where last_seq = 2";
    folder.writable_connection().execute_batch(elsewhen).unwrap();
    for debate in before.iter_mut().filter(|debate| debate.id == opposed) {
        debate.updated_at += SignedDuration::from_micros(7);
    }
    before.sort_by_key(|debate| (debate.updated_at, debate.id));
    before.reverse();

    let on = folder.engine();
    assert_eq!(listed(&on, query(ListFilter::Any, 50)).await.debates, before);
    for debate in before {
        assert_eq!(on.transcript(debate.id).await.debate, debate);
    }
    on.add_argument(opposed, 20, PROPOSE).await;
    on.delete(gone).await.unwrap();
    on.add_argument(unopposed, 21, OPPOSE).await;
    let after = listed(&on, query(ListFilter::Any, 50)).await.debates;
    for debate in &after {
        assert_eq!(on.transcript(debate.id).await.debate, *debate);
    }
    assert_eq!(after.len(), 2);
    drop(on);
    assert_eq!(
        query_text(&folder.read_only_connection(), "select count(*) || '' from standings"),
        "2"
    );
}

/// Asserts that debates, runs and posts of an earlier version exist and can be continued.
async fn assert_all_continue(on: &Engine, version: i64, debate: DebateId, log: &[Argument]) {
    assert_eq!(on.arguments(debate).await, log);
    on.add_argument(debate, 900, PROPOSE).await;
    match version {
        5 => assert_run_continues(on).await,
        // Nothing of a run is missing in later versions.
        _ => {
            on.execute_step(2, 2).await;
        }
    }
    on.create_post(1, 2, Some(1), 5).await;
}

/// Asserts that a run of version 5 shows the recorded values and no others.
async fn assert_run_continues(on: &Engine) {
    let [call] = on.calls(1).await.try_into().expect("one call was made");
    assert_eq!((call.usage, call.prompt_bytes, call.rates), (tokens(7, 40), 0, None));
    let story = on.story(1).await;
    let [turn] = story.turns.try_into().expect("one turn was kept");
    assert_eq!((turn.usage, turn.metadata.duration_ms), (tokens(7, 40), None));
    assert!(story.run.settings.output_language_given, "the language it ran with stays");
    on.execute_step(2, 2).await;
    // The day keeps its charged tokens.
    let task = on.acquire_run_task(3).await;
    let most = 47 + 47 + RESERVED;
    let begin = |limits| BeginCall { limits, ..beginning(&task, 3, instant(3)) };
    let over = on.try_begin_call(&task, begin(tokens_a_day(most - 1))).await;
    assert!(matches!(over, Err(BeginCallError::OverBudget(_))), "{over:?}");
    on.try_begin_call(&task, begin(tokens_a_day(most))).await.expect("it fits exactly");
}

async fn fill(on: &Engine) -> (DebateId, Vec<Argument>) {
    let debate = on.play_moves(1, &[OPPOSE]).await;
    on.start_run(1, 0).await;
    on.execute_step(1, 1).await;
    on.open_forum().await;
    on.create_post(1, 1, None, 1).await;
    on.decide_post(1, Decision::Approve, 2).await;
    (debate, on.arguments(debate).await)
}

#[tokio::test]
async fn files_of_versions_5_to_7_keep_every_row() {
    for version in [5, 6, 7] {
        let folder = TempDatabase::new();
        let on = folder.engine();
        let (debate, log) = fill(&on).await;
        drop(on);
        file_back_to(&folder, version);
        assert_eq!(Sqlite::inspect(&folder.path()).unwrap().layout, Some(version));
        let on = folder.engine();
        assert_all_continue(&on, version, debate, &log).await;
        drop(on);
        let survey = Sqlite::inspect(&folder.path()).unwrap();
        assert_eq!((survey.layout, survey.debates, survey.arguments), (Some(CURRENT), 1, 3));
        assert_eq!((survey.runs, survey.turns, survey.posts), (1, 2, 2));
    }
}

#[tokio::test]
async fn servers_of_versions_5_to_7_keep_every_row() {
    for version in [5, 6, 7] {
        let database = Database::fresh().unwrap();
        let on = store_on(database.url()).await;
        let (debate, log) = fill(&on).await;
        drop(on);
        server_back_to(&database, version);
        assert_eq!(Postgres::inspect(database.url()).await.unwrap().layout, Some(version));
        let on = store_on(database.url()).await;
        assert_all_continue(&on, version, debate, &log).await;
        let survey = Postgres::inspect(database.url()).await.unwrap();
        assert_eq!((survey.layout, survey.debates, survey.arguments), (Some(CURRENT), 1, 3));
        assert_eq!((survey.runs, survey.turns, survey.posts), (1, 2, 2));
    }
}
