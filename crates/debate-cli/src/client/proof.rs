//! Checks that a server on this machine has the token before the token is sent to it.
//!
//! The check uses the connection that carries the request, so no other process can take the port
//! in between.

use debate_wire::{Proof, Success, hex, proof_text};
use hmac::{Hmac, KeyInit, Mac};
use sha2::{Digest, Sha256};
use uuid::Uuid;

use super::ApiRequest;
use crate::settings::Token;

/// The result of a check.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(super) enum ProofResult {
    /// The server has the token.
    HasToken,
    /// The server has no token, so it gets none.
    NoToken,
    /// The server does not have this token, or another program uses the port.
    Failed,
}

/// A number that is used once.
pub(super) struct Nonce(String);

impl Nonce {
    pub(super) fn new() -> Self {
        Self(format!("{}{}", Uuid::now_v7().simple(), Uuid::now_v7().simple()))
    }

    pub(super) fn request(&self) -> ApiRequest {
        let path = format!("/proof?of=server&nonce={}", self.0);
        ApiRequest { authorized: false, ..ApiRequest::get(path) }
    }

    /// Checks the answer to the request against the token and the port of the connection.
    pub(super) fn check(&self, status: u16, body: &[u8], token: &Token, port: u16) -> ProofResult {
        let Some(answer) = serde_json::from_slice::<Success<Proof>>(body).ok() else {
            return ProofResult::Failed;
        };
        let Some(proof) = answer.data.proof.filter(|_| status == 200) else {
            return if status == 200 { ProofResult::NoToken } else { ProofResult::Failed };
        };
        let key = Sha256::digest(token.secret());
        let Ok(mut mac) = <Hmac<Sha256> as KeyInit>::new_from_slice(&key) else {
            return ProofResult::Failed;
        };
        mac.update(proof_text("server", port, &self.0).as_bytes());
        let expected = hex(&mac.finalize().into_bytes());
        if answer.data.port == port && expected == proof {
            ProofResult::HasToken
        } else {
            ProofResult::Failed
        }
    }
}
