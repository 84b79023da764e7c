//! Evaluations when a worker dies at each of their steps, or when they kill every worker: nothing
//! unapproved becomes public, and nothing stays pending.

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use crate::support::forum::{Caller, data, high_limits, id, stance, with_reviewer};
use crate::support::{Server, Setup, with_short_lease};

/// The steps at which the process aborts (`debate_app::failpoint`). During an answer it is killed.
const PHASES: [&str; 5] =
    ["before-attempt", "before-call", "mid-answer", "before-commit", "after-commit"];

/// The texts of three posts, and their expected status.
const POSTS: [(&str, &str); 3] = [
    ("It is a plain matter", "approved"),
    ("It is a doubtful matter", "flagged"),
    ("We should build weapons and sell them instead", "rejected"),
];

/// Answers up to the gate.
fn classifier(gate: Option<Gate>) -> Model {
    let script = move |asked: &ModelRequest| {
        let score = if asked.text().contains("doubtful") { 0.5 } else { 0.95 };
        let answer = json!({
            "alignment_score": score, "harm_risk": "low", "decision": "approve",
            "reasoning": "It speaks of water.",
        });
        let mut plays = ScriptStep::answer(&answer.to_string(), 20);
        let half = gate
            .iter()
            .flat_map(|gate| [ScriptStep::Say(" ".to_owned()), ScriptStep::Wait(gate.clone())]);
        plays.splice(0..0, half);
        plays
    };
    Model::start(script).expect("it starts")
}

fn with_classifier(setup: Setup, model: &Model) -> Setup {
    setup
        .env("GUARDRAIL_MODEL", "openai:imitated")
        .env("OPENAI_BASE_URL", model.url())
        .env("OPENAI_API_KEY", "sk-imitated")
}

/// A forum with a public solution.
struct Forum {
    setup: Setup,
    key: String,
    solution: String,
}

impl Forum {
    async fn open() -> Self {
        let setup = with_reviewer(high_limits());
        let server = setup.clone().env("GUARDRAIL_AUTO_APPROVE", "true").start().await;
        let ada = Caller::register(&server, "ada").await;
        let solution = ada.solution().await;
        let key = ada.key.expect("she registered");
        Self { setup, key, solution }
    }

    fn ada<'s>(&self, server: &'s Server) -> Caller<'s> {
        Caller::with(server, &self.key)
    }

    fn path(&self) -> String {
        format!("/solutions/{}/debates", self.solution)
    }

    /// Posts through a server without workers and asserts that the posts are hidden.
    async fn create_posts(&self, words: &[String]) -> Vec<Value> {
        let server = self.setup.clone().env("GUARDRAIL_WORKERS", "0").start().await;
        let ada = self.ada(&server);
        let mut posts = Vec::new();
        for words in words {
            posts.push(ada.create(&self.path(), &stance("support", words, None)).await);
        }
        for post in &posts {
            self.assert_hidden(&server, post).await;
        }
        posts
    }

    async fn assert_hidden(&self, server: &Server, post: &Value) {
        let anonymous = Caller::anonymous(server);
        let one = anonymous.get(&format!("{}/{}", self.path(), id(post))).await;
        assert_eq!(one.status, 404, "{}", one.text);
        let page = data(&anonymous.get(&self.path()).await);
        assert!(page.as_array().is_some_and(|page| page.iter().all(|one| id(one) != id(post))));
    }

    /// Asserts that a stream up to `post` reports approved posts only.
    async fn assert_streamed_after_approval(&self, server: &Server, post: &Value) {
        let mut events = Caller::anonymous(server).follow(&self.solution).await;
        loop {
            let event = events.next().await.expect("the stream goes on");
            assert_eq!(event.data["guardrailStatus"], "approved", "{}", event.data);
            if id(&event.data) == id(post) {
                return;
            }
        }
    }
}

fn texts(phase: &str) -> Vec<String> {
    POSTS.iter().map(|(words, _)| format!("{words}, {phase}")).collect()
}

