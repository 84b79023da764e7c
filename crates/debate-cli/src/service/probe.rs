//! Checks whether a server responds at the configured URL.

use std::io::ErrorKind;
use std::time::Duration;

use debate_net::NetError;
use debate_wire::{Health, Success};

use crate::client::{ApiRequest, Client, TransportError, error_body};

/// The time limit for a response. A server that just started opens its database first.
const PROBE_TIMEOUT: Duration = Duration::from_secs(3);

/// The program at the configured URL.
#[derive(Debug)]
pub(super) enum ProbeResult {
    /// A healthy aweave server.
    Healthy,
    /// An aweave server that reports a problem.
    Unhealthy,
    /// Another program, and its response.
    OtherProgram(String),
    /// A program that accepts connections and sends no complete response.
    Unresponsive(String),
    /// No program listens on the port.
    NotListening,
}

/// Sends `GET /health` without the token, because the program at the URL is not known yet.
pub(super) async fn probe(client: &Client) -> ProbeResult {
    let request = ApiRequest { authorized: false, ..ApiRequest::get("/health") };
    match client.http.send(&request, PROBE_TIMEOUT).await {
        Ok(response) if serde_json::from_slice::<Success<Health>>(&response.body).is_ok() => {
            ProbeResult::Healthy
        }
        Ok(response) if error_body(&response).is_some() => ProbeResult::Unhealthy,
        Ok(response) => {
            ProbeResult::OtherProgram(format!("it responded with {}", response.describe()))
        }
        Err(err @ TransportError::Net(NetError::NotHttp(_) | NetError::TooLarge(_))) => {
            ProbeResult::OtherProgram(err.to_string())
        }
        Err(TransportError::Net(NetError::Connect(err)))
            if err.kind() == ErrorKind::ConnectionRefused =>
        {
            ProbeResult::NotListening
        }
        Err(
            err @ (TransportError::Net(
                NetError::Connect(_) | NetError::Closed { .. } | NetError::Untrusted(_),
            )
            | TransportError::Timeout
            | TransportError::Unproven(_)),
        ) => ProbeResult::Unresponsive(err.to_string()),
    }
}
