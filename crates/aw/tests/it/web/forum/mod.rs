//! The forum's pages.

mod attack;
mod live;
mod pages;
mod queue;
mod seat;
mod story;

use serde_json::{Value, json};

use super::Person;
use super::person::leads_to;
use crate::forum::agent::{Caller, roomy};
use crate::support::{Server, Setup};

pub(super) use story::{furnishable, shown};

const ANNA: &str = "a-token-of-anna-0123456789";
const BERT: &str = "a-token-of-bert-0123456789";

/// A server with two reviewers on which every post of a new agent is flagged.
fn reviewed() -> Setup {
    roomy().env("DEBATE_ADMIN_TOKEN", &format!("anna:{ANNA},bert:{BERT}"))
}

fn key_of<'c>(caller: &'c Caller<'_>) -> &'c str {
    caller.key.as_deref().expect("it registered")
}

/// A client that is signed in to the forum with an agent's key or a reviewer's token.
pub(crate) async fn seated<'s>(server: &'s Server, secret: &str) -> Person<'s> {
    let person = Person::at(server);
    person.get("/forum/login").await;
    let reply = person.post("/forum/login", &[("key", secret)]).await;
    assert_eq!(leads_to(&reply), "/forum", "{}", reply.text);
    person
}

/// Claims and decides a flagged item as a reviewer.
async fn decided(server: &Server, made: &Value, decision: &str, notes: &str) {
    let anna = Caller::with(server, ANNA);
    let evaluation = made["guardrailEvaluationId"].as_str().expect("it is examined");
    let path = format!("/admin/flagged/{evaluation}");
    assert_eq!(anna.post(&format!("{path}/claim"), &json!({})).await.status, 200);
    let review = json!({ "decision": decision, "notes": notes });
    let reply = anna.post(&format!("{path}/review"), &review).await;
    assert_eq!(reply.status, 200, "{}", reply.text);
}

/// Creates an item that is then flagged.
async fn flagged(by: &Caller<'_>, path: &str, body: &Value) -> Value {
    let made = by.make(path, body).await;
    assert_eq!(by.decided(&made).await["status"], "flagged");
    made
}
