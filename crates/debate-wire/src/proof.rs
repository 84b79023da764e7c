//! Proof that a server holds a secret. A client asks for it before it sends that secret.

use std::fmt::Write;

use serde::{Deserialize, Serialize};
use utoipa::{IntoParams, ToSchema};

/// Number of hexadecimal digits in a nonce.
pub const NONCE_DIGITS: usize = 64;

/// Query of `GET /proof`.
#[derive(Debug, Clone, Default, Serialize, Deserialize, IntoParams)]
#[into_params(parameter_in = Query)]
pub struct ProofQuery {
    /// The secret to prove: `server` selects the server's token, `arbitrator` the arbitrator token.
    #[param(required = true, example = "server")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub of: Option<String>,
    /// 64 random hexadecimal digits. The client generates them for this request.
    #[param(required = true, min_length = 64, max_length = 64, pattern = "^[0-9A-Fa-f]{64}$")]
    #[serde(skip_serializing_if = "Option::is_none")]
    pub nonce: Option<String>,
}

/// Proof that the server holds a secret.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
pub struct Proof {
    /// HMAC-SHA256 of `aweave-proof-v1 {of} {port} {nonce}`, keyed with the SHA-256 digest of the
    /// secret, as 64 hexadecimal digits. Null if the server was started without this secret.
    #[schema(required = true)]
    pub proof: Option<String>,
    /// TCP port on which the server listens. A client compares it with the port it connected to, so
    /// that another process cannot forward the proof of this server.
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

/// The text that the HMAC of a proof covers.
#[must_use]
pub fn proof_text(of: &str, port: u16, nonce: &str) -> String {
    format!("aweave-proof-v1 {of} {port} {nonce}")
}
