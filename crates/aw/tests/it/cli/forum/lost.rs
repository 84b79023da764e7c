//! Requests whose responses are lost: each is executed exactly once.

use serde_json::{Value, json};

use super::lossy::Lossy;
use super::{ADMIN, APPROACH, Person, RAISE, SOLUTION, WORDS, id, roomy, trusting};
use crate::support::{Cli, Server};

/// Runs a command whose first response is lost.
async fn over(server: &Server, about: &str, person: &Person, words: &[&str]) -> Value {
    let line = Lossy::to(server, about, 1).await;
    let told = person.through(&line.url).run(&[&["forum"], words].concat()).await;
    assert_eq!((told.code, line.lost()), (0, 1), "{told:?}");
    assert!(told.err.contains("retrying"), "{told:?}");
    told.data()
}

#[tokio::test]
async fn a_post_whose_answer_was_lost_counts_once() {
    let server = trusting().start().await;
    let ada = Person::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let about = format!("POST /api/v1/solutions/{solution}/debates");
    let post = ["post", &solution, "--stance", "support", "--content", WORDS];
    let made = over(&server, &about, &ada, &post).await;
    let thread = ada.data(&["thread", &solution]).await;
    assert_eq!(thread["debates"].as_array().map(Vec::len), Some(1));
    assert_eq!(thread["debates"][0]["id"], made["id"]);
    // A manual retry with the same request id creates nothing new.
    let key = made["clientRequestId"].as_str().expect("it has a name");
    let again = ada.data(&[&post[..], &["--client-request-id", key]].concat()).await;
    assert_eq!(again["id"], made["id"]);
    // Without the request id the duplicate content is rejected.
    let told = ada.run(&post).await;
    assert_eq!((told.code, told.error_code().as_str()), (5, "CONFLICT"));
    let other = format!("{WORDS} And more.");
    let post = ["post", &solution, "--stance", "support", "--content", &other];
    let told = ada.run(&[&post[..], &["--client-request-id", key]].concat()).await;
    assert_eq!((told.code, told.error_code().as_str()), (5, "IDEMPOTENCY_CONFLICT"));
}

