//! `aw db status` and `aw db migrate`.

use serde_json::json;

use crate::db::status;
use crate::support::{Debate, Engine, Setup};

const LEGACY_SCHEMA: &str = include_str!("../../../../debate-store/tests/it/legacy/express.sql");

#[tokio::test]
async fn status_shows_the_database_of_a_running_server() {
    let setup = Setup::new();
    let server = setup.start().await;
    let debate = Debate::open(&server).await;
    debate.advance_to("AWAITING_ARBITRATOR").await;
    let output = status(&setup, &[]).await;
    let database = output["database"].as_str().expect("it is named");
    assert!(database.ends_with(&server.home().database_name()), "{output}");
    let engine = output["engine"].as_str().expect("it is named");
    assert!(engine.starts_with(Engine::configured().name_and_major()), "{output}");
    assert_eq!((&output["layout"], &output["layout_known"]), (&json!(8), &json!(8)));
    assert_eq!((&output["debates"], &output["arguments"]), (&json!(1), &json!(3)));
    assert_eq!((&output["runs"], &output["turns"]), (&json!(0), &json!(0)));
    assert!(output["bytes"].as_u64() > Some(0), "{output}");
    assert_eq!(debate.intervene().await.code(), "ACTION_NOT_ALLOWED", "it goes on");
    let shown = setup.db(&["status"]).await.expect("it can be looked at");
    assert!(shown.contains("debates    1\n"), "{shown}");
    assert!(shown.contains("schema     version 8 (current)"), "{shown}");
}

#[tokio::test]
async fn missing_database_is_not_created() {
    let setup = Setup::sqlite();
    for words in [&["status"][..], &["check"], &["migrate"], &["backup", "--to", "/tmp/never.db"]] {
        let output = setup.db(words).await.expect_err("there is nothing");
        assert!(output.contains("does not exist; aw serve creates it"), "{words:?}: {output}");
        assert_eq!(output.lines().count(), 1, "{output}");
    }
    assert!(setup.home().is_untouched());
}

#[tokio::test]
async fn errors_do_not_contain_the_password() {
    let url = "postgres://me:s3cret@127.0.0.1:1/debates";
    let setup = Setup::sqlite();
    for words in [
        &["status", "--database-url", url][..],
        &["migrate", "--database-url", url],
        &["check", "--database-url", url],
        &["backup", "--to", "x.db", "--database-url", url],
        &["copy", "--from", url, "--to", "x.db"],
        &["copy", "--from", "s3cret://x", "--to", "x.db"],
    ] {
        let output = setup.db(words).await.expect_err("no server answers");
        assert!(!output.contains("s3cret"), "{output}");
    }
}

#[tokio::test]
async fn migrate_is_refused_while_a_server_runs_and_runs_once() {
    let setup = Setup::new();
    let mut server = setup.start().await;
    Debate::open(&server).await;
    if Engine::configured() == Engine::Sqlite {
        let output = setup.db(&["migrate"]).await.expect_err("a server holds the file");
        assert!(output.contains("in use by another aw process"), "{output}");
    }
    server.terminate();
    server.wait_for_exit().await;
    let output = setup.db(&["migrate"]).await.expect("no other process uses the database");
    assert!(output.contains("already has schema version 8"), "{output}");
}

#[tokio::test]
async fn original_database_is_backed_up_and_then_migrated() {
    let setup = Setup::sqlite();
    let (old, kept) = (setup.home().path().join("old.db"), setup.home().path().join("kept.db"));
    let conn = rusqlite::Connection::open(&old).expect("the folder is ours");
    conn.execute_batch(LEGACY_SCHEMA).expect("the old layout is sound");
    drop(conn);
    let (path, kept) = (old.display().to_string(), kept.display().to_string());
    let place = ["--db-path", path.as_str()];
    assert_eq!(status(&setup, &place).await["layout"], 1);
    let output =
        setup.db(&["copy", "--from", &path, "--to", "new.db"]).await.expect_err("it is old");
    assert!(output.contains(&format!("aw db migrate --db-path {path}")), "{output}");
    let output =
        setup.db(&["backup", "--db-path", &path, "--to", &kept]).await.expect("it is sound");
    assert!(output.contains("its schema version is not the current one"), "{output}");
    let output = setup.db(&["migrate", "--db-path", &path]).await.expect("it can be carried over");
    assert!(output.contains("migrated from schema version 1 to 8"), "{output}");
    assert_eq!(status(&setup, &place).await["layout"], 8);
    assert_eq!(status(&setup, &["--db-path", &kept]).await["layout"], 1);
}