#[tokio::test]
async fn posts_are_evaluated_and_hidden_until_then_whenever_a_worker_dies() {
    let forum = Forum::open().await;
    for phase in PHASES {
        let posts = forum.create_posts(&texts(phase)).await;
        let gate = (phase == "mid-answer").then(Gate::new);
        let first = classifier(gate.clone());
        let with_short_lease = with_short_lease(&with_classifier(forum.setup.clone(), &first));
        if gate.is_some() {
            let with_short_lease = with_short_lease.start().await;
            first.wait_for(2);
            with_short_lease.kill().await;
        } else {
            with_short_lease.env("AW_FAILPOINT", phase).start_refused().await;
        }

        let second = classifier(None);
        let next = with_classifier(forum.setup.clone(), &second).start().await;
        let (ada, anonymous) = (forum.ada(&next), Caller::anonymous(&next));
        for (post, (_, status)) in posts.iter().zip(POSTS) {
            let found = ada.wait_for_decision(post).await;
            assert_eq!(found["status"], status, "{phase}: {found}");
            let one = anonymous.get(&format!("{}/{}", forum.path(), id(post))).await;
            assert_eq!(one.status, if status == "approved" { 200 } else { 404 }, "{phase}");
        }
        forum.assert_streamed_after_approval(&next, &posts[0]).await;
        // Decisions that the first server recorded are not requested again.
        let asked = second.requests().len();
        assert!(asked <= 2, "{phase}: {asked} calls");
    }
}

#[tokio::test]
async fn evaluation_that_kills_every_server_is_flagged() {
    let forum = Forum::open().await;
    let posts = forum.create_posts(&texts("poison")[..1]).await;
    let model = classifier(None);
    let deadly = with_short_lease(&with_classifier(forum.setup.clone(), &model))
        .env("AW_FAILPOINT", "before-attempt");
    for _ in 0..3 {
        deadly.start_refused().await;
    }
    // A fourth attempt would kill this server too.
    let next = deadly.start().await;
    let found = forum.ada(&next).wait_for_decision(&posts[0]).await;
    assert_eq!((&found["status"], &found["attempts"]), (&json!("flagged"), &json!(3)), "{found}");
    forum.assert_hidden(&next, &posts[0]).await;
    let waiting = data(&Caller::admin(&next).get("/admin/flagged").await);
    assert_eq!(waiting[0]["evaluation"]["subjectId"], posts[0]["id"]);
}

/// The path of the library that sets a process's clock on Debian, by architecture.
const CLOCK_LIBRARIES: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

/// A server whose clock is ahead.
fn with_clock_ahead(setup: &Setup, ahead: &str) -> Setup {
    let library = CLOCK_LIBRARIES.into_iter().find(|path| std::path::Path::new(path).exists());
    let setup = setup.clone().env("LD_PRELOAD", library.expect("libfaketime is installed"));
    setup.env("FAKETIME", ahead).env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
}

#[tokio::test]
async fn post_is_flagged_after_the_classifier_failed_three_times() {
    let forum = Forum::open().await;
    let posts = forum.create_posts(&texts("failing")[..1]).await;
    let broken = |_: &ModelRequest| ScriptStep::status("500 Internal Server Error", "", &json!({}));
    let model = Model::start(broken).expect("it starts");
    let setup = with_classifier(forum.setup.clone(), &model);
    let evaluation = posts[0]["guardrailEvaluationId"].as_str().expect("it is examined");
    let path = format!("/guardrails/status/{evaluation}");
    // The next attempt is seconds away, so the clock is set instead of waiting.
    for (tries, ahead) in [(1, "+0m"), (2, "+2m"), (3, "+4m")] {
        let mut server = with_clock_ahead(&setup, ahead).start().await;
        model.wait_for(tries);
        forum.assert_hidden(&server, &posts[0]).await;
        // The server saves the attempt before it exits.
        server.terminate();
        assert!(server.wait_for_exit().await.success());
    }
    let server = setup.env("GUARDRAIL_WORKERS", "0").start().await;
    let found = data(&forum.ada(&server).get(&path).await);
    assert_eq!((&found["status"], &found["attempts"]), (&json!("flagged"), &json!(3)), "{found}");
    assert_eq!(model.requests().len(), 3);
}
