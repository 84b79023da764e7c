//! Complete responses: of every route for a valid request, and for bodies in which
//! every field is invalid.

use std::collections::BTreeSet;

use insta::{assert_snapshot, with_settings};
use reqwest::Method;
use serde_json::{Value, json};

use crate::support::forum::{
    Caller, auto_approving, data, id, problem, solution, stance, with_reviewer,
};
use crate::support::{Record, Reply, Server};

/// A sequence of requests with their recorded responses.
struct RequestLog<'s> {
    server: &'s Server,
    record: Record,
    asked: Vec<(String, String)>,
}

impl<'s> RequestLog<'s> {
    fn begin(server: &'s Server) -> Self {
        Self { server, record: Record::default(), asked: Vec::new() }
    }

    /// Sends a request, records the response and returns its data.
    async fn ask(&mut self, by: &Caller<'_>, what: &str, body: Option<&Value>) -> Value {
        let (method, path) = what.split_once(' ').expect("a method and a path");
        let method = Method::from_bytes(method.as_bytes()).expect("it is one");
        let mut request = by.request(method, path);
        if let Some(body) = body {
            request = request.json(body);
        }
        self.note(what, &Reply::receive(request).await)
    }

    fn note(&mut self, what: &str, reply: &Reply) -> Value {
        let (method, path) = what.split_once(' ').expect("a method and a path");
        assert!([200, 201].contains(&reply.status), "{what}: {}", reply.text);
        for header in ["x-ratelimit-limit", "x-ratelimit-remaining", "x-ratelimit-reset"] {
            let value = reply.header(header).and_then(|value| value.parse::<u64>().ok());
            assert!(value.is_some(), "{what}: {header}");
        }
        assert_eq!(reply.json()["requestId"].as_str(), reply.header("x-request-id"), "{what}");
        self.record.note(what, reply);
        self.asked.push((method.to_lowercase(), path.to_owned()));
        data(reply)
    }

    /// The routes of the forum that no request of this sequence has used.
    async fn unused_routes(&self) -> BTreeSet<String> {
        let contract = self.server.get("/openapi.json").await.json();
        let paths = contract["paths"].as_object().expect("a contract has paths");
        let routes = paths.iter().flat_map(|(path, item)| {
            let methods = item.as_object().expect("a path has methods").keys();
            methods.filter_map(move |method| Some((method, path.strip_prefix("/api/v1")?)))
        });
        routes
            .filter(|(method, template)| {
                !self.asked.iter().any(|(m, path)| m == *method && fits(path, template))
            })
            .map(|(method, template)| format!("{method} {template}"))
            .collect()
    }
}

fn fits(path: &str, template: &str) -> bool {
    let path = path.split('?').next().unwrap_or_default();
    let (path, template) = (path.split('/'), template.split('/'));
    path.clone().count() == template.clone().count()
        && path.zip(template).all(|(part, name)| name.starts_with('{') || part == name)
}

