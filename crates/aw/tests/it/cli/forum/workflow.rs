//! The forum from registration to a public thread, with a review in between.

use insta::assert_snapshot;
use serde_json::json;

use crate::cli::forum::{
    APPROACH, ForumUser, POST_TEXT, QUESTION, RAISE, SOLUTION, auto_approving, high_limits, id,
    reviewer,
};
use crate::support::{Output, Record, Server, Setup};

/// Runs a command that succeeds and records the output.
async fn record_success(
    record: &mut Record,
    server: &Server,
    user: &ForumUser,
    words: &[&str],
) -> Output {
    let words = [&["forum"], words].concat();
    let output = user.cli.run(&words).await;
    assert_eq!(output.code, 0, "{words:?}: {output:?}");
    let home = user.home.path().display().to_string();
    let out = output.out.replace(&home, "~").replace(server.address(), "SERVER");
    let shown = Output { code: output.code, out, err: output.err.clone() };
    record.note_command(server, &words, &shown);
    output
}

#[tokio::test]
async fn two_agents_and_a_reviewer_publish_a_thread() {
    let server = high_limits().start().await;
    let (ada, bob) = (ForumUser::at(&server), ForumUser::at(&server));
    let eve = reviewer(&server);
    let mut record = Record::default();
    record_success(&mut record, &server, &ada, &["register", "ada", "--display-name", "Ada L."])
        .await;
    record_success(&mut record, &server, &bob, &["register", "bob"]).await;
    record_success(&mut record, &server, &ada, &["me"]).await;

    // Ada's problem is visible only to her until a reviewer approves it.
    let raise = [&RAISE[..], &["--domain", "water", "--wait"]].concat();
    let problem = record_success(&mut record, &server, &ada, &raise).await.data();
    assert_eq!(problem["guardrailStatus"], "flagged");
    let found = ada.data(&["problem", "list"]).await;
    assert_eq!(found["problems"][0]["id"], problem["id"]);
    assert_eq!(bob.data(&["problem", "list"]).await["problems"], json!([]));
    assert_eq!(bob.run(&["problem", "show", id(&problem)]).await.code, 2);
    record_success(&mut record, &server, &eve, &["review", "list", "--unclaimed"]).await;
    let evaluation = problem["guardrailEvaluationId"].as_str().expect("it is examined");
    record_success(&mut record, &server, &eve, &["review", "show", evaluation]).await;
    record_success(&mut record, &server, &eve, &["review", "claim", evaluation]).await;
    record_success(&mut record, &server, &eve, &["review", "release", evaluation]).await;
    let notes = ["--notes", "A plain question of water."];
    let approve = [&["review", "approve", evaluation], &notes[..]].concat();
    record_success(&mut record, &server, &eve, &approve).await;
    record_success(&mut record, &server, &ada, &["status", evaluation]).await;
    record_success(&mut record, &server, &bob, &["problem", "show", id(&problem)]).await;

    let propose = ["solution", "propose", id(&problem), "--title", "Collect rain from roofs"];
    let words = ["--description", SOLUTION, "--content", APPROACH, "--wait"];
    let words = [&propose[..], &words].concat();
    let solution = record_success(&mut record, &server, &bob, &words).await.data();
    let approved = async |made: &serde_json::Value| {
        let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
        let approved = eve.data(&[&["review", "approve", evaluation], &notes[..]].concat()).await;
        assert_eq!(approved["status"], "approved");
    };
    approved(&solution).await;
    let solution = id(&solution);
    record_success(&mut record, &server, &ada, &["solution", "list", "--problem", id(&problem)])
        .await;

    // Unpublished posts are visible only to their author.
    let post = ["post", solution, "--stance", "support", "--content", POST_TEXT];
    let post = [&post[..], &["--evidence", "https://example.org/rain"]].concat();
    let post = [&post[..], &["--client-request-id", "k-1", "--wait"]].concat();
    let first = record_success(&mut record, &server, &ada, &post).await.data();
    assert_eq!(first["guardrailStatus"], "flagged");
    let of = |thread: &serde_json::Value| thread["debates"].as_array().map(Vec::len);
    assert_eq!(of(&ada.data(&["thread", solution]).await), Some(1));
    assert_eq!(of(&bob.data(&["thread", solution]).await), Some(0));
    approved(&first).await;
    let reply = ["post", solution, "--stance", "question", "--reply-to", id(&first)];
    let second = bob.data(&[&reply[..], &["--content", QUESTION, "--wait"]].concat()).await;
    approved(&second).await;
    record_success(&mut record, &server, &bob, &["upvote", solution, id(&first)]).await;
    record_success(&mut record, &server, &ForumUser::at(&server), &["thread", solution]).await;
    for format in ["text", "markdown"] {
        let words = ["thread", solution, "--format", format];
        record_success(&mut record, &server, &ForumUser::at(&server), &words).await;
    }
    record_success(&mut record, &server, &ada, &["problem", "delete", id(&problem), "--yes"]).await;
    assert_eq!(bob.run(&["thread", solution]).await.code, 2, "it went with the problem");
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn thread_is_printed_completely_or_by_page() {
    let server = auto_approving().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let words = |number: usize| format!("Number {number}: {POST_TEXT}");
    for number in 0..5 {
        let stance = if number % 2 == 0 { "support" } else { "oppose" };
        ada.post(&solution, &["--stance", stance, "--content", &words(number)]).await;
    }
    let numbers = |thread: &serde_json::Value| -> Vec<String> {
        let debates = thread["debates"].as_array().expect("a list");
        let content = |debate: &serde_json::Value| debate["content"].as_str().map(str::to_owned);
        debates.iter().filter_map(content).collect()
    };
    let whole = ada.data(&["thread", &solution]).await;
    assert_eq!(numbers(&whole), (0..5).map(words).collect::<Vec<_>>());
    assert_eq!(whole["nextCursor"], json!(null));
    let opposing = ada.data(&["thread", &solution, "--stance", "oppose"]).await;
    assert_eq!(numbers(&opposing), [words(1), words(3)]);
    let (mut pages, mut cursor) = (Vec::new(), None);
    loop {
        let mut page = vec!["thread", &solution, "--limit", "2"];
        page.extend(cursor.iter().flat_map(|cursor: &String| ["--cursor", cursor.as_str()]));
        let page = ada.data(&page).await;
        pages.push(numbers(&page).len());
        match page["nextCursor"].as_str() {
            Some(next) => cursor = Some(next.to_owned()),
            None => break,
        }
    }
    assert_eq!(pages, [2, 2, 1]);
    let mine = ada.data(&["solution", "list", "--mine", "--status", "debating"]).await;
    assert_eq!(mine["solutions"][0]["approvedDebateCount"], 5);
}

#[tokio::test]
async fn rejection_by_a_rule_is_reported_and_can_be_appealed_once() {
    let server = auto_approving().start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let eve = reviewer(&server);
    let solution = ada.solution().await;
    let bad = "We should build weapons and sell them instead, which brings in far more money.";
    let post = ["post", &solution, "--stance", "oppose", "--wait", "--stdin"];
    let output = ada.cli.run_with(&[&["forum"], &post[..]].concat(), bad.as_bytes()).await;
    let made = output.data();
    assert_eq!(made["guardrailStatus"], "rejected");
    let reason = made["guardrailReason"].as_str().expect("it says why");
    assert!(reason.contains("weapons."), "{reason}");
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
    let status = ada.data(&["status", evaluation, "--wait"]).await;
    assert_eq!(status["layers"]["rules"]["refusedBy"][0]["category"], "weapons");
    let reason = "It only warns of what others do.";
    let appeal = ["appeal", &solution, id(&made), "--reason", reason];
    assert_eq!(ada.data(&appeal).await["guardrailStatus"], "flagged");
    assert_eq!(eve.data(&["review", "show", evaluation]).await["appealReason"], reason);
    let reject = ["review", "reject", evaluation, "--notes", "It does not warn of anything."];
    assert_eq!(eve.data(&reject).await["status"], "rejected");
    let again = ada.run(&appeal).await;
    assert_eq!((again.code, again.error_code().as_str()), (5, "CONFLICT"));
    let again = eve.run(&reject).await;
    assert_eq!((again.code, again.error_code().as_str()), (5, "CONFLICT"));
}

#[tokio::test]
async fn wait_without_a_decision_succeeds_and_names_the_next_command() {
    let server = high_limits().env("GUARDRAIL_WORKERS", "0").start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    let ada = ForumUser { cli: ada.cli.env("DEBATE_WAIT_DEADLINE", "0.2"), home: ada.home };
    let output = ada.run(&[&RAISE[..], &["--wait"]].concat()).await;
    let made = output.data();
    assert_eq!(made["guardrailStatus"], "pending");
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
    let again = format!("`aw forum status {evaluation} --wait`");
    for output in [output, ada.run(&["status", evaluation, "--wait"]).await] {
        let message = output.json()["metadata"]["message"].to_string();
        assert!(output.code == 0 && message.contains(&again), "{output:?}");
    }
}

#[tokio::test]
async fn exceeded_limit_is_reported_with_the_time_to_retry() {
    let setup = Setup::new().env("FORUM_RATE_LIMIT_AGENT", "2");
    let server = setup.start().await;
    let ada = ForumUser::agent(&server, "ada").await;
    for _ in 0..2 {
        ada.data(&["me"]).await;
    }
    let output = ada.run(&["me"]).await;
    assert_eq!(
        (output.code, output.error_code().as_str()),
        (3, "RATE_LIMIT_EXCEEDED"),
        "{output:?}"
    );
    let error = &output.json()["content"][0]["data"]["server_error"];
    let after = error["details"]["retryAfter"].as_u64().expect("it is exact");
    let suggestion = output.error()["suggestion"].to_string();
    assert!(suggestion.contains(&format!("wait {after} second")), "{suggestion}");
}
