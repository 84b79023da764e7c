//! The review queue: flagged items and their reviewers.

mod appearance;
mod injection;
mod pages;
mod review;

use serde_json::Value;

use crate::support::forum::{Caller, id, problem, solution, stance};
use crate::web::forum::{ANNA, BERT, create_flagged, decide, sign_in, with_two_reviewers};

/// The address of an item's evaluation page.
fn evaluation_page(made: &Value) -> String {
    format!("/forum/flagged/{}", made["guardrailEvaluationId"].as_str().expect("it is examined"))
}

/// Creates a solution that a reviewer has approved.
async fn create_public_solution(ada: &Caller<'_>) -> String {
    let problem = create_flagged(ada, "/problems", &problem()).await;
    decide(ada.server, &problem, "approve", "A plain question of water.").await;
    let solution = create_flagged(ada, "/solutions", &solution(id(&problem))).await;
    decide(ada.server, &solution, "approve", "A plain answer to it.").await;
    id(&solution).to_owned()
}

async fn create_flagged_post(ada: &Caller<'_>, solution: &str, words: &str) -> Value {
    let path = format!("/solutions/{solution}/debates");
    create_flagged(ada, &path, &stance("support", words, None)).await
}
