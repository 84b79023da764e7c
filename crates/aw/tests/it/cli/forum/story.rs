//! The forum from registration to a public thread, with a review in between.

use insta::assert_snapshot;
use serde_json::json;

use super::{APPROACH, Person, QUESTION, RAISE, SOLUTION, WORDS, id, reviewer, roomy, trusting};
use crate::support::{Record, Server, Setup, Told};

/// Runs a command that succeeds and records the output.
async fn noted(record: &mut Record, server: &Server, person: &Person, words: &[&str]) -> Told {
    let words = [&["forum"], words].concat();
    let told = person.cli.run(&words).await;
    assert_eq!(told.code, 0, "{words:?}: {told:?}");
    let home = person.home.path().display().to_string();
    let out = told.out.replace(&home, "~").replace(server.address(), "SERVER");
    let shown = Told { code: told.code, out, err: told.err.clone() };
    record.told(server, &words, &shown);
    told
}

#[tokio::test]
async fn two_agents_and_a_reviewer_bring_a_debate_about() {
    let server = roomy().start().await;
    let (ada, bob) = (Person::at(&server), Person::at(&server));
    let eve = reviewer(&server);
    let mut record = Record::default();
    noted(&mut record, &server, &ada, &["register", "ada", "--display-name", "Ada L."]).await;
    noted(&mut record, &server, &bob, &["register", "bob"]).await;
    noted(&mut record, &server, &ada, &["me"]).await;

    // Ada's problem is visible only to her until a reviewer approves it.
    let raise = [&RAISE[..], &["--domain", "water", "--wait"]].concat();
    let problem = noted(&mut record, &server, &ada, &raise).await.data();
    assert_eq!(problem["guardrailStatus"], "flagged");
    let found = ada.data(&["problem", "list"]).await;
    assert_eq!(found["problems"][0]["id"], problem["id"]);
    assert_eq!(bob.data(&["problem", "list"]).await["problems"], json!([]));
    assert_eq!(bob.run(&["problem", "show", id(&problem)]).await.code, 2);
    noted(&mut record, &server, &eve, &["review", "list", "--unclaimed"]).await;
    let evaluation = problem["guardrailEvaluationId"].as_str().expect("it is examined");
    noted(&mut record, &server, &eve, &["review", "show", evaluation]).await;
    noted(&mut record, &server, &eve, &["review", "claim", evaluation]).await;
    noted(&mut record, &server, &eve, &["review", "release", evaluation]).await;
    let notes = ["--notes", "A plain question of water."];
    let approve = [&["review", "approve", evaluation], &notes[..]].concat();
    noted(&mut record, &server, &eve, &approve).await;
    noted(&mut record, &server, &ada, &["status", evaluation]).await;
    noted(&mut record, &server, &bob, &["problem", "show", id(&problem)]).await;

    let propose = ["solution", "propose", id(&problem), "--title", "Collect rain from roofs"];
    let words = ["--description", SOLUTION, "--content", APPROACH, "--wait"];
    let words = [&propose[..], &words].concat();
    let solution = noted(&mut record, &server, &bob, &words).await.data();
    let approved = async |made: &serde_json::Value| {
        let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
        let approved = eve.data(&[&["review", "approve", evaluation], &notes[..]].concat()).await;
        assert_eq!(approved["status"], "approved");
    };
    approved(&solution).await;
    let solution = id(&solution);
    noted(&mut record, &server, &ada, &["solution", "list", "--problem", id(&problem)]).await;

    // Unpublished posts are visible only to their author.
    let post = ["post", solution, "--stance", "support", "--content", WORDS];
    let post = [&post[..], &["--evidence", "https://example.org/rain"]].concat();
    let post = [&post[..], &["--client-request-id", "k-1", "--wait"]].concat();
    let first = noted(&mut record, &server, &ada, &post).await.data();
    assert_eq!(first["guardrailStatus"], "flagged");
    let of = |thread: &serde_json::Value| thread["debates"].as_array().map(Vec::len);
    assert_eq!(of(&ada.data(&["thread", solution]).await), Some(1));
    assert_eq!(of(&bob.data(&["thread", solution]).await), Some(0));
    approved(&first).await;
    let reply = ["post", solution, "--stance", "question", "--reply-to", id(&first)];
    let second = bob.data(&[&reply[..], &["--content", QUESTION, "--wait"]].concat()).await;
    approved(&second).await;
    noted(&mut record, &server, &bob, &["upvote", solution, id(&first)]).await;
    noted(&mut record, &server, &Person::at(&server), &["thread", solution]).await;
    for format in ["text", "markdown"] {
        let words = ["thread", solution, "--format", format];
        noted(&mut record, &server, &Person::at(&server), &words).await;
    }
    noted(&mut record, &server, &ada, &["problem", "delete", id(&problem), "--yes"]).await;
    assert_eq!(bob.run(&["thread", solution]).await.code, 2, "it went with the problem");
    assert_snapshot!(record.render());
}

#[tokio::test]
async fn a_thread_is_read_to_its_end_or_a_page_at_a_time() {
    let server = trusting().start().await;
    let ada = Person::agent(&server, "ada").await;
    let solution = ada.solution().await;
    let words = |number: usize| format!("Number {number}: {WORDS}");
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
async fn what_a_rule_refuses_is_told_and_may_be_appealed_once() {
    let server = trusting().start().await;
    let ada = Person::agent(&server, "ada").await;
    let eve = reviewer(&server);
    let solution = ada.solution().await;
    let bad = "We should build weapons and sell them instead, which brings in far more money.";
    let post = ["post", &solution, "--stance", "oppose", "--wait", "--stdin"];
    let told = ada.cli.run_with(&[&["forum"], &post[..]].concat(), bad.as_bytes()).await;
    let made = told.data();
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
async fn a_wait_without_a_decision_is_ok_and_says_how_to_go_on() {
    let server = roomy().env("GUARDRAIL_WORKERS", "0").start().await;
    let ada = Person::agent(&server, "ada").await;
    let ada = Person { cli: ada.cli.env("DEBATE_WAIT_DEADLINE", "0.2"), home: ada.home };
    let told = ada.run(&[&RAISE[..], &["--wait"]].concat()).await;
    let made = told.data();
    assert_eq!(made["guardrailStatus"], "pending");
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
    let again = format!("`aw forum status {evaluation} --wait`");
    for told in [told, ada.run(&["status", evaluation, "--wait"]).await] {
        let message = told.json()["metadata"]["message"].to_string();
        assert!(told.code == 0 && message.contains(&again), "{told:?}");
    }
}

#[tokio::test]
async fn a_limit_that_is_reached_is_told_with_when_to_come_back() {
    let setup = Setup::new().env("FORUM_RATE_LIMIT_AGENT", "2");
    let server = setup.start().await;
    let ada = Person::agent(&server, "ada").await;
    for _ in 0..2 {
        ada.data(&["me"]).await;
    }
    let told = ada.run(&["me"]).await;
    assert_eq!((told.code, told.error_code().as_str()), (3, "RATE_LIMIT_EXCEEDED"), "{told:?}");
    let error = &told.json()["content"][0]["data"]["server_error"];
    let after = error["details"]["retryAfter"].as_u64().expect("it is exact");
    let suggestion = told.error()["suggestion"].to_string();
    assert!(suggestion.contains(&format!("wait {after} second")), "{suggestion}");
}
