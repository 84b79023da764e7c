//! A client of the forum API, and request bodies.

use reqwest::Method;
use serde_json::{Value, json};

use crate::support::{Events, Reply, Server, Setup, until};

/// The token of the reviewer `admin`.
pub(crate) const ADMIN: &str = "a-token-for-reviewers-0123456789";

/// A server with high limits that approves everything that no rule rejects.
pub(crate) fn auto_approving() -> Setup {
    high_limits().env("GUARDRAIL_AUTO_APPROVE", "true")
}

/// A server with high limits.
pub(crate) fn high_limits() -> Setup {
    with_high_limits(Setup::new())
}

pub(crate) fn with_high_limits(setup: Setup) -> Setup {
    ["ANONYMOUS", "AGENT", "VERIFIED", "ADMIN"]
        .into_iter()
        .fold(setup, |setup, kind| setup.env(&format!("FORUM_RATE_LIMIT_{kind}"), "1000000"))
}

/// Adds a reviewer to `setup`.
pub(crate) fn with_reviewer(setup: Setup) -> Setup {
    setup.env("DEBATE_ADMIN_TOKEN", ADMIN)
}

/// A caller of the forum API, with or without a key.
pub(crate) struct Caller<'s> {
    pub(crate) server: &'s Server,
    pub(crate) key: Option<String>,
}

impl<'s> Caller<'s> {
    pub(crate) fn anonymous(server: &'s Server) -> Self {
        Self { server, key: None }
    }

    pub(crate) fn with(server: &'s Server, key: &str) -> Self {
        Self { server, key: Some(key.to_owned()) }
    }

    pub(crate) fn admin(server: &'s Server) -> Self {
        Self::with(server, ADMIN)
    }

    pub(crate) async fn register(server: &'s Server, username: &str) -> Self {
        let body = json!({ "username": username });
        let reply = Self::anonymous(server).post("/auth/agents/register", &body).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        let key = data(&reply)["apiKey"].as_str().expect("a key is text").to_owned();
        Self { server, key: Some(key) }
    }

    /// A request with this caller's key.
    pub(crate) fn request(&self, method: Method, path: &str) -> reqwest::RequestBuilder {
        let request = self.server.request(method, &format!("/api/v1{path}"));
        match &self.key {
            Some(key) => request.bearer_auth(key),
            None => request,
        }
    }

    pub(crate) async fn call(&self, method: Method, path: &str, body: Option<&Value>) -> Reply {
        let mut request = self.request(method, path);
        if let Some(body) = body {
            request = request.json(body);
        }
        Reply::receive(request).await
    }

    pub(crate) async fn get(&self, path: &str) -> Reply {
        self.call(Method::GET, path, None).await
    }

    pub(crate) async fn post(&self, path: &str, body: &Value) -> Reply {
        self.call(Method::POST, path, Some(body)).await
    }

    /// Posts a body that must create something new; returns its data.
    pub(crate) async fn create(&self, path: &str, body: &Value) -> Value {
        let reply = self.post(path, body).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        data(&reply)
    }

    /// Waits until the guardrails have decided about an item of this
    /// caller; returns the evaluation.
    pub(crate) async fn wait_for_decision(&self, made: &Value) -> Value {
        let id = made["guardrailEvaluationId"].as_str().expect("it is examined");
        let path = format!("/guardrails/status/{id}");
        let decided = || async { data(&self.get(&path).await)["status"] != "pending" };
        until("a decision", decided).await;
        data(&self.get(&path).await)
    }

    /// Follows the events of a solution's posts that this caller may see, from the beginning.
    pub(crate) async fn follow(&self, solution: &str) -> Events {
        let path = format!("/solutions/{solution}/debates/events");
        let events = Events::receive(self.request(Method::GET, &path)).await;
        assert_eq!(events.status, 200);
        events
    }

    /// Claims and decides a flagged evaluation as a reviewer.
    pub(crate) async fn review(&self, evaluation: &str, decision: &str) {
        let path = format!("/admin/flagged/{evaluation}");
        let claimed = self.call(Method::POST, &format!("{path}/claim"), None).await;
        assert_eq!(claimed.status, 200, "{}", claimed.text);
        let body = json!({ "decision": decision, "notes": "I have looked at it." });
        let decided = self.post(&format!("{path}/review"), &body).await;
        assert_eq!(decided.status, 200, "{}", decided.text);
    }

    /// Creates a public problem with a public solution; returns the solution's id.
    pub(crate) async fn solution(&self) -> String {
        let problem = self.create("/problems", &problem()).await;
        assert_eq!(self.wait_for_decision(&problem).await["status"], "approved");
        let solution = self.create("/solutions", &solution(id(&problem))).await;
        assert_eq!(self.wait_for_decision(&solution).await["status"], "approved");
        id(&solution).to_owned()
    }
}

pub(crate) fn data(reply: &Reply) -> Value {
    let body = reply.json();
    assert_eq!(body["ok"], true, "{}", reply.text);
    body["data"].clone()
}

/// The status, the code and the message of a failure.
pub(crate) fn failure(reply: &Reply) -> (u16, String, String) {
    let body = reply.json();
    assert_eq!(body["ok"], false, "{}", reply.text);
    assert_eq!(body["requestId"].as_str(), reply.header("x-request-id"), "{}", reply.text);
    let text = |field: &str| body["error"][field].as_str().expect("it is text").to_owned();
    (reply.status, text("code"), text("message"))
}

pub(crate) fn id(made: &Value) -> &str {
    made["id"].as_str().expect("everything has an id")
}

pub(crate) fn problem() -> Value {
    json!({
        "title": "Wells run dry in late summer",
        "description": "Three villages share two wells, and by August neither gives enough water.",
        "domain": "water",
        "severity": "high",
    })
}

pub(crate) fn solution(problem: &str) -> Value {
    json!({
        "problemId": problem,
        "title": "Collect rain from the school roofs",
        "description": "The roofs of the four schools could fill tanks during the wet months.",
        "approach": "Gutters and two tanks a school; the villages take turns in cleaning them.",
    })
}

pub(crate) fn stance(stance: &str, words: &str, parent: Option<&str>) -> Value {
    json!({
        "stance": stance,
        "content": format!("{words}: the tanks hold what the roofs give, and that is enough."),
        "evidenceLinks": ["https://example.org/rain"],
        "parentDebateId": parent,
    })
}
