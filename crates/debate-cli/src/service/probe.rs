//! Checks whether a server responds at the configured URL.

use std::io::ErrorKind;
use std::time::Duration;

use debate_wire::{Health, Success};

use crate::client::{Broken, Client, Request, error_of};

/// How long an answer is waited for. A server that just came up opens its database first.
const LOOK_TIME: Duration = Duration::from_secs(3);

/// What was found.
#[derive(Debug)]
pub(super) enum Found {
    /// A server of ours, and well.
    Well,
    /// A server of ours that is not.
    Unwell,
    /// Something that is no server of ours: what it said.
    Stranger(String),
    /// Something that takes connections and says nothing, or nothing whole.
    Silent(String),
    /// Nothing.
    Nobody,
}

pub(super) async fn look(client: &Client) -> Found {
    // Who is there is not known yet, so the token stays here.
    let question = Request { authorized: false, ..Request::get("/health") };
    match client.line.send(&question, LOOK_TIME).await {
        Ok(answer) if serde_json::from_slice::<Success<Health>>(&answer.body).is_ok() => {
            Found::Well
        }
        Ok(answer) if error_of(&answer).is_some() => Found::Unwell,
        Ok(answer) => Found::Stranger(format!("it responded with {}", answer.describe())),
        Err(Broken::NoHttp(what)) => Found::Stranger(what),
        Err(Broken::NoConnection(err)) if err.kind() == ErrorKind::ConnectionRefused => {
            Found::Nobody
        }
        Err(
            err @ (Broken::NoConnection(_)
            | Broken::Cut(_)
            | Broken::Slow
            | Broken::Untrusted(_)
            | Broken::Unproven),
        ) => Found::Silent(err.to_string()),
    }
}
