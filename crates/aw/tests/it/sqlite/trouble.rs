//! Storage that fails: writes are refused in plain words, reads go on, health is red, and all is
//! well again when the cause is gone.

use std::fs;
use std::process::Command;

use crate::support::{Debate, Reply, Server, Setup, create_body, new_id, until};

fn limit_file_size(server: &Server, bytes: &str) {
    let limit = Command::new("prlimit")
        .args(["--pid", &server.pid().to_string(), &format!("--fsize={bytes}:unlimited")])
        .status();
    assert!(limit.expect("prlimit runs").success());
}

/// A server that learns of a file that may not grow by an error, not by a signal.
async fn start() -> Server {
    Setup::sqlite().through(&["sh", "-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).start().await
}

async fn write(server: &Server) -> Reply {
    server.post("/debates", &create_body(&new_id())).await
}

#[tokio::test]
async fn a_disk_that_takes_no_more_refuses_writes_and_nothing_else() {
    let server = start().await;
    let debate = Debate::open(&server).await;
    limit_file_size(&server, "1");
    let refused = write(&server).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
    assert!(refused.header("retry-after").is_some());
    let health = server.get("/health").await;
    assert_eq!((health.status, health.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
    assert!(server.metric("aw_storage_healthy").await == 0.0);
    assert_eq!(debate.read().await["debate"]["state"], "AWAITING_OPPONENT", "reads go on");
    // A refusal or a replay needs no disk, and does not make the server well.
    assert_eq!(debate.claim("proposer", &debate.motion, "k").await.code(), "ACTION_NOT_ALLOWED");
    assert_eq!(server.get("/health").await.status, 503);

    limit_file_size(&server, "unlimited");
    // Nobody writes: the server finds out by itself.
    until("it is well again", || async { server.get("/health").await.status == 200 }).await;
    assert_eq!(write(&server).await.status, 201);
    assert_eq!(server.get("/debates").await.data()["total"], 2, "what was refused is not there");
}

#[tokio::test]
async fn a_foreign_lock_is_waited_for_and_then_named() {
    // As much as is logged by default.
    let server = Setup::sqlite().env("AW_LOG", "info").start().await;
    let debate = Debate::open(&server).await;
    let path = server.home().database_name();
    let holder = rusqlite::Connection::open(path).expect("the file is there");
    holder.execute_batch("begin immediate").expect("nobody writes");
    let refused = debate.claim("opponent", &debate.motion, "k").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
    let name = refused.header("x-request-id").expect("every answer has one").to_owned();
    let log = server.log();
    let told = log.lines().find(|line| line.contains(&name)).expect("the log knows the request");
    assert!(told.contains("a write was refused") && told.contains("locked"), "{told}");
    assert_eq!(server.get("/health").await.status, 503);
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(0));
    holder.execute_batch("rollback").expect("it was held");
    assert_eq!(debate.claim("opponent", &debate.motion, "k").await.status, 201);
    assert_eq!(server.get("/health").await.status, 200);
}

#[tokio::test]
async fn a_file_that_is_taken_away_is_missed_and_found_again() {
    let server = Setup::sqlite().env("AW_LOG", "info").start().await;
    let debate = Debate::open(&server).await;
    let path = server.home().database_name();
    let elsewhere = format!("{path}.moved");
    fs::rename(&path, &elsewhere).expect("it is there");
    let refused = debate.claim("opponent", &debate.motion, "k").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
    assert!(refused.text.contains("moved, replaced or deleted"), "{}", refused.text);
    assert!(!refused.text.contains(&path), "where the data is, is nobody's business");
    assert!(server.log().contains(&path), "but its operator's");
    assert_eq!(server.get("/health").await.status, 503);
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(0));
    fs::rename(&elsewhere, &path).expect("it was moved there");
    // Nobody writes: the server finds out by itself.
    until("it is well again", || async { server.get("/health").await.status == 200 }).await;
    assert_eq!(debate.claim("opponent", &debate.motion, "k").await.status, 201);
}

#[tokio::test]
async fn writes_answer_507_while_the_disk_has_less_free_space_than_the_setting() {
    let setup = Setup::sqlite().env("DEBATE_MIN_FREE_MB", "1073741824");
    let server = setup.start().await;
    let refused = write(&server).await;
    assert_eq!((refused.status, refused.code().as_str()), (507, "STORAGE_FULL"));
    assert!(refused.header("retry-after").is_some());
    let health = server.get("/health").await;
    assert_eq!((health.status, health.code().as_str()), (503, "STORAGE_FULL"));
    assert_eq!(server.get("/debates").await.status, 200, "reads go on");
}

#[tokio::test]
async fn metrics_report_the_length_of_the_write_ahead_log() {
    let server = Setup::sqlite().start().await;
    let wal = format!("{}-wal", server.home().database_name());
    // A reader keeps the log from being truncated between the two looks.
    let reader = rusqlite::Connection::open(server.home().database_name()).expect("it is there");
    reader.execute_batch("begin; select count(*) from debates").expect("it can be read");
    assert_eq!(write(&server).await.status, 201);
    let bytes = fs::metadata(wal).expect("the log is there").len();
    let reported = server.metric("aw_wal_bytes").await;
    assert!(bytes > 0 && reported.to_string() == bytes.to_string(), "{reported}, not {bytes}");
}
