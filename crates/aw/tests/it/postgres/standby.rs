//! A synchronous standby, and another release on the same database: writes that can't be committed
//! are refused, and `/health` says so.

use aw_testbed::{Cluster, Database, Mode};
use serde_json::json;

use crate::support::{Debate, Setup, create_body, new_id, until};

#[tokio::test(flavor = "multi_thread", worker_threads = 2)]
async fn health_is_503_while_a_synchronous_standby_hangs_and_no_client_writes() {
    let primary = Cluster::start().expect("PostgreSQL can be started");
    let mut standby = Cluster::start().expect("PostgreSQL can be started");
    standby.stop(Mode::Fast).expect("it runs");
    standby.follow_primary(&primary).expect("it can follow");
    primary.commit_with_standby().expect("the standby follows");
    let database = primary.create_database().expect("it runs");
    let server = Setup::postgres()
        .env("DEBATE_DATABASE_URL", database.url())
        .env("DEBATE_DATABASE_TIMEOUT_MS", "2000")
        .start()
        .await;
    let debate = Debate::open(&server).await;
    assert_eq!(server.get("/health").await.status, 200);

    standby.hang().expect("it runs");
    until("the stall is noticed", || async { server.get("/health").await.status == 503 }).await;
    let health = server.get("/health").await;
    assert_eq!(health.code(), "STORAGE_UNAVAILABLE", "{}", health.text);
    let write = server.post("/debates", &create_body(&new_id())).await;
    assert_eq!((write.status, write.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
    assert!(write.header("retry-after").is_some(), "{}", write.text);
    assert_eq!(server.get(&debate.path("")).await.status, 200, "reads need no standby");

    standby.resume().expect("it was stopped");
    until("commits succeed again", || async { server.get("/health").await.status == 200 }).await;
    let claim = debate.claim("opponent", &debate.motion, "k").await;
    assert_eq!(claim.status, 201, "{}", claim.text);
    // The database can only be dropped while commits are answered.
    primary.commit_without_standby().expect("it runs");
}

#[tokio::test]
async fn writes_and_health_are_503_after_another_release_changed_the_schema_version() {
    let database = Database::fresh().expect("PostgreSQL can be started");
    let server = Setup::postgres().env("DEBATE_DATABASE_URL", database.url()).start().await;
    let debate = Debate::open(&server).await;
    let raise = "update schema_meta set value = value::int + 1 where key = 'version'";
    database.sql(&[raise]).expect("the table is there");

    let run = server.post("/runner/debates", &json!({"topic": "Is it written?"})).await;
    let writes = [
        debate.claim("opponent", &debate.motion, "k").await,
        server.post("/debates", &create_body(&new_id())).await,
        run,
    ];
    for write in writes {
        assert_eq!(write.status, 503, "{}", write.text);
        assert!(write.text.contains("STORAGE_UNAVAILABLE"), "{}", write.text);
    }
    assert_eq!(server.get("/health").await.status, 503);
    assert_eq!(debate.read().await["arguments"], json!([]), "nothing was written");
    let lower = "update schema_meta set value = value::int - 1 where key = 'version'";
    database.sql(&[lower]).expect("the table is there");
    until("it can be written again", || async { server.get("/health").await.status == 200 }).await;
}