#[tokio::test]
async fn every_route_returns_the_complete_documented_response() {
    let server = with_reviewer(auto_approving()).start().await;
    let (anonymous, admin) = (Caller::anonymous(&server), Caller::admin(&server));
    let mut story = RequestLog::begin(&server);
    let full = json!({ "username": "ada", "displayName": "Ada", "description": "Counts wells." });
    let ada = story.ask(&anonymous, "POST /auth/agents/register", Some(&full)).await;
    let agent = ada["agentId"].as_str().expect("an id").to_owned();
    let ada = Caller::with(&server, ada["apiKey"].as_str().expect("a key"));
    let bob = Caller::register(&server, "bob").await;
    story.ask(&ada, "GET /agents/me", None).await;
    story.ask(&anonymous, &format!("GET /agents/{agent}"), None).await;
    let key = story.ask(&ada, "POST /auth/agents/rotate-key", Some(&json!({}))).await;
    let ada = Caller::with(&server, key["apiKey"].as_str().expect("a key"));

    let raised = story.ask(&ada, "POST /problems", Some(&problem())).await;
    ada.wait_for_decision(&raised).await;
    let proposed = story.ask(&ada, "POST /solutions", Some(&solution(id(&raised)))).await;
    ada.wait_for_decision(&proposed).await;
    let debates = format!("/solutions/{}/debates", id(&proposed));
    let post = stance("support", "I am for it", None);
    let first = story.ask(&ada, &format!("POST {debates}"), Some(&post)).await;
    ada.wait_for_decision(&first).await;
    let answer = stance("question", "How much does it hold", Some(id(&first)));
    let answer = story.ask(&bob, &format!("POST {debates}"), Some(&answer)).await;
    bob.wait_for_decision(&answer).await;
    let one = format!("{debates}/{}", id(&first));
    story.ask(&bob, &format!("PUT {one}/upvote"), None).await;
    story.ask(&bob, &format!("DELETE {one}/upvote"), None).await;

    story.ask(&anonymous, "GET /problems?limit=1&status=approved", None).await;
    story.ask(&anonymous, &format!("GET /problems/{}", id(&raised)), None).await;
    story.ask(&ada, "GET /solutions?mine=true&status=debating", None).await;
    story.ask(&anonymous, &format!("GET /solutions/{}", id(&proposed)), None).await;
    story.ask(&anonymous, &format!("GET {debates}?limit=1"), None).await;
    story.ask(&anonymous, &format!("GET {debates}?stance=question"), None).await;
    story.ask(&anonymous, &format!("GET {one}"), None).await;
    story.ask(&ada, &format!("GET {one}"), None).await;

    let bad = stance("oppose", "We should build weapons and sell them instead", None);
    let bad = ada.create(&debates, &bad).await;
    ada.wait_for_decision(&bad).await;
    let evaluation = bad["guardrailEvaluationId"].as_str().expect("it is examined");
    story.ask(&ada, &format!("GET /guardrails/status/{evaluation}"), None).await;
    let reason = json!({ "reason": "I only meant to warn of it." });
    story.ask(&ada, &format!("POST {debates}/{}/appeal", id(&bad)), Some(&reason)).await;
    let review = format!("/admin/flagged/{evaluation}");
    story.ask(&admin, &format!("GET /admin/flagged?agentId={agent}&claimed=false"), None).await;
    story.ask(&admin, &format!("GET {review}"), None).await;
    story.ask(&admin, &format!("POST {review}/claim"), None).await;
    story.ask(&admin, &format!("POST {review}/release"), None).await;
    admin.call(Method::POST, &format!("{review}/claim"), None).await;
    let decision = json!({ "decision": "approve", "notes": "It does warn of it." });
    story.ask(&admin, &format!("POST {review}/review"), Some(&decision)).await;
    let patch = json!({ "active": true, "rateLimit": 1000 });
    story.ask(&admin, &format!("PATCH /admin/agents/{agent}"), Some(&patch)).await;

    story.stream(&anonymous, &debates, 3).await;
    story.ask(&ada, &format!("DELETE /solutions/{}", id(&proposed)), None).await;
    story.ask(&ada, &format!("DELETE /problems/{}", id(&raised)), None).await;
    assert_eq!(story.unused_routes().await, BTreeSet::new());
    with_settings!({ filters => [(r#""version":"[^"]*""#, r#""version":"<rules>""#)] }, {
        assert_snapshot!(story.record.render());
    });
}

impl RequestLog<'_> {
    /// Reads `count` events of a solution's stream and records all of them.
    async fn stream(&mut self, by: &Caller<'_>, debates: &str, count: usize) {
        let path = format!("{debates}/events");
        let mut events = crate::support::Events::receive(by.request(Method::GET, &path)).await;
        assert!(events.headers.contains_key("x-ratelimit-limit"));
        events.take(count).await;
        let reply =
            Reply { status: events.status, headers: events.headers.clone(), text: events.raw };
        self.record.note(&format!("GET {path}"), &reply);
        self.asked.push(("get".to_owned(), path));
    }
}

#[tokio::test]
async fn retry_returns_the_first_response_and_the_key_cannot_be_reused() {
    let server = auto_approving().start().await;
    let ada = Caller::register(&server, "ada").await;
    let path = format!("/solutions/{}/debates", ada.solution().await);
    let mut record = Record::default();
    for (sentence, words) in [
        ("the first time", "I am for it"),
        ("once more", "I am for it"),
        ("with other words", "I am against it"),
    ] {
        let request = ada.request(Method::POST, &path).header("idempotency-key", "once");
        let request = request.json(&stance("support", words, None));
        let reply = Reply::receive(request).await;
        record.note(sentence, &reply);
        if reply.status == 201 {
            ada.wait_for_decision(&data(&reply)).await;
        }
    }
    assert_snapshot!(record.render());
}

/// Bodies in which every field is invalid, one kind of error at a time.
fn wrong_bodies() -> Vec<(&'static str, Value)> {
    vec![
        ("POST /auth/agents/register", json!({})),
        (
            "POST /auth/agents/register",
            json!({ "username": "__", "displayName": "", "description": "x".repeat(1001) }),
        ),
        ("POST /auth/agents/register", json!({ "username": "root", "displayName": null })),
        ("POST /auth/agents/rotate-key", json!({ "revokeNow": 1 })),
        ("POST /problems", json!({})),
        (
            "POST /problems",
            json!({ "title": "Short", "description": " ".repeat(50), "domain": "d".repeat(51),
                    "severity": "fatal" }),
        ),
        ("POST /problems", json!({ "title": 7, "description": [], "domain": {}, "severity": 1 })),
        ("POST /solutions", json!({})),
        (
            "POST /solutions",
            json!({ "problemId": "seven", "title": "a\u{0}bcdefghij", "description": "Short",
                    "approach": "Short" }),
        ),
        ("POST DEBATES", json!({})),
        (
            "POST DEBATES",
            json!({ "stance": "maybe", "content": "Short", "evidenceLinks": ["http://example.org"],
                    "parentDebateId": "seven" }),
        ),
        (
            "POST DEBATES",
            json!({ "stance": null, "content": "x".repeat(10_001), "evidenceLinks": [7] }),
        ),
        (
            "POST DEBATES",
            json!({ "stance": "support", "content": "x".repeat(50),
                    "evidenceLinks": vec!["https://example.org/a"; 11] }),
        ),
        ("POST DEBATES", json!([])),
        ("POST DEBATES/ID/appeal", json!({})),
        ("POST DEBATES/ID/appeal", json!({ "reason": "Short" })),
        ("POST /admin/flagged/ID/review", json!({})),
        ("POST /admin/flagged/ID/review", json!({ "decision": "flag", "notes": 7 })),
        ("PATCH /admin/agents/ID", json!({ "active": "no", "rateLimit": 0 })),
        ("PATCH /admin/agents/ID", json!({ "active": null, "rateLimit": "many" })),
    ]
}

#[tokio::test]
async fn all_invalid_fields_of_a_body_are_named_in_one_response() {
    let server = with_reviewer(auto_approving()).start().await;
    let ada = Caller::register(&server, "ada").await;
    let admin = Caller::admin(&server);
    let some = crate::support::new_id();
    let mut record = Record::default();
    for (what, body) in wrong_bodies() {
        let (method, path) = what.split_once(' ').expect("a method and a path");
        let path = path.replace("DEBATES", "/solutions/ID/debates").replace("ID", &some);
        let by = if path.starts_with("/admin") { &admin } else { &ada };
        let method = Method::from_bytes(method.as_bytes()).expect("it is one");
        let reply = by.call(method, &path, Some(&body)).await;
        assert_eq!(reply.status, 400, "{what} {body}");
        let shown = body.to_string();
        record.note(&format!("{what} {}", shown.get(..120).unwrap_or(&shown)), &reply);
    }
    let twice = ada.request(Method::POST, "/problems").header("content-type", "application/json");
    let twice = twice.body(r#"{"title": 7, "title": "Long enough", "severity": "fatal"}"#);
    record.note("POST /problems with two titles, the first a number", &Reply::receive(twice).await);
    assert_snapshot!(record.render());
}
