//! A worker dies at each moment of an examination, or is poisoned by one: nothing leaks, and
//! nothing is pending for ever.

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use serde_json::{Value, json};

use super::agent::{Caller, data, id, reviewed, roomy, stance};
use crate::support::{Server, Setup};
use crate::survival::dying;

/// Where the process can be made to die (`debate_app::failpoint`). Amid an answer it is killed.
const PHASES: [&str; 5] =
    ["before-attempt", "before-call", "mid-answer", "before-commit", "after-commit"];

/// What three posts say, and what has to become of them.
const POSTS: [(&str, &str); 3] = [
    ("It is a plain matter", "approved"),
    ("It is a doubtful matter", "flagged"),
    ("We should build weapons and sell them instead", "rejected"),
];

/// Answers, as far as the gate lets it.
fn judge(gate: Option<Gate>) -> Model {
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

fn asking(setup: Setup, model: &Model) -> Setup {
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
        let setup = reviewed(roomy());
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

    /// Posts, at a server without workers; nobody else sees anything of it.
    async fn posted(&self, words: &[String]) -> Vec<Value> {
        let server = self.setup.clone().env("GUARDRAIL_WORKERS", "0").start().await;
        let ada = self.ada(&server);
        let mut posts = Vec::new();
        for words in words {
            posts.push(ada.make(&self.path(), &stance("support", words, None)).await);
        }
        for post in &posts {
            self.assert_hidden(&server, post).await;
        }
        posts
    }

    async fn assert_hidden(&self, server: &Server, post: &Value) {
        let nobody = Caller::anonymous(server);
        let one = nobody.get(&format!("{}/{}", self.path(), id(post))).await;
        assert_eq!(one.status, 404, "{}", one.text);
        let page = data(&nobody.get(&self.path()).await);
        assert!(page.as_array().is_some_and(|page| page.iter().all(|one| id(one) != id(post))));
    }

    /// Whatever anyone is told is approved; what is told up to this post.
    async fn assert_told_when_approved(&self, server: &Server, post: &Value) {
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

fn worded(phase: &str) -> Vec<String> {
    POSTS.iter().map(|(words, _)| format!("{words}, {phase}")).collect()
}

#[tokio::test]
async fn whenever_a_worker_dies_everything_ends_as_it_must_and_nothing_is_shown_before() {
    let forum = Forum::open().await;
    for phase in PHASES {
        let posts = forum.posted(&worded(phase)).await;
        let gate = (phase == "mid-answer").then(Gate::new);
        let first = judge(gate.clone());
        let dying = dying(&asking(forum.setup.clone(), &first));
        if gate.is_some() {
            let dying = dying.start().await;
            first.wait_for(2);
            dying.kill().await;
        } else {
            dying.env("AW_FAILPOINT", phase).refused().await;
        }

        let second = judge(None);
        let next = asking(forum.setup.clone(), &second).start().await;
        let (ada, nobody) = (forum.ada(&next), Caller::anonymous(&next));
        for (post, (_, status)) in posts.iter().zip(POSTS) {
            let found = ada.decided(post).await;
            assert_eq!(found["status"], status, "{phase}: {found}");
            let one = nobody.get(&format!("{}/{}", forum.path(), id(post))).await;
            assert_eq!(one.status, if status == "approved" { 200 } else { 404 }, "{phase}");
        }
        forum.assert_told_when_approved(&next, &posts[0]).await;
        // What the first was told by then is known, and not asked again.
        let asked = second.requests().len();
        assert!(asked <= 2, "{phase}: {asked} calls");
    }
}

#[tokio::test]
async fn an_examination_that_kills_every_server_is_given_to_a_human() {
    let forum = Forum::open().await;
    let posts = forum.posted(&worded("poison")[..1]).await;
    let model = judge(None);
    let deadly = dying(&asking(forum.setup.clone(), &model)).env("AW_FAILPOINT", "before-attempt");
    for _ in 0..3 {
        deadly.refused().await;
    }
    // A fourth try would kill this one, too.
    let next = deadly.start().await;
    let found = forum.ada(&next).decided(&posts[0]).await;
    assert_eq!((&found["status"], &found["attempts"]), (&json!("flagged"), &json!(3)), "{found}");
    forum.assert_hidden(&next, &posts[0]).await;
    let waiting = data(&Caller::admin(&next).get("/admin/flagged").await);
    assert_eq!(waiting[0]["evaluation"]["subjectId"], posts[0]["id"]);
}

/// Where Debian puts the library that sets a process's clock, by architecture.
const CLOCKS: [&str; 2] = [
    "/usr/lib/x86_64-linux-gnu/faketime/libfaketimeMT.so.1",
    "/usr/lib/aarch64-linux-gnu/faketime/libfaketimeMT.so.1",
];

/// A server whose clock is ahead.
fn later(setup: &Setup, ahead: &str) -> Setup {
    let library = CLOCKS.into_iter().find(|path| std::path::Path::new(path).exists());
    let setup = setup.clone().env("LD_PRELOAD", library.expect("libfaketime is installed"));
    setup.env("FAKETIME", ahead).env("FAKETIME_DONT_FAKE_MONOTONIC", "1")
}

#[tokio::test]
async fn what_a_classifier_always_fails_at_is_given_to_a_human() {
    let forum = Forum::open().await;
    let posts = forum.posted(&worded("failing")[..1]).await;
    let broken = |_: &ModelRequest| ScriptStep::status("500 Internal Server Error", "", &json!({}));
    let model = Model::start(broken).expect("it starts");
    let setup = asking(forum.setup.clone(), &model);
    let evaluation = posts[0]["guardrailEvaluationId"].as_str().expect("it is examined");
    let path = format!("/guardrails/status/{evaluation}");
    // The next try is some seconds away, so the clock is set instead of waiting.
    for (tries, ahead) in [(1, "+0m"), (2, "+2m"), (3, "+4m")] {
        let mut server = later(&setup, ahead).start().await;
        model.wait_for(tries);
        forum.assert_hidden(&server, &posts[0]).await;
        // It keeps what it has before it ends.
        server.terminate();
        assert!(server.ended().await.success());
    }
    let server = setup.env("GUARDRAIL_WORKERS", "0").start().await;
    let found = data(&forum.ada(&server).get(&path).await);
    assert_eq!((&found["status"], &found["attempts"]), (&json!("flagged"), &json!(3)), "{found}");
    assert_eq!(model.requests().len(), 3);
}
