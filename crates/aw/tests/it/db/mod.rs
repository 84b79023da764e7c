//! `aw db`: status, migration, check and copy.

mod check;
mod copy;
mod interrupted_copy;
mod status;

use serde_json::Value;

use crate::support::Setup;

/// The output of `aw db status --json`.
async fn status(setup: &Setup, place: &[&str]) -> Value {
    let words: Vec<&str> = ["status", "--json"].iter().chain(place).copied().collect();
    let output = setup.db(&words).await.expect("it can be looked at");
    serde_json::from_str(&output).expect("it is JSON")
}
