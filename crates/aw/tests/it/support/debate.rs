//! A debate on a server, and the actions of its three roles.

use serde_json::{Value, json};

use crate::support::{Reply, Server};

/// A new id in the format of clients.
pub(crate) fn new_id() -> String {
    uuid::Uuid::new_v4().to_string()
}

pub(crate) fn create_body(id: &str) -> Value {
    json!({
        "debate_id": id,
        "title": "Cache the index",
        "debate_type": "coding_plan_debate",
        "motion_content": "We keep the index in memory.",
        "client_request_id": "create-1",
    })
}

pub(crate) struct Debate<'s> {
    pub(crate) server: &'s Server,
    pub(crate) id: String,
    pub(crate) motion: String,
}

impl<'s> Debate<'s> {
    pub(crate) async fn open(server: &'s Server) -> Self {
        Self::open_with(server, |_| {}).await
    }

    pub(crate) async fn open_with(server: &'s Server, change: impl FnOnce(&mut Value)) -> Self {
        let id = new_id();
        let mut body = create_body(&id);
        change(&mut body);
        let reply = server.post("/debates", &body).await;
        assert_eq!(reply.status, 201, "{}", reply.text);
        let motion = argument_id(&reply);
        Self { server, id, motion }
    }

    pub(crate) fn path(&self, rest: &str) -> String {
        format!("/debates/{}{rest}", self.id)
    }

    pub(crate) async fn claim(&self, role: &str, target: &str, key: &str) -> Reply {
        let body = json!({
            "role": role,
            "target_id": target,
            "content": format!("the {role} says {key}"),
            "client_request_id": key,
        });
        self.server.post(&self.path("/arguments"), &body).await
    }

    /// Submits an appeal or a resolution.
    pub(crate) async fn ask(&self, what: &str, target: &str, key: &str) -> Reply {
        let body = json!({
            "target_id": target,
            "content": format!("{what} {key}"),
            "client_request_id": key,
        });
        self.server.post(&self.path(&format!("/{what}")), &body).await
    }

    pub(crate) async fn intervene(&self) -> Reply {
        self.server.post(&self.path("/intervention"), &json!({})).await
    }

    pub(crate) async fn rule(&self, close: bool) -> Reply {
        let body = json!({ "content": "so be it", "close": close });
        self.server.post(&self.path("/ruling"), &body).await
    }

    /// The path of the debate's page.
    pub(crate) async fn page(&self) -> String {
        let slug = self.read().await["debate"]["slug"].as_str().map(str::to_owned);
        format!("/arena/{}", slug.expect("a slug is text"))
    }

    pub(crate) async fn read(&self) -> Value {
        self.server.get(&self.path("")).await.data()
    }

    /// Leads a new debate to a state; returns the newest argument's id.
    pub(crate) async fn advance_to(&self, state: &str) -> String {
        let last = match state {
            "AWAITING_OPPONENT" => return self.motion.clone(),
            "AWAITING_PROPOSER" => self.claim("opponent", &self.motion, "lead-1").await,
            "AWAITING_ARBITRATOR" => {
                let claim = self.claim("opponent", &self.motion, "lead-1").await;
                self.ask("appeal", &argument_id(&claim), "lead-2").await
            }
            "INTERVENTION_PENDING" => self.intervene().await,
            "CLOSED" => {
                self.intervene().await;
                self.rule(true).await
            }
            other => panic!("no state is called {other}"),
        };
        assert_eq!(last.status, 201, "{}", last.text);
        assert_eq!(last.data()["debate"]["state"], state);
        argument_id(&last)
    }
}

/// The id of the argument in the response to a write.
pub(crate) fn argument_id(reply: &Reply) -> String {
    reply.data()["argument"]["id"].as_str().expect("an argument has an id").to_owned()
}
