//! Faults of the runner: dead workers, failing providers, and commands in every status.

mod commands;
mod providers;
mod worker_death;

use aw_testbed::Model;
use serde_json::{Value, json};

use crate::support::{self, Events, Server, Setup, add_model};

/// A canary: no response and no log may contain it.
pub(crate) const CANARY_KEY: &str = "sk-canary-8484848484";

/// A server of `setup` whose models are imitated by `model`.
pub(crate) fn with_model_and_key(setup: Setup, model: &Model) -> Setup {
    add_model(setup, model).env("OPENAI_API_KEY", CANARY_KEY)
}

/// A run by its id, for tests in which it continues on another server.
pub(crate) struct RunRef {
    pub(crate) id: String,
}

impl RunRef {
    pub(crate) async fn create(server: &Server, topic: &str, settings: Value) -> Self {
        Self { id: support::Run::create(server, topic, settings).await.id }
    }

    /// Creates and starts a run.
    pub(crate) async fn start(server: &Server, topic: &str, settings: Value) -> Self {
        let run = Self::create(server, topic, settings).await;
        assert_eq!(run.act(server, "start").await, json!({ "enqueued": true }));
        run
    }

    fn on<'s>(&self, server: &'s Server) -> support::Run<'s> {
        support::Run { server, id: self.id.clone() }
    }

    /// Sends a command; returns the response body, or null for 204.
    pub(crate) async fn act(&self, server: &Server, action: &str) -> Value {
        let reply = self.on(server).command(action).await;
        match reply.status {
            200 => reply.json(),
            204 => Value::Null,
            status => panic!("{action}: {status} {}", reply.text),
        }
    }

    pub(crate) async fn read(&self, server: &Server) -> Value {
        self.on(server).read().await
    }

    pub(crate) async fn debate(&self, server: &Server) -> Value {
        self.on(server).debate().await
    }

    pub(crate) async fn attempts(&self, server: &Server) -> Vec<Value> {
        let reply = server.get(&self.on(server).path("/attempts")).await;
        reply.json().as_array().expect("attempts are a list").clone()
    }

    pub(crate) async fn events(&self, server: &Server, last: Option<&str>) -> Events {
        Events::open(server, &self.on(server).path("/events"), last).await
    }

    pub(crate) async fn wait_for_status(&self, server: &Server, status: &str) {
        self.wait_for_any_status(server, &[status]).await;
    }

    /// Waits until the run has one of these statuses.
    pub(crate) async fn wait_for_any_status(&self, server: &Server, statuses: &[&str]) {
        let mut events = self.events(server, None).await;
        while let Some(event) = events.next().await {
            if event.name == "status" && statuses.iter().any(|one| event.data["status"] == *one) {
                return;
            }
        }
        // The stream of a final run without turns ends before its first event.
        let debate = self.debate(server).await;
        assert!(statuses.iter().any(|one| debate["status"] == *one), "{statuses:?}: {debate}");
    }

    /// The round and actor of each turn, in order: `1 debater_a`.
    pub(crate) async fn turn_positions(&self, server: &Server) -> Vec<String> {
        let story = self.read(server).await;
        let turns = story["turns"].as_array().expect("turns are a list");
        turns.iter().map(position).collect()
    }
}

/// The round and actor of a turn or an attempt: `1 debater_a`.
pub(crate) fn position(value: &Value) -> String {
    format!("{} {}", value["round"], value["actor"].as_str().expect("an actor is text"))
}

/// The turns of one complete round.
pub(crate) const ONE_ROUND: [&str; 3] = ["1 debater_a", "1 debater_b", "1 judge"];