#[tokio::test]
async fn a_post_that_was_never_answered_says_under_which_name_to_send_it_again() {
    let server = trusting().start().await;
    let ada = Person::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let about = format!("POST /api/v1/solutions/{solution}/debates");
    let line = Lossy::to(&server, &about, 1000).await;
    let post = ["forum", "post", &solution, "--stance", "support", "--content", WORDS];
    let told = ada.through(&line.url).env("DEBATE_RETRY_DEADLINE", "0.5").run(&post).await;
    assert_eq!((told.code, told.error_code().as_str()), (3, "SERVER_UNREACHABLE"), "{told:?}");
    let key = told.json()["metadata"]["client_request_id"].as_str().expect("a name").to_owned();
    let suggestion = told.error()["suggestion"].to_string();
    assert!(suggestion.contains(&format!("--client-request-id {key}")), "{suggestion}");
    let post = [&post[1..], &["--client-request-id", &key]].concat();
    ada.data(&post).await;
    let thread = ada.data(&["thread", &solution]).await;
    assert_eq!(thread["debates"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn a_problem_and_a_solution_whose_answers_were_lost_are_found_again() {
    let server = trusting().start().await;
    let ada = Person::agent(&server, "ada").await;
    let raise = [&RAISE[..], &["--wait"]].concat();
    let problem = over(&server, "POST /api/v1/problems", &ada, &raise).await;
    let mine = ada.data(&["problem", "list", "--mine"]).await;
    assert_eq!(mine["problems"].as_array().map(Vec::len), Some(1));
    assert_eq!(mine["problems"][0]["id"], problem["id"]);
    let propose = ["solution", "propose", id(&problem), "--title", "Collect rain from roofs"];
    let propose = [&propose[..], &["--description", SOLUTION, "--content", APPROACH]].concat();
    let solution = over(&server, "POST /api/v1/solutions", &ada, &propose).await;
    let mine = ada.data(&["solution", "list", "--mine"]).await;
    assert_eq!(mine["solutions"].as_array().map(Vec::len), Some(1));
    assert_eq!(mine["solutions"][0]["id"], solution["id"]);
    let about = format!("DELETE /api/v1/problems/{}", id(&problem));
    let delete = ["problem", "delete", id(&problem), "--yes"];
    let gone = over(&server, &about, &ada, &delete).await;
    assert_eq!(gone, json!({ "deleted": true }));
    // If no response ever arrives, the error says where to look.
    let line = Lossy::to(&server, "POST /api/v1/problems", 1000).await;
    let cli = ada.through(&line.url).env("DEBATE_RETRY_DEADLINE", "0");
    let told = cli.run(&[&["forum"], &RAISE[..]].concat()).await;
    assert_eq!((told.code, told.error_code().as_str()), (3, "SERVER_UNREACHABLE"), "{told:?}");
    let suggestion = told.error()["suggestion"].to_string();
    assert!(suggestion.contains("aw forum problem list --mine"), "{suggestion}");
}

#[tokio::test]
async fn a_key_that_was_lost_with_its_answer_is_not_silently_lost() {
    let server = roomy().start().await;
    let ada = Person::at(&server);
    let line = Lossy::to(&server, "POST /api/v1/auth/agents/register", 1).await;
    let cli = ada.cli.clone().env("DEBATE_SERVER_URL", &line.url);
    let told = cli.run(&["forum", "register", "ada"]).await;
    assert_eq!((told.code, told.error_code().as_str()), (5, "USERNAME_TAKEN"), "{told:?}");
    let suggestion = told.error()["suggestion"].to_string();
    assert!(suggestion.contains("choose another username"), "{suggestion}");
    assert!(suggestion.contains("its response with the key was lost"), "{suggestion}");
    assert_eq!(std::fs::read_dir(ada.home.path().join(".aweave/keys")).unwrap().count(), 0);

    // The old key is still valid, so the rotation can be repeated.
    let bob = Person::agent(&server, "bob").await;
    let path = bob.key_file().display().to_string();
    let by_file = |line: &Lossy| {
        let words = ["forum", "rotate-key", "--key-file", &path].map(str::to_owned);
        (bob.cli.clone().env("DEBATE_SERVER_URL", &line.url), words)
    };
    let line = Lossy::to(&server, "POST /api/v1/auth/agents/rotate-key", 1).await;
    let (cli, words) = by_file(&line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    cli.data(&words).await;
    assert_eq!(bob.data(&["me"]).await["username"], "bob");
    // With `--revoke-now` the old key is invalid and the new one is lost; the error says so.
    let line = Lossy::to(&server, "POST /api/v1/auth/agents/rotate-key", 1).await;
    let (cli, _) = by_file(&line);
    let told = cli.run(&[&words[..], &["--revoke-now"]].concat()).await;
    assert_eq!((told.code, told.error_code().as_str()), (6, "KEY_LOST"), "{told:?}");
}

#[tokio::test]
async fn reviews_and_appeals_whose_answers_were_lost_are_done_once() {
    let server = roomy().start().await;
    let ada = Person::agent(&server, "ada").await;
    let made = ada.data(&[&RAISE[..], &["--wait"]].concat()).await;
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
    let notes = ["--notes", "A plain question of water."];
    let approve = ["review", "approve", evaluation, notes[0], notes[1]];
    let release = ["review", "release", evaluation];
    for (what, words) in [
        ("claim", &["review", "claim", evaluation][..]),
        ("release", &release),
        ("review", &approve),
    ] {
        let about = format!("POST /api/v1/admin/flagged/{evaluation}/{what}");
        let line = Lossy::to(&server, &about, 1).await;
        let cli = Cli::at(&server).env("DEBATE_SERVER_URL", &line.url);
        let told = cli.env("DEBATE_ADMIN_TOKEN", ADMIN).run(&[&["forum"], words].concat()).await;
        assert_eq!((told.code, line.lost()), (0, 1), "{what}: {told:?}");
    }
    assert_eq!(ada.data(&["status", evaluation]).await["status"], "approved");
}
