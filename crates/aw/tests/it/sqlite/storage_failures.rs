//! Storage failures: writes are refused with a reason, reads continue, `/health` is 503, and the
//! server recovers when the cause is removed.

use std::fs;
use std::process::Command;

use crate::support::forum::{Caller, failure, problem};
use crate::support::{Debate, Reply, Server, Setup, create_body, new_id, until};

fn limit_file_size(server: &Server, bytes: &str) {
    let limit = Command::new("prlimit")
        .args(["--pid", &server.pid().to_string(), &format!("--fsize={bytes}:unlimited")])
        .status();
    assert!(limit.expect("prlimit runs").success());
}

/// A server that gets an error instead of a signal when a file may not grow.
async fn start() -> Server {
    Setup::sqlite().through(&["sh", "-c", "trap '' XFSZ; exec \"$0\" \"$@\""]).start().await
}

async fn write(server: &Server) -> Reply {
    server.post("/debates", &create_body(&new_id())).await
}

#[tokio::test]
async fn only_writes_are_refused_while_the_disk_is_full() {
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
    // A refusal or a replayed response needs no disk and does not restore the health.
    assert_eq!(debate.claim("proposer", &debate.motion, "k").await.code(), "ACTION_NOT_ALLOWED");
    assert_eq!(server.get("/health").await.status, 503);

    limit_file_size(&server, "unlimited");
    // Without any write: the server detects the recovery on its own.
    until("it is well again", || async { server.get("/health").await.status == 200 }).await;
    assert_eq!(write(&server).await.status, 201);
    assert_eq!(server.get("/debates").await.data()["total"], 2, "what was refused is not there");
}

#[tokio::test]
async fn lock_of_another_process_is_waited_for_and_then_reported() {
    // The default log level.
    let server = Setup::sqlite().env("AW_LOG", "info").start().await;
    let debate = Debate::open(&server).await;
    let path = server.home().database_name();
    let holder = rusqlite::Connection::open(path).expect("the file is there");
    holder.execute_batch("begin immediate").expect("no other connection writes");
    let refused = debate.claim("opponent", &debate.motion, "k").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
    let name = refused.header("x-request-id").expect("every answer has one").to_owned();
    let log = server.log();
    let line = log.lines().find(|line| line.contains(&name)).expect("the log knows the request");
    assert!(line.contains("storage refused the request") && line.contains("locked"), "{line}");
    assert_eq!(server.get("/health").await.status, 503);
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(0));
    holder.execute_batch("rollback").expect("it was held");
    assert_eq!(debate.claim("opponent", &debate.motion, "k").await.status, 201);
    assert_eq!(server.get("/health").await.status, 200);
}

#[tokio::test]
async fn removed_file_is_reported_and_the_server_recovers_when_it_returns() {
    let server = Setup::sqlite().env("AW_LOG", "info").start().await;
    let debate = Debate::open(&server).await;
    let path = server.home().database_name();
    let elsewhere = format!("{path}.moved");
    fs::rename(&path, &elsewhere).expect("it is there");
    let refused = debate.claim("opponent", &debate.motion, "k").await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
    assert!(refused.text.contains("moved, replaced or deleted"), "{}", refused.text);
    assert!(!refused.text.contains(&path), "responses do not reveal the path of the data");
    assert!(server.log().contains(&path), "but its operator's");
    assert_eq!(server.get("/health").await.status, 503);
    assert_eq!(debate.read().await["arguments"].as_array().map(Vec::len), Some(0));
    fs::rename(&elsewhere, &path).expect("it was moved there");
    // Without any write: the server detects the recovery on its own.
    until("it is well again", || async { server.get("/health").await.status == 200 }).await;
    assert_eq!(debate.claim("opponent", &debate.motion, "k").await.status, 201);
}

#[tokio::test]
async fn writes_are_answered_507_while_free_disk_space_is_below_the_setting() {
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
    // A reader keeps the log from being truncated between the two readings.
    let reader = rusqlite::Connection::open(server.home().database_name()).expect("it is there");
    reader.execute_batch("begin; select count(*) from debates").expect("it can be read");
    assert_eq!(write(&server).await.status, 201);
    let bytes = fs::metadata(wal).expect("the log is there").len();
    let reported = server.metric("aw_wal_bytes").await;
    assert!(bytes > 0 && reported.to_string() == bytes.to_string(), "{reported}, not {bytes}");
}

