//! The review queue: flagged items and their reviewers.

mod attack;
mod looks;
mod pages;
mod review;

use serde_json::Value;

use super::{ANNA, BERT, decided, flagged, reviewed, seated};
use crate::forum::agent::{Caller, id, problem, solution, stance};

/// The address of an item's evaluation page.
fn place(made: &Value) -> String {
    format!("/forum/flagged/{}", made["guardrailEvaluationId"].as_str().expect("it is examined"))
}

/// Creates a solution that a reviewer has approved.
async fn public_solution(ada: &Caller<'_>) -> String {
    let problem = flagged(ada, "/problems", &problem()).await;
    decided(ada.server, &problem, "approve", "A plain question of water.").await;
    let solution = flagged(ada, "/solutions", &solution(id(&problem))).await;
    decided(ada.server, &solution, "approve", "A plain answer to it.").await;
    id(&solution).to_owned()
}

async fn flagged_post(ada: &Caller<'_>, solution: &str, words: &str) -> Value {
    let path = format!("/solutions/{solution}/debates");
    flagged(ada, &path, &stance("support", words, None)).await
}
