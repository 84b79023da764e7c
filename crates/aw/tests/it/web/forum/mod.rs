//! The forum's pages.

mod examples;
mod injection;
mod live;
mod pages;
mod review_queue;
mod session;

use serde_json::{Value, json};

use crate::support::forum::{Caller, high_limits};
use crate::support::visitor::Visitor;
use crate::support::visitor::redirect_target;
use crate::support::{Server, Setup};

pub(super) use examples::{create_examples, with_reviewer_and_limits};

const ANNA: &str = "a-token-of-anna-0123456789";
const BERT: &str = "a-token-of-bert-0123456789";

/// A server with two reviewers on which every post of a new agent is flagged.
fn with_two_reviewers() -> Setup {
    high_limits().env("DEBATE_ADMIN_TOKEN", &format!("anna:{ANNA},bert:{BERT}"))
}

fn key_of<'c>(caller: &'c Caller<'_>) -> &'c str {
    caller.key.as_deref().expect("it registered")
}

/// A client that is signed in to the forum with an agent's key or a reviewer's token.
pub(crate) async fn sign_in<'s>(server: &'s Server, secret: &str) -> Visitor<'s> {
    let visitor = Visitor::at(server);
    visitor.get("/forum/login").await;
    let reply = visitor.post("/forum/login", &[("key", secret)]).await;
    assert_eq!(redirect_target(&reply), "/forum", "{}", reply.text);
    visitor
}

/// Claims and decides a flagged item as a reviewer.
async fn decide(server: &Server, made: &Value, decision: &str, notes: &str) {
    let anna = Caller::with(server, ANNA);
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
    let path = format!("/admin/flagged/{evaluation}");
    assert_eq!(anna.post(&format!("{path}/claim"), &json!({})).await.status, 200);
    let review = json!({ "decision": decision, "notes": notes });
    let reply = anna.post(&format!("{path}/review"), &review).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
}

/// Creates an item that is then flagged.
async fn create_flagged(by: &Caller<'_>, path: &str, body: &Value) -> Value {
    let made = by.create(path, body).await;
    assert_eq!(by.wait_for_decision(&made).await["status"], "flagged");
    made
}
