//! What debates that run themselves survive: dead workers, faulty providers, and each other.

mod phases;
mod providers;
mod table;

use aw_testbed::Model;
use serde_json::{Value, json};

use crate::support::{self, Events, Server, Setup, modelled};

/// Nothing the server says or logs may contain it.
pub(crate) const KEY: &str = "sk-canary-8484848484";

/// A server of `setup` whose models are imitated by `model`.
pub(crate) fn with_model(setup: Setup, model: &Model) -> Setup {
    modelled(setup, model).env("OPENAI_API_KEY", KEY)
}

/// One that is going to die or to sleep: what it leaves is to be had a moment later. Whoever lives
/// has a long lease, which no busy machine makes it miss.
pub(crate) fn dying(setup: &Setup) -> Setup {
    setup.clone().env("RUNNER_LEASE_SECONDS", "2")
}

/// A debate that outlives its servers.
pub(crate) struct Run {
    pub(crate) id: String,
}

impl Run {
    pub(crate) async fn create(server: &Server, topic: &str, settings: Value) -> Self {
        Self { id: support::Run::create(server, topic, settings).await.id }
    }

    /// One that runs already.
    pub(crate) async fn start(server: &Server, topic: &str, settings: Value) -> Self {
        let run = Self::create(server, topic, settings).await;
        assert_eq!(run.act(server, "start").await, json!({ "enqueued": true }));
        run
    }

    fn on<'s>(&self, server: &'s Server) -> support::Run<'s> {
        support::Run { server, id: self.id.clone() }
    }

    /// Does to it what `action` says; the body of the answer, if it has one.
    pub(crate) async fn act(&self, server: &Server, action: &str) -> Value {
        let reply = self.on(server).command(action).await;
        match reply.status {
            200 => reply.json(),
            204 => Value::Null,
            status => panic!("{action}: {status} {}", reply.text),
        }
    }

    pub(crate) async fn story(&self, server: &Server) -> Value {
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

    /// Waits until it stands so.
    pub(crate) async fn reaches(&self, server: &Server, status: &str) {
        self.reaches_one(server, &[status]).await;
    }

    /// Waits until it stands in one of these ways.
    pub(crate) async fn reaches_one(&self, server: &Server, statuses: &[&str]) {
        let mut events = self.events(server, None).await;
        while let Some(event) = events.next().await {
            if event.name == "status" && statuses.iter().any(|one| event.data["status"] == *one) {
                return;
            }
        }
        // A stream of what is over and has nothing to tell ends before it begins.
        let debate = self.debate(server).await;
        assert!(statuses.iter().any(|one| debate["status"] == *one), "{statuses:?}: {debate}");
    }

    /// Who spoke, in order: `1 debater_a`.
    pub(crate) async fn places(&self, server: &Server) -> Vec<String> {
        let story = self.story(server).await;
        let turns = story["turns"].as_array().expect("turns are a list");
        turns.iter().map(place).collect()
    }
}

/// Where a turn or an attempt belongs: `1 debater_a`.
pub(crate) fn place(value: &Value) -> String {
    format!("{} {}", value["round"], value["actor"].as_str().expect("an actor is text"))
}

/// One round of a debate, whole.
pub(crate) const ONE_ROUND: [&str; 3] = ["1 debater_a", "1 debater_b", "1 judge"];
