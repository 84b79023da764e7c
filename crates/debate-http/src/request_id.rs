//! The id of a request: sent by the client or generated, logged with every failure, and repeated in
//! the response.

use axum::http::{HeaderMap, HeaderName, HeaderValue};
use tracing::{Instrument, Span};
use uuid::Uuid;

pub(crate) const X_REQUEST_ID: HeaderName = HeaderName::from_static("x-request-id");
pub(crate) const X_CORRELATION_ID: HeaderName = HeaderName::from_static("x-correlation-id");

/// The longest id of a client that the server repeats.
const LENGTH_MAX: usize = 64;

tokio::task_local! {
    /// The id of the request that this task handles.
    pub(crate) static CURRENT: HeaderValue;
}

/// The id of the request that this task handles; empty outside a request.
pub(crate) fn current() -> String {
    CURRENT.try_with(to_text).unwrap_or_default()
}

/// Runs a part of the current request to its end, even if the client disconnects.
pub(crate) async fn run_to_end<T: Send + 'static>(
    part: impl Future<Output = T> + Send + 'static,
) -> T {
    let part = part.instrument(Span::current());
    let task = match CURRENT.try_with(HeaderValue::clone) {
        Ok(id) => tokio::spawn(CURRENT.scope(id, part)),
        Err(_) => tokio::spawn(part),
    };
    task.await.unwrap_or_else(|err| std::panic::resume_unwind(err.into_panic()))
}

/// An id consists of ASCII letters, digits and a few signs, so this loses nothing.
pub(crate) fn to_text(id: &HeaderValue) -> String {
    id.to_str().unwrap_or_default().to_owned()
}

/// The id that the client sent in this header, if the server may repeat it.
pub(crate) fn sent_id(headers: &HeaderMap, name: &HeaderName) -> Option<HeaderValue> {
    let sent = headers.get(name).filter(|id| {
        !id.is_empty()
            && id.len() <= LENGTH_MAX
            && id
                .as_bytes()
                .iter()
                .all(|byte| byte.is_ascii_alphanumeric() || matches!(byte, b'_' | b'.' | b'-'))
    });
    sent.cloned()
}

pub(crate) fn new_request_id() -> HeaderValue {
    HeaderValue::try_from(format!("req_{}", Uuid::now_v7().simple()))
        .expect("letters, digits and an underscore make a header value")
}
