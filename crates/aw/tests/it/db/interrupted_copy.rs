//! A copy that is killed leaves an empty database, and the next copy fills it.

use std::process::Stdio;

use aw_testbed::Database;

use crate::db::status;
use crate::support::{Debate, Setup, until};

/// A function that sleeps until its session is ended.
const BLOCKING_FUNCTION: &str =
    "create function hold() returns boolean language plpgsql volatile as
    $$ begin perform pg_sleep(3600); return true; end $$";

fn database() -> Database {
    Database::fresh().expect("a PostgreSQL serves the tests")
}

/// Starts a copy, waits until it blocks, and kills it.
async fn kill_blocked_copy(setup: &Setup, held: &Database, words: &[&str]) {
    let mut copy = setup.db_command(words);
    let mut copy = copy.stdout(Stdio::null()).stderr(Stdio::null()).spawn().expect("it starts");
    let holds = "select count(*) from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'";
    until("the copy is held up", || {
        assert_eq!(copy.try_wait().expect("it is our own child"), None, "it ended");
        let held = held.sql(&[holds]).expect("it can be asked") == "1";
        async move { held }
    })
    .await;
    copy.kill().await.expect("it is our own child");
    // PostgreSQL notices the lost connection only at the next read: end the session now.
    let end = "select pg_terminate_backend(pid) from pg_stat_activity
        where datname = current_database() and wait_event = 'PgSleep'";
    held.sql(&[end]).expect("it can be told");
}

/// A SQLite file with a few debates and no server.
async fn file(setup: &Setup) -> String {
    let mut server = setup.start().await;
    for _ in 0..3 {
        Debate::open(&server).await.advance_to("CLOSED").await;
    }
    server.terminate();
    server.wait_for_exit().await;
    setup.home().database_name()
}

#[tokio::test]
async fn killed_copy_leaves_postgresql_empty() {
    let (setup, to) = (Setup::sqlite(), database());
    let from = file(&setup).await;
    setup.db(&["migrate", "--database-url", to.url()]).await.expect("it is empty");
    // Debates are copied before arguments.
    let hold = "create trigger hold before insert on arguments for each row
        when (hold()) execute function suppress_redundant_updates_trigger()";
    to.sql(&[BLOCKING_FUNCTION, hold]).expect("the table is there");
    kill_blocked_copy(&setup, &to, &["copy", "--from", &from, "--to", to.url()]).await;
    to.sql(&["drop trigger hold on arguments"]).expect("the table is not locked");
    let place = ["--database-url", to.url()];
    assert_eq!(status(&setup, &place).await["debates"], 0);
    setup.db(&["copy", "--from", &from, "--to", to.url()]).await.expect("it is empty");
    assert_eq!(status(&setup, &place).await["debates"], 3);
    assert_eq!(status(&setup, &place).await["arguments"], 9);
}

#[tokio::test]
async fn killed_copy_leaves_a_file_empty() {
    let (setup, between) = (Setup::sqlite(), database());
    let from = file(&setup).await;
    setup.db(&["copy", "--from", &from, "--to", between.url()]).await.expect("it is empty");
    // Reading the last table of the source blocks; the other tables are written by then.
    let hold = [
        BLOCKING_FUNCTION,
        "insert into revoked_sessions values ('\\x01', 1)",
        "alter table revoked_sessions rename to really",
        "create view revoked_sessions as select * from really where hold()",
    ];
    between.sql(&hold).expect("the table is there");
    let to = setup.home().path().join("to.db").display().to_string();
    kill_blocked_copy(&setup, &between, &["copy", "--from", between.url(), "--to", &to]).await;
    let release = ["drop view revoked_sessions", "alter table really rename to revoked_sessions"];
    between.sql(&release).expect("the table is not locked");
    let place = ["--db-path", to.as_str()];
    assert_eq!(status(&setup, &place).await["debates"], 0);
    setup.db(&["copy", "--from", between.url(), "--to", &to]).await.expect("it is empty");
    assert_eq!(status(&setup, &place).await["debates"], 3);
    assert_eq!(status(&setup, &place).await["arguments"], 9);
}
