//! Requests whose responses are lost: each is executed exactly once.

use serde_json::{Value, json};

use crate::cli::forum::{
    ADMIN, APPROACH, ForumUser, POST_TEXT, RAISE, SOLUTION, auto_approving, high_limits, id,
};
use crate::cli::lossy_proxy::LossyProxy;
use crate::support::{Cli, Server};

/// Runs a command whose first response is lost.
async fn run_with_lost_response(
    server: &Server,
    about: &str,
    user: &ForumUser,
    words: &[&str],
) -> Value {
    let line = LossyProxy::to(server, about, 1).await;
    let output = user.through(&line.url).run(&[&["forum"], words].concat()).await;
    assert_eq!((output.code, line.dropped()), (0, 1), "{output:?}");
    assert!(output.err.contains("retrying"), "{output:?}");
    output.data()
}

#[tokio::test]
async fn post_with_a_lost_response_is_created_once() {
    let server = auto_approving().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let about = format!("POST /api/v1/solutions/{solution}/debates");
    let post = ["post", &solution, "--stance", "support", "--content", POST_TEXT];
    let made = run_with_lost_response(&server, &about, &ada, &post).await;
    let thread = ada.data(&["thread", &solution]).await;
    assert_eq!(thread["debates"].as_array().map(Vec::len), Some(1));
    assert_eq!(thread["debates"][0]["id"], made["id"]);
    // A manual retry with the same request id creates nothing new.
    let key = made["clientRequestId"].as_str().expect("it has a name");
    let again = ada.data(&[&post[..], &["--client-request-id", key]].concat()).await;
    assert_eq!(again["id"], made["id"]);
    // Without the request id the duplicate content is rejected.
    let output = ada.run(&post).await;
    assert_eq!((output.code, output.error_code().as_str()), (5, "CONFLICT"));
    let other = format!("{POST_TEXT} And more.");
    let post = ["post", &solution, "--stance", "support", "--content", &other];
    let output = ada.run(&[&post[..], &["--client-request-id", key]].concat()).await;
    assert_eq!((output.code, output.error_code().as_str()), (5, "IDEMPOTENCY_CONFLICT"));
}

#[tokio::test]
async fn post_without_any_response_reports_the_request_id_for_a_retry() {
    let server = auto_approving().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let about = format!("POST /api/v1/solutions/{solution}/debates");
    let line = LossyProxy::to(&server, &about, 1000).await;
    let post = ["forum", "post", &solution, "--stance", "support", "--content", POST_TEXT];
    let output = ada.through(&line.url).env("DEBATE_RETRY_DEADLINE", "0.5").run(&post).await;
    assert_eq!(
        (output.code, output.error_code().as_str()),
        (3, "SERVER_UNREACHABLE"),
        "{output:?}"
    );
    let key = output.json()["metadata"]["client_request_id"].as_str().expect("a name").to_owned();
    let suggestion = output.error()["suggestion"].to_string();
    assert!(suggestion.contains(&format!("--client-request-id {key}")), "{suggestion}");
    let post = [&post[1..], &["--client-request-id", &key]].concat();
    ada.data(&post).await;
    let thread = ada.data(&["thread", &solution]).await;
    assert_eq!(thread["debates"].as_array().map(Vec::len), Some(1));
}

