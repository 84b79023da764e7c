//! Clients of the forum: agents that register over HTTP and post with their keys.

use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::client::{Client, Request, envelope_data};
use crate::debates::kilobyte;
use crate::load::{self, SCRIPT_TIME_MAX, Script};
use crate::plan::Plan;
use crate::server::{DatabaseLocation, Server};

/// Rate limits far above the load; a text that no rule refuses is approved. Requests carry a client
/// address as if from a proxy, since otherwise all readers would share one rate limit.
const SETTINGS: [(&str, &str); 6] = [
    ("GUARDRAIL_AUTO_APPROVE", "true"),
    ("FORUM_RATE_LIMIT_ANONYMOUS", "1000"),
    ("FORUM_RATE_LIMIT_AGENT", "1000"),
    ("FORUM_RATE_LIMIT_NETWORK", "1000000"),
    // All agents register from this machine.
    ("FORUM_LIMIT_LOOPBACK", "false"),
    ("TRUSTED_PROXIES", "127.0.0.1"),
];

/// The interval between two checks whether all posts are evaluated.
const POLL_INTERVAL: Duration = Duration::from_millis(20);

/// Starts a server with a forum.
pub(crate) fn start(plan: &Plan) -> anyhow::Result<Server> {
    plan.binary.start_in(DatabaseLocation::New, &[], &SETTINGS)
}

/// A read without a key, from one of many client addresses.
pub(crate) fn read(path: &str, reader: u16) -> Request {
    set_client_address(Request::get(format!("/api/v1{path}")), reader)
}

/// A page without a session, from one of many client addresses.
pub(crate) fn view(path: &str, reader: u16) -> Request {
    set_client_address(Request::get(path.to_owned()), reader)
}

fn set_client_address(request: Request, reader: u16) -> Request {
    let [high, low] = reader.to_be_bytes();
    request.with_header("x-forwarded-for", &format!("10.1.{high}.{low}"))
}

fn write(path: &str, key: &str, body: &Value) -> Request {
    Request::post(format!("/api/v1{path}"), body.to_string())
        .with_header("authorization", &format!("Bearer {key}"))
}

/// Registers `count` agents and returns their keys.
pub(crate) async fn register(server: &Server, count: u16) -> anyhow::Result<Vec<String>> {
    let mut client = Client::connect(server.address()).await?;
    let mut keys = Vec::new();
    for _ in 0..count {
        let body = json!({ "username": format!("a{}", Uuid::new_v4().simple()) });
        let request = Request::post("/api/v1/auth/agents/register", body.to_string());
        let agent = client.exchange_json(&request).await?;
        keys.push(text(&agent, "apiKey")?.to_owned());
    }
    Ok(keys)
}

/// Creates a solution and waits until it is public.
pub(crate) async fn create_solution(server: &Server) -> anyhow::Result<Uuid> {
    let keys = register(server, 1).await?;
    let key = keys.first().context("one was registered")?;
    let mut client = Client::connect(server.address()).await?;
    let body = json!({
        "title": "On the plan", "description": kilobyte(), "severity": "low",
    });
    let problem = client.exchange_json(&write("/problems", key, &body)).await?;
    let body = json!({
        "problemId": text(&problem, "id")?, "title": "Let us go on",
        "description": kilobyte(), "approach": kilobyte(),
    });
    let solution = client.exchange_json(&write("/solutions", key, &body)).await?;
    let id = text(&solution, "id")?.parse()?;
    let begun = Instant::now();
    let request = read(&format!("/solutions/{id}"), 0);
    while !Client::connect(server.address()).await?.status(&request).await?.is_success() {
        ensure!(begun.elapsed() < SCRIPT_TIME_MAX, "the solution was not evaluated in time");
        sleep(POLL_INTERVAL).await;
    }
    Ok(id)
}

fn text<'v>(value: &'v Value, name: &str) -> anyhow::Result<&'v str> {
    value.get(name).and_then(Value::as_str).with_context(|| format!("no {name} in {value}"))
}

/// Waits until every post on `solution` is public.
pub(crate) async fn wait_until_public(server: &Server, solution: Uuid) -> anyhow::Result<()> {
    let mut client = Client::connect(server.address()).await?;
    let begun = Instant::now();
    for reader in (0..=u16::MAX).cycle() {
        let seen = client.exchange_json(&read(&format!("/solutions/{solution}"), reader)).await?;
        if seen.get("approvedDebateCount") == seen.get("agentDebateCount") {
            break;
        }
        ensure!(begun.elapsed() < SCRIPT_TIME_MAX, "posts were not evaluated in time: {seen}");
        sleep(POLL_INTERVAL).await;
    }
    Ok(())
}

/// One agent that posts one thread after the other: a first post and `answers` replies to it.
pub(crate) struct Poster {
    key: String,
    solution: Uuid,
    /// The id of the thread's first post, as soon as the server returned it.
    first: Option<String>,
    answers: usize,
    /// The number of posts that the thread still needs.
    in_thread: usize,
    left: usize,
}

impl Poster {
    /// One poster for each key. Posters do not reply and never finish.
    pub(crate) fn endless(keys: Vec<String>, solution: Uuid) -> Vec<Self> {
        keys.into_iter().map(|key| Self::new(key, solution, 0, usize::MAX)).collect()
    }

    const fn new(key: String, solution: Uuid, answers: usize, left: usize) -> Self {
        Self { key, solution, first: None, answers, in_thread: 0, left }
    }
}

impl Script for Poster {
    fn next(&mut self) -> Option<Request> {
        self.left = self.left.checked_sub(1)?;
        if self.in_thread == 0 {
            (self.first, self.in_thread) = (None, self.answers + 1);
        }
        self.in_thread -= 1;
        let body = json!({
            "stance": "support",
            // The server refuses a repeated text.
            "content": format!("{} {}", Uuid::now_v7(), kilobyte()),
            "parentDebateId": self.first,
        });
        Some(write(&format!("/solutions/{}/debates", self.solution), &self.key, &body))
    }

    fn answered(&mut self, body: &[u8]) {
        if self.first.is_none() {
            let post = envelope_data(body).ok();
            self.first = post.and_then(|post| text(&post, "id").ok().map(str::to_owned));
        }
    }
}

/// Creates a solution with `threads` threads, each a first post and `answers` replies, all public.
pub(crate) async fn create_discussion(
    server: &Server,
    threads: usize,
    answers: usize,
    connections: u16,
) -> anyhow::Result<Uuid> {
    let solution = create_solution(server).await?;
    let each = threads / usize::from(connections) * (answers + 1);
    let keys = register(server, connections).await?.into_iter();
    let posters = keys.map(|key| Poster::new(key, solution, answers, each)).collect();
    load::run(server, posters, SCRIPT_TIME_MAX).await?;
    wait_until_public(server, solution).await?;
    Ok(solution)
}