#[tokio::test]
async fn undecodable_rows_are_reported_and_stop_writes_to_their_debate_only() {
    let server = Setup::sqlite().env("AW_LOG", "info").start().await;
    let (damaged, sound) = (Debate::open(&server).await, Debate::open(&server).await);
    assert_eq!(server.get("/health").await.data()["damaged"], 0);
    let id = uuid::Uuid::parse_str(&damaged.id).expect("it is a UUID");
    let database = rusqlite::Connection::open(server.home().database_name()).expect("it is there");
    let spoil = "update arguments set kind = 'UNKNOWN' where debate_id = ?1";
    database.execute(spoil, [id.as_bytes()]).expect("the table is there");

    let claim = damaged.claim("opponent", &damaged.motion, "k").await;
    let answers =
        [server.get(&damaged.path("")).await, claim, server.delete(&damaged.path("")).await];
    // The first write may not read the damaged row; after it is read, every write is refused.
    let claim = damaged.claim("opponent", &damaged.motion, "k-2").await;
    for answer in answers.into_iter().filter(|answer| answer.status != 201).chain([claim]) {
        assert_eq!((answer.status, answer.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
        assert_eq!(answer.error()["debate_id"], damaged.id);
        assert!(answer.header("retry-after").is_some());
    }
    let health = server.get("/health").await;
    assert_eq!((health.status, &health.data()["damaged"]), (200, &1.into()));
    assert!((server.metric("aw_damaged_debates").await - 1.0).abs() < 0.5);
    let log = server.log();
    let reported = log.lines().filter(|line| line.contains("rows that cannot be decoded"));
    let reported: Vec<_> = reported.collect();
    assert!(reported.len() == 1 && reported[0].contains(&damaged.id), "{reported:?}");
    assert_eq!(sound.claim("opponent", &sound.motion, "k").await.status, 201);
    assert_eq!(server.get("/debates").await.status, 200);
}

#[tokio::test]
async fn health_answers_503_when_the_check_after_a_kill_finds_damage() {
    let setup = Setup::sqlite();
    let mut server = setup.start().await;
    Debate::open(&server).await;
    server.terminate();
    server.wait_for_exit().await;
    let path = setup.home().database_name();
    let conn = rusqlite::Connection::open(&path).expect("it is there");
    let root = "select rootpage from sqlite_schema where name = 'forum_verdicts_by_time'";
    let number: u64 = conn.query_row(root, [], |row| row.get(0)).expect("it is there");
    let bytes: u64 = conn.query_row("pragma page_size", [], |row| row.get(0)).expect("it has one");
    drop(conn);

    let server = setup.start().await;
    assert_eq!(write(&server).await.status, 201);
    server.kill().await;
    let file = fs::OpenOptions::new().write(true).open(&path).expect("it is ours");
    let garbage = vec![0xff; usize::try_from(bytes).expect("a page is small")];
    std::os::unix::fs::FileExt::write_all_at(&file, &garbage, (number - 1) * bytes).unwrap();

    let server = setup.start().await;
    until("the check has ended", || async { server.get("/health").await.status == 503 }).await;
    assert_eq!(server.get("/health").await.code(), "STORAGE_UNAVAILABLE");
    let refused = write(&server).await;
    assert_eq!((refused.status, refused.code().as_str()), (503, "STORAGE_UNAVAILABLE"));
    assert_eq!(server.get("/debates").await.data()["total"], 2, "reads go on");
}

/// M7: each read of the forum used to write its rate window.
#[tokio::test]
async fn forum_reads_work_while_the_disk_is_full() {
    let server = Setup::sqlite()
        .env("GUARDRAIL_AUTO_APPROVE", "true")
        .through(&["sh", "-c", "trap '' XFSZ; exec \"$0\" \"$@\""])
        .start()
        .await;
    let ada = Caller::register(&server, "ada").await;
    let solution = ada.solution().await;
    limit_file_size(&server, "1");
    assert_eq!(write(&server).await.status, 503);
    let path = format!("/solutions/{solution}");
    for caller in [&ada, &Caller::anonymous(&server)] {
        let read = caller.get(&path).await;
        assert_eq!(read.status, 200, "{}", read.text);
        assert!(read.header("x-ratelimit-remaining").is_some(), "it is counted");
    }
    assert_eq!(server.get("/forum").await.status, 200);
    assert_eq!(server.get(&format!("/forum/solutions/{solution}")).await.status, 200);
    let refused = ada.post("/problems", &problem()).await;
    assert_eq!((refused.status, failure(&refused).1.as_str()), (503, "STORAGE_UNAVAILABLE"));
}