#[tokio::test]
async fn problem_and_solution_with_lost_responses_are_created_once() {
    let server = auto_approving().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let raise = [&RAISE[..], &["--wait"]].concat();
    let problem = run_with_lost_response(&server, "POST /api/v1/problems", &ada, &raise).await;
    let mine = ada.data(&["problem", "list", "--mine"]).await;
    assert_eq!(mine["problems"].as_array().map(Vec::len), Some(1));
    assert_eq!(mine["problems"][0]["id"], problem["id"]);
    let propose = ["solution", "propose", id(&problem), "--title", "Collect rain from roofs"];
    let propose = [&propose[..], &["--description", SOLUTION, "--content", APPROACH]].concat();
    let solution = run_with_lost_response(&server, "POST /api/v1/solutions", &ada, &propose).await;
    let mine = ada.data(&["solution", "list", "--mine"]).await;
    assert_eq!(mine["solutions"].as_array().map(Vec::len), Some(1));
    assert_eq!(mine["solutions"][0]["id"], solution["id"]);
    let about = format!("DELETE /api/v1/problems/{}", id(&problem));
    let delete = ["problem", "delete", id(&problem), "--yes"];
    let gone = run_with_lost_response(&server, &about, &ada, &delete).await;
    assert_eq!(gone, json!({ "deleted": true }));
    // If no response ever arrives, the error says where to look.
    let line = LossyProxy::to(&server, "POST /api/v1/problems", 1000).await;
    let cli = ada.through(&line.url).env("DEBATE_RETRY_DEADLINE", "0");
    let output = cli.run(&[&["forum"], &RAISE[..]].concat()).await;
    assert_eq!(
        (output.code, output.error_code().as_str()),
        (3, "SERVER_UNREACHABLE"),
        "{output:?}"
    );
    let suggestion = output.error()["suggestion"].to_string();
    assert!(suggestion.contains("aw forum problem list --mine"), "{suggestion}");
}

#[tokio::test]
async fn key_in_a_lost_response_is_reported() {
    let server = high_limits().start().await;
    let ada = ForumUser::at(&server);
    let line = LossyProxy::to(&server, "POST /api/v1/auth/agents/register", 1).await;
    let cli = ada.cli.clone().env("DEBATE_SERVER_URL", &line.url);
    let output = cli.run(&["forum", "register", "ada"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (5, "USERNAME_TAKEN"), "{output:?}");
    let suggestion = output.error()["suggestion"].to_string();
    assert!(suggestion.contains("choose another username"), "{suggestion}");
    assert!(suggestion.contains("its response with the key was lost"), "{suggestion}");
    assert_eq!(std::fs::read_dir(ada.home.path().join(".aweave/keys")).unwrap().count(), 0);

    // The old key is still valid, so the rotation can be repeated.
    let bob = ForumUser::agent(&server, "bob").await;
    let path = bob.key_file().display().to_string();
    let by_file = |line: &LossyProxy| {
        let words = ["forum", "rotate-key", "--key-file", &path].map(str::to_owned);
        (bob.cli.clone().env("DEBATE_SERVER_URL", &line.url), words)
    };
    let line = LossyProxy::to(&server, "POST /api/v1/auth/agents/rotate-key", 1).await;
    let (cli, words) = by_file(&line);
    let words: Vec<&str> = words.iter().map(String::as_str).collect();
    cli.data(&words).await;
    assert_eq!(bob.data(&["me"]).await["username"], "bob");
    // With `--revoke-now` the old key is invalid and the new one is lost; the error says so.
    let line = LossyProxy::to(&server, "POST /api/v1/auth/agents/rotate-key", 1).await;
    let (cli, _) = by_file(&line);
    let output = cli.run(&[&words[..], &["--revoke-now"]].concat()).await;
    assert_eq!((output.code, output.error_code().as_str()), (6, "KEY_LOST"), "{output:?}");
}

#[tokio::test]
async fn reviews_and_appeals_with_lost_responses_are_executed_once() {
    let server = high_limits().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
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
        let line = LossyProxy::to(&server, &about, 1).await;
        let cli = Cli::at(&server).env("DEBATE_SERVER_URL", &line.url);
        let output = cli.env("DEBATE_ADMIN_TOKEN", ADMIN).run(&[&["forum"], words].concat()).await;
        assert_eq!((output.code, line.dropped()), (0, 1), "{what}: {output:?}");
    }
    assert_eq!(ada.data(&["status", evaluation]).await["status"], "approved");
}
