//! Bearer tokens: how a request presents one, and how it is compared.

use axum::http::header::AUTHORIZATION;
use axum::http::{HeaderMap, Method};
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

use crate::origin::single_header;

/// A secret token. Only its SHA-256 digest is held, so that neither a log nor a crash dump can
/// reveal it. All comparisons take the same time for every presented text.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// The token with this text.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// The token with this digest. An agent's key is stored as such a digest.
    pub(crate) const fn from_digest(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// Whether the request presents this token in its `Authorization` header.
    pub(crate) fn is_in_header(&self, headers: &HeaderMap) -> bool {
        bearer_token(headers).is_some_and(|presented| self.is(presented))
    }

    /// Whether the query presents this token in its parameter `token`.
    pub(crate) fn is_in_query(&self, query: &str) -> bool {
        query_token(query).is_some_and(|presented| self.is(&presented))
    }

    /// The HMAC-SHA256 of `text` under this token, as hexadecimal digits.
    pub(crate) fn sign(&self, text: &str) -> String {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0)
            .expect("HMAC accepts a key of any length");
        mac.update(text.as_bytes());
        debate_wire::hex(&mac.finalize().into_bytes())
    }

    /// Whether `presented` is the text of this token.
    pub(crate) fn is(&self, presented: &str) -> bool {
        self.is_same(&Self::new(presented))
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Whether a request with this method only reads.
pub(crate) fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// The parameter `token` of a query.
pub(crate) fn query_token(query: &str) -> Option<String> {
    let presented = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
    Some(percent_decode_str(presented).decode_utf8_lossy().into_owned())
}

/// Whether a request presents a token, right or wrong, in its header or in the given query.
pub(crate) fn presents_token(headers: &HeaderMap, query: Option<&str>) -> bool {
    headers.contains_key(AUTHORIZATION)
        || query.and_then(query_token).is_some_and(|token| !token.is_empty())
}

/// The token in the `Authorization` header, if the header is present once and has the scheme
/// `Bearer`.
pub(crate) fn bearer_token(headers: &HeaderMap) -> Option<&str> {
    let (scheme, secret) = single_header(headers, &AUTHORIZATION)?.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}
