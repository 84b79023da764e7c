//! Another release changes the schema while this one runs.

use aw_testbed::Database;
use debate_app::arena::{ArenaError, DeleteDebate};
use debate_app::forum::ForumError;
use debate_app::runner::RunnerError;
use debate_app::{Storage, StoreError};
use debate_core::arena::Credentials;
use debate_core::runner::UnknownOutcomePolicy;
use debate_store::{Postgres, PostgresOptions};
use tokio_postgres::NoTls;

use crate::contract::forum::fixture as forum;
use crate::contract::runner::fixture::{create, take_at};
use crate::engine::{Engine, notifier, with_deadline};
use crate::postgres::store_on;
use crate::support::{OPPOSE, append, draft, instant, open, opening};

const RAISE: &str = "update schema_meta set value = '999' where key = 'version'";

/// The advisory lock that writers share and a migration holds alone.
const LAYOUT_LOCK: i64 = 0x6c61_796f_7574;

/// One write of every kind; each must be refused because of the schema version.
async fn assert_refused(engine: &Engine) {
    let debate = crate::support::debate_id(1);
    let mut refusals = Vec::new();
    let mut arena = |err: ArenaError| {
        let ArenaError::Store(err) = err else { panic!("{err:?}") };
        refusals.push(("arena", err));
    };
    arena(engine.store.open(open(opening(2), 0)).await.expect_err("an opening is a write"));
    let answer = append(debate, draft(1, OPPOSE), 1);
    arena(engine.store.append(answer).await.expect_err("an argument is a write"));
    let delete = DeleteDebate { debate, credentials: Credentials::default(), at: instant(2) };
    arena(engine.store.delete(delete).await.expect_err("a deletion is a write"));
    let run = engine.runs.create(create(2)).await.expect_err("a run is a write");
    let RunnerError::Store(run) = run else { panic!("{run:?}") };
    let lease = engine
        .runs
        .acquire(take_at(instant(1)), UnknownOutcomePolicy::Retry)
        .await
        .expect_err("a lease is a write");
    let agent = engine.forum.register(forum::agent_draft(2), instant(1)).await;
    let agent = agent.expect_err("an agent is a write");
    let ForumError::Store(agent) = agent else { panic!("{agent:?}") };
    let task = engine.forum.acquire(forum::take_at(1)).await.expect_err("a lease is a write");
    refusals.extend([("run", run), ("lease", lease), ("agent", agent), ("task", task)]);
    for (kind, err) in refusals {
        let StoreError::Unavailable(cause) = &err else { panic!("{kind}: {err:?}") };
        assert!(cause.to_string().contains("schema version 999"), "{kind}: {cause}");
    }
}

#[tokio::test]
async fn writes_are_refused_after_another_release_changed_the_schema() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let engine = store_on(database.url()).await;
    let debate = engine.open_debate(1).await;
    engine.create_run(1).await;
    let version = "select value from schema_meta where key = 'version'";
    let before = database.sql(&[version]).expect("the table is there");
    database.sql(&[RAISE]).expect("the table is there");
    assert_refused(&engine).await;
    assert_eq!(engine.arguments(debate).await.len(), 1, "reads go on, and nothing was written");
    let restore = RAISE.replace("999", &before);
    database.sql(&[&restore]).expect("the table is there");
    engine.add_argument(debate, 1, OPPOSE).await;
}

#[tokio::test]
async fn status_reports_a_schema_that_another_release_changed() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let options = PostgresOptions::at(database.url().to_owned());
    let store = Postgres::open(&options, notifier()).await.expect("the database can be used");
    database.sql(&[RAISE]).expect("the table is there");
    // The probe detects the change without a write of a client.
    let noticed = async {
        while store.status().failure.is_none() {
            tokio::time::sleep(std::time::Duration::from_millis(20)).await;
        }
    };
    with_deadline(noticed).await;
}

#[tokio::test(flavor = "multi_thread")]
async fn write_that_waited_for_a_migration_is_refused() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let engine = store_on(database.url()).await;
    let debate = engine.open_debate(1).await;
    let (mut migration, wire) =
        tokio_postgres::connect(database.url(), NoTls).await.expect("it can be reached");
    tokio::spawn(wire);
    let migrate = migration.transaction().await.expect("it can be written");
    migrate.execute("select pg_advisory_xact_lock($1)", &[&LAYOUT_LOCK]).await.expect("it is free");
    migrate.execute(RAISE, &[]).await.expect("the table is there");

    let write = engine.store.append(append(debate, draft(1, OPPOSE), 1));
    let finish = async {
        let waiting = "select count(*) from pg_locks where locktype = 'advisory' and not granted";
        while database.sql(&[waiting]).expect("it can be asked") == "0" {
            tokio::time::sleep(std::time::Duration::from_millis(10)).await;
        }
        migrate.commit().await.expect("nothing is in its way");
    };
    let (written, ()) = with_deadline(async { tokio::join!(write, finish) }).await;
    let Err(ArenaError::Store(StoreError::Unavailable(cause))) = written else {
        panic!("{written:?}")
    };
    assert!(cause.to_string().contains("schema version 999"), "{cause}");
    assert_eq!(engine.arguments(debate).await.len(), 1);
}
