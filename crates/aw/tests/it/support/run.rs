//! A run on a server, and its commands.

use aw_testbed::Model;
use serde_json::{Value, json};

use crate::support::{Reply, Server, Setup, until};

/// A server whose debaters and judges are the imitated model.
pub(crate) fn with_model(model: &Model) -> Setup {
    add_model(Setup::new(), model)
}

/// Adds the imitated model to `setup`.
pub(crate) fn add_model(setup: Setup, model: &Model) -> Setup {
    setup
        .env("OPENAI_BASE_URL", model.url())
        .env("RUNNER_MODEL_DEBATER", "openai:imitated")
        .env("RUNNER_MODEL_JUDGE", "openai:imitated")
}

pub(crate) struct Run<'s> {
    pub(crate) server: &'s Server,
    pub(crate) id: String,
}

impl<'s> Run<'s> {
    pub(crate) async fn create(server: &'s Server, topic: &str, settings: Value) -> Self {
        let body = json!({ "topic": topic, "settings": settings });
        let reply = server.post("/runner/debates", &body).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        Self { server, id: reply.json()["id"].as_str().expect("it has an id").to_owned() }
    }

    /// Executes a demo run to its end.
    pub(crate) async fn complete_demo(server: &'s Server, rounds: u32) -> Self {
        let settings = json!({
            "max_rounds": rounds, "model_debater": "demo:fast", "model_judge": "demo:fast",
        });
        let run = Self::create(server, "Tabs or spaces?", settings).await;
        run.command("start").await;
        run.until("completed").await;
        run
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/runner/debates/{}{rest}", self.id)
    }

    pub(crate) async fn command(&self, what: &str) -> Reply {
        self.server.post(&self.path(&format!("/{what}")), &json!({})).await
    }

    pub(crate) async fn read(&self) -> Value {
        let reply = self.server.get(&self.path("")).await;
        assert_eq!(reply.status, 200, "{}", reply.text);
        reply.json()
    }

    pub(crate) async fn debate(&self) -> Value {
        self.read().await["debate"].clone()
    }

    pub(crate) async fn until(&self, status: &str) {
        let what = format!("the debate is {status}");
        until(&what, || async { self.debate().await["status"] == status }).await;
    }
}

/// A server that is killed or suspended: its short lease lets another worker take over soon. Other
/// servers have a long lease, which a busy machine does not miss.
pub(crate) fn with_short_lease(setup: &Setup) -> Setup {
    setup.clone().env("RUNNER_LEASE_SECONDS", "2")
}
