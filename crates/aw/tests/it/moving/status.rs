//! `aw db status` and `aw db migrate`.

use serde_json::json;

use super::status;
use crate::support::{Debate, Engine, Setup};

const EARLIER: &str = include_str!("../../../../debate-store/tests/it/legacy/express.sql");

#[tokio::test]
async fn status_shows_the_database_of_a_running_server() {
    let setup = Setup::new();
    let server = setup.start().await;
    let debate = Debate::open(&server).await;
    debate.lead_to("AWAITING_ARBITRATOR").await;
    let said = status(&setup, &[]).await;
    let database = said["database"].as_str().expect("it is named");
    assert!(database.ends_with(&server.home().database_name()), "{said}");
    let engine = said["engine"].as_str().expect("it is named");
    assert!(engine.starts_with(Engine::of_this_run().name_and_major()), "{said}");
    assert_eq!((&said["layout"], &said["layout_known"]), (&json!(6), &json!(6)));
    assert_eq!((&said["debates"], &said["arguments"]), (&json!(1), &json!(3)));
    assert_eq!((&said["runs"], &said["turns"]), (&json!(0), &json!(0)));
    assert!(said["bytes"].as_u64() > Some(0), "{said}");
    assert_eq!(debate.intervene().await.code(), "ACTION_NOT_ALLOWED", "it goes on");
    let shown = setup.db(&["status"]).await.expect("it can be looked at");
    assert!(shown.contains("debates    1\n"), "{shown}");
    assert!(shown.contains("schema     version 6 (current)"), "{shown}");
}

#[tokio::test]
async fn missing_database_is_not_created() {
    let setup = Setup::sqlite();
    for words in [&["status"][..], &["check"], &["migrate"], &["backup", "--to", "/tmp/never.db"]] {
        let said = setup.db(words).await.expect_err("there is nothing");
        assert!(said.contains("does not exist; aw serve creates it"), "{words:?}: {said}");
        assert_eq!(said.lines().count(), 1, "{said}");
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
        let said = setup.db(words).await.expect_err("nobody answers there");
        assert!(!said.contains("s3cret"), "{said}");
    }
}

#[tokio::test]
async fn migrate_is_refused_while_a_server_runs_and_runs_once() {
    let setup = Setup::new();
    let mut server = setup.start().await;
    Debate::open(&server).await;
    if Engine::of_this_run() == Engine::Sqlite {
        let said = setup.db(&["migrate"]).await.expect_err("a server holds the file");
        assert!(said.contains("in use by another aw process"), "{said}");
    }
    server.terminate();
    server.ended().await;
    let said = setup.db(&["migrate"]).await.expect("nobody is in the way");
    assert!(said.contains("already has schema version 6"), "{said}");
}

#[tokio::test]
async fn original_database_is_backed_up_and_then_migrated() {
    let setup = Setup::sqlite();
    let (old, kept) = (setup.home().path().join("old.db"), setup.home().path().join("kept.db"));
    let conn = rusqlite::Connection::open(&old).expect("the folder is ours");
    conn.execute_batch(EARLIER).expect("the old layout is sound");
    drop(conn);
    let (path, kept) = (old.display().to_string(), kept.display().to_string());
    let place = ["--db-path", path.as_str()];
    assert_eq!(status(&setup, &place).await["layout"], 1);
    let said = setup.db(&["copy", "--from", &path, "--to", "new.db"]).await.expect_err("it is old");
    assert!(said.contains(&format!("aw db migrate --db-path {path}")), "{said}");
    let said = setup.db(&["backup", "--db-path", &path, "--to", &kept]).await.expect("it is sound");
    assert!(said.contains("its schema version is not the current one"), "{said}");
    let said = setup.db(&["migrate", "--db-path", &path]).await.expect("it can be carried over");
    assert!(said.contains("migrated from schema version 1 to 6"), "{said}");
    assert_eq!(status(&setup, &place).await["layout"], 6);
    assert_eq!(status(&setup, &["--db-path", &kept]).await["layout"], 1);
}
