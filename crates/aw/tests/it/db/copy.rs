//! `aw db copy` while servers run.

use aw_testbed::Database;
use serde_json::{Value, json};

use crate::db::status;
use crate::support::{Debate, Engine, Run, Server, Setup, create_body, new_id};

const STATES: [&str; 5] = [
    "AWAITING_OPPONENT",
    "AWAITING_PROPOSER",
    "AWAITING_ARBITRATOR",
    "INTERVENTION_PENDING",
    "CLOSED",
];

/// Creates a debate in every state, a deleted one, and one with unusual characters.
async fn create_debates(server: &Server) -> Vec<String> {
    let mut ids = Vec::new();
    for state in STATES {
        let debate = Debate::open_with(server, |body| {
            body["title"] = format!("Über {state} \u{1f980} \\N").into();
            body["motion_content"] = "x\u{301}\n\t\u{10ffff}".repeat(1000).into();
        })
        .await;
        debate.advance_to(state).await;
        ids.push(debate.id);
    }
    let gone = Debate::open(server).await;
    assert_eq!(server.delete(&gone.path("")).await.status, 200);
    ids
}

/// Everything that a client can read.
async fn read_all(server: &Server, ids: &[String]) -> Vec<Value> {
    let mut found = vec![server.get("/debates?search=%C3%9CBER").await.data()];
    for id in ids {
        found.push(server.get(&format!("/debates/{id}")).await.data());
    }
    found
}

/// The digests in the two lines that a copy prints.
fn digests(output: &str) -> Vec<&str> {
    output.lines().filter_map(|line| line.split("SHA-256 ").nth(1)).collect()
}

/// The location of this run's database, and of an empty one of the other engine.
fn source_and_target(setup: &Setup, server: &Database) -> (String, String) {
    let other = setup.home().path().join("other.db").display().to_string();
    match setup.home().database_url() {
        None => (setup.home().database_name(), server.url().to_owned()),
        Some(url) => (url.to_owned(), other),
    }
}

#[tokio::test]
async fn copy_of_a_running_server_is_equal_on_the_other_engine_and_back() {
    let setup = Setup::new();
    let server = setup.start().await;
    let ids = create_debates(&server).await;
    let database = Database::fresh().expect("a PostgreSQL serves the tests");
    let (here, there) = source_and_target(&setup, &database);
    let output = setup.db(&["copy", "--from", &here, "--to", &there]).await.expect("it is copied");
    assert_eq!(digests(&output).len(), 2, "{output}");
    let before = read_all(&server, &ids).await;

    let back = setup.home().path().join("back.db").display().to_string();
    let again = setup.db(&["copy", "--from", &there, "--to", &back]).await.expect("it is copied");
    assert!(digests(&output).iter().chain(&digests(&again)).all(|one| *one == digests(&output)[0]));
    let on_copy = Setup::sqlite().env("DEBATE_DB_PATH", &back).start().await;
    assert_eq!(read_all(&on_copy, &ids).await, before);
    let debate = Debate { server: &on_copy, id: ids[0].clone(), motion: String::new() };
    let body = create_body(&new_id());
    assert_eq!(on_copy.post("/debates", &body).await.status, 201, "the copy goes on");
    assert_eq!(debate.intervene().await.status, 201, "the copy goes on");
}

/// Everything that a client can read of a run.
async fn read_run(run: &Run<'_>) -> [Value; 2] {
    [run.read().await, run.server.get(&run.path("/attempts")).await.json()]
}

#[tokio::test]
async fn copied_runs_are_equal_and_continue() {
    let setup = Setup::new();
    let server = setup.start().await;
    let held = Run::complete_demo(&server, 1).await;
    let fast = json!({ "max_rounds": 1, "model_debater": "demo:fast", "model_judge": "demo:fast" });
    let waiting = Run::create(&server, "Über \u{1f980}", fast).await;
    let database = Database::fresh().expect("a PostgreSQL serves the tests");
    let (here, there) = source_and_target(&setup, &database);
    let back = setup.home().path().join("back.db").display().to_string();
    let output = setup.db(&["copy", "--from", &here, "--to", &there]).await.expect("it is copied");
    assert!(output.contains("runs 2, turns 3, calls 3, agents 0, posts 0, SHA-256"), "{output}");
    setup.db(&["copy", "--from", &there, "--to", &back]).await.expect("it is copied");
    let on_copy = Setup::sqlite().env("DEBATE_DB_PATH", &back).start().await;
    for run in [&held, &waiting] {
        let copy = Run { server: &on_copy, id: run.id.clone() };
        assert_eq!(read_run(&copy).await, read_run(run).await);
    }
    let copy = Run { server: &on_copy, id: waiting.id.clone() };
    copy.command("start").await;
    copy.until("completed").await;
    assert_eq!(waiting.debate().await["status"], "created", "the source is as it was");
    let counted = status(&setup, &["--database-url", &format!("sqlite:{back}")]).await;
    assert_eq!((&counted["runs"], &counted["turns"]), (&json!(2), &json!(6)));
}

#[tokio::test]
async fn copy_uses_the_configured_database_by_default() {
    let setup = Setup::new();
    let server = setup.start().await;
    Debate::open(&server).await;
    let to = setup.home().path().join("to.db").display().to_string();
    setup.db(&["copy", "--to", &to]).await.expect("it is copied");
    assert_eq!(status(&setup, &["--database-url", &format!("sqlite:{to}")]).await["debates"], 1);
    let output = setup.db(&["copy", "--from", &to]).await.expect_err("it is not empty");
    let refused = match Engine::configured() {
        Engine::Sqlite => "not changed; choose another path",
        Engine::Postgres => "not changed; use an empty database",
    };
    assert!(output.contains("cannot copy") && output.contains(refused), "{output}");
    assert_eq!(output.lines().count(), 1, "{output}");
    assert_eq!(server.get("/debates").await.data()["total"], 1, "it goes on");
}
