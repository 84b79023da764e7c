//! Documents that change only with the build: sent once, and confirmed by their tag afterwards.

use axum::body::Body;
use axum::http::header::{CACHE_CONTROL, CONTENT_TYPE, ETAG, IF_NONE_MATCH};
use axum::http::{HeaderMap, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use sha2::{Digest, Sha256};

/// A browser may cache the document, but revalidates it each time. Shared caches store nothing,
/// because the server may require a token.
pub(crate) const REVALIDATED: &str = "private, no-cache";

/// A document and its tag.
pub(crate) struct Document {
    kind: &'static str,
    cache_control: &'static str,
    body: Bytes,
    tag: HeaderValue,
}

impl Document {
    pub(crate) fn new(
        kind: &'static str,
        cache_control: &'static str,
        body: impl Into<Bytes>,
    ) -> Self {
        let body = body.into();
        let tag = HeaderValue::try_from(format!("\"{}\"", short_digest(&body)))
            .expect("hexadecimal digits in quotes make a header value");
        Self { kind, cache_control, body, tag }
    }

    /// The document, or 304 if the client has it.
    pub(crate) fn answer(&self, headers: &HeaderMap) -> Response {
        let known = [
            (ETAG, self.tag.clone()),
            (CACHE_CONTROL, HeaderValue::from_static(self.cache_control)),
        ];
        if self.is_cached(headers) {
            return (StatusCode::NOT_MODIFIED, known, Body::empty()).into_response();
        }
        let kind = [(CONTENT_TYPE, HeaderValue::from_static(self.kind))];
        (known, kind, self.body.clone()).into_response()
    }

    /// Whether `If-None-Match` contains the tag. The weak form of a compressed response counts too.
    fn is_cached(&self, headers: &HeaderMap) -> bool {
        let values = headers.get_all(IF_NONE_MATCH).iter().filter_map(|value| value.to_str().ok());
        values.flat_map(|value| value.split(',')).any(|tag| {
            let tag = tag.trim();
            tag == "*" || tag.strip_prefix("W/").unwrap_or(tag).as_bytes() == self.tag.as_bytes()
        })
    }
}

/// The first 12 hexadecimal digits of the content's SHA-256.
pub(crate) fn short_digest(content: &[u8]) -> String {
    debate_wire::hex(Sha256::digest(content).get(..6).unwrap_or_default())
}
