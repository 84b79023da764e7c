//! The proof that a server has a secret, which a client asks for before it sends that secret.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// The number of hexadecimal digits of a nonce.
pub const NONCE_DIGITS: usize = 64;

/// `GET /proof`
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProofQuery {
    /// The secret to prove: `server` is the server's token.
    #[param(required = true, example = "server")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// 64 hexadecimal digits that the client draws at random for this request.
    #[param(required = true, min_length = 64, max_length = 64, pattern = "^[0-9A-Fa-f]{64}$")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
}

/// A proof that the server has a secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Proof {
    /// HMAC-SHA256, keyed with SHA-256 of the secret, of `aweave-proof-v1 {of} {port} {nonce}`, as
    /// hexadecimal digits; null if the server has no such secret.
    #[schema(required = true)]
    pub proof: Option<String>,
    /// The port the server listens on. A client compares it with the port it connected to, so that
    /// another process cannot pass on the proof of this server.
    pub port: u16,
}

/// `bytes` as lower-case hexadecimal digits.
#[must_use]
pub fn hex(bytes: &[u8]) -> String {
    let mut text = String::with_capacity(bytes.len() * 2);
    for byte in bytes {
        let _ = write!(text, "{byte:02x}");
    }
    text
}

/// The text under the HMAC of a proof.
#[must_use]
pub fn proof_text(of: &str, port: u16, nonce: &str) -> String {
    format!("aweave-proof-v1 {of} {port} {nonce}")
}
