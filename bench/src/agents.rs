//! Agents of the forum as clients know them: registered over HTTP, posting with their keys.

use std::time::Duration;

use anyhow::{Context, ensure};
use serde_json::{Value, json};
use tokio::time::{Instant, sleep};
use uuid::Uuid;

use crate::client::{Ask, Client, data_of};
use crate::debates::kilobyte;
use crate::load::{self, AGES, Script};
use crate::plan::Plan;
use crate::server::{Place, Server};

/// Everyone may ask as often as a setting allows, and what no rule refuses is approved. Requests
/// say whom they come from, as they would behind a proxy: else all readers were one.
const SETTINGS: [(&str, &str); 6] = [
    ("GUARDRAIL_AUTO_APPROVE", "true"),
    ("FORUM_RATE_LIMIT_ANONYMOUS", "1000"),
    ("FORUM_RATE_LIMIT_AGENT", "1000"),
    ("FORUM_RATE_LIMIT_NETWORK", "1000000"),
    // All agents register from this machine.
    ("FORUM_LIMIT_LOOPBACK", "false"),
    ("TRUSTED_PROXIES", "127.0.0.1"),
];

/// How often it is looked whether all has been examined.
const GLANCE: Duration = Duration::from_millis(20);

/// A server with a forum.
pub(crate) fn start(plan: &Plan) -> anyhow::Result<Server> {
    plan.binary.start_in(Place::New, &[], &SETTINGS)
}

/// A question that nobody with a key asks, from one of many addresses.
pub(crate) fn read(path: &str, reader: u16) -> Ask {
    from(Ask::get(format!("/api/v1{path}")), reader)
}

/// A page without a session, from one of many addresses.
pub(crate) fn view(path: &str, reader: u16) -> Ask {
    from(Ask::get(path.to_owned()), reader)
}

fn from(ask: Ask, reader: u16) -> Ask {
    let [high, low] = reader.to_be_bytes();
    ask.with("x-forwarded-for", &format!("10.1.{high}.{low}"))
}

fn write(path: &str, key: &str, body: &Value) -> Ask {
    Ask::post(format!("/api/v1{path}"), body.to_string())
        .with("authorization", &format!("Bearer {key}"))
}

/// As many new agents, by their keys.
pub(crate) async fn register(server: &Server, count: u16) -> anyhow::Result<Vec<String>> {
    let mut client = Client::connect(server.address()).await?;
    let mut keys = Vec::new();
    for _ in 0..count {
        let body = json!({ "username": format!("a{}", Uuid::new_v4().simple()) });
        let ask = Ask::post("/api/v1/auth/agents/register", body.to_string());
        let agent = client.data(&ask).await?;
        keys.push(text(&agent, "apiKey")?.to_owned());
    }
    Ok(keys)
}

/// A new solution that everyone can see.
pub(crate) async fn solution(server: &Server) -> anyhow::Result<Uuid> {
    let keys = register(server, 1).await?;
    let key = keys.first().context("one was registered")?;
    let mut client = Client::connect(server.address()).await?;
    let body = json!({
        "title": "On the plan", "description": kilobyte(), "severity": "low",
    });
    let problem = client.data(&write("/problems", key, &body)).await?;
    let body = json!({
        "problemId": text(&problem, "id")?, "title": "Let us go on",
        "description": kilobyte(), "approach": kilobyte(),
    });
    let solution = client.data(&write("/solutions", key, &body)).await?;
    let id = text(&solution, "id")?.parse()?;
    let begun = Instant::now();
    let ask = read(&format!("/solutions/{id}"), 0);
    while !Client::connect(server.address()).await?.status(&ask).await?.is_success() {
        ensure!(begun.elapsed() < AGES, "a solution stayed unexamined");
        sleep(GLANCE).await;
    }
    Ok(id)
}

fn text<'v>(value: &'v Value, name: &str) -> anyhow::Result<&'v str> {
    value.get(name).and_then(Value::as_str).with_context(|| format!("no {name} in {value}"))
}

/// Waits until everything that was posted on it can be seen by everyone.
pub(crate) async fn examined(server: &Server, solution: Uuid) -> anyhow::Result<()> {
    let mut client = Client::connect(server.address()).await?;
    let begun = Instant::now();
    for reader in (0..=u16::MAX).cycle() {
        let seen = client.data(&read(&format!("/solutions/{solution}"), reader)).await?;
        if seen.get("approvedDebateCount") == seen.get("agentDebateCount") {
            break;
        }
        ensure!(begun.elapsed() < AGES, "posts stayed unexamined: {seen}");
        sleep(GLANCE).await;
    }
    Ok(())
}

/// One agent, posting one thread after the other: a first post and `answers` to it.
pub(crate) struct Poster {
    key: String,
    solution: Uuid,
    /// The first post of the thread, once it has answered.
    first: Option<String>,
    answers: usize,
    /// How many posts the thread still gets.
    in_thread: usize,
    left: usize,
}

impl Poster {
    /// One for each key, without an end, nobody answering anyone.
    pub(crate) fn endless(keys: Vec<String>, solution: Uuid) -> Vec<Self> {
        keys.into_iter().map(|key| Self::new(key, solution, 0, usize::MAX)).collect()
    }

    const fn new(key: String, solution: Uuid, answers: usize, left: usize) -> Self {
        Self { key, solution, first: None, answers, in_thread: 0, left }
    }
}

impl Script for Poster {
    fn next(&mut self) -> Option<Ask> {
        self.left = self.left.checked_sub(1)?;
        if self.in_thread == 0 {
            (self.first, self.in_thread) = (None, self.answers + 1);
        }
        self.in_thread -= 1;
        let body = json!({
            "stance": "support",
            // No agent says the same twice.
            "content": format!("{} {}", Uuid::now_v7(), kilobyte()),
            "parentDebateId": self.first,
        });
        Some(write(&format!("/solutions/{}/debates", self.solution), &self.key, &body))
    }

    fn answered(&mut self, body: &[u8]) {
        if self.first.is_none() {
            let post = data_of(body).ok();
            self.first = post.and_then(|post| text(&post, "id").ok().map(str::to_owned));
        }
    }
}

/// A new solution with so many threads, each a first post and `answers` to it, all to be seen.
pub(crate) async fn discuss(
    server: &Server,
    threads: usize,
    answers: usize,
    hands: u16,
) -> anyhow::Result<Uuid> {
    let solution = solution(server).await?;
    let each = threads / usize::from(hands) * (answers + 1);
    let keys = register(server, hands).await?.into_iter();
    let posters = keys.map(|key| Poster::new(key, solution, answers, each)).collect();
    load::run(server, posters, AGES).await?;
    examined(server, solution).await?;
    Ok(solution)
}
