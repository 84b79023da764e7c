//! The WebSocket handshake. An `Upgrade` exists only for a valid handshake.

use std::sync::Arc;

use axum::body::Body;
use axum::extract::FromRequestParts;
use axum::http::header::{
    CONNECTION, SEC_WEBSOCKET_ACCEPT, SEC_WEBSOCKET_KEY, SEC_WEBSOCKET_VERSION, UPGRADE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::Response;
use hyper::upgrade::OnUpgrade;
use hyper_util::rt::TokioIo;
use tokio::sync::OwnedSemaphorePermit;
use tokio_tungstenite::WebSocketStream;
use tokio_tungstenite::tungstenite::handshake::derive_accept_key;
use tokio_tungstenite::tungstenite::protocol::{Role, WebSocketConfig};

use super::close_watch::CloseWatch;
use super::session::Session;
use crate::error::ErrorResponse;
use crate::listener::ConnectionPermit;

/// The only version of the protocol.
const VERSION: HeaderValue = HeaderValue::from_static("13");

/// The write buffer is small, because there may be thousands of sockets; a page of events is
/// written directly.
const BUFFER_BYTES: usize = 4 * 1024;

/// A request with a valid handshake.
pub(crate) struct Upgrade {
    accept: HeaderValue,
    /// The connection, after the response was sent.
    io: OnUpgrade,
    /// The connection's permit, held while the socket is open.
    held: Option<Arc<ConnectionPermit>>,
}

impl<S: Sync> FromRequestParts<S> for Upgrade {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ErrorResponse> {
        let headers = &parts.headers;
        let asks = lists(headers, &CONNECTION, "upgrade")
            && lists(headers, &UPGRADE, "websocket")
            && headers.get(SEC_WEBSOCKET_VERSION) == Some(&VERSION);
        let key = headers.get(SEC_WEBSOCKET_KEY).filter(|_| asks).map(HeaderValue::as_bytes);
        let accept = key.filter(|key| is_nonce(key)).map(derive_accept_key);
        let accept = accept.and_then(|text| HeaderValue::try_from(text).ok());
        let io = parts.extensions.remove::<OnUpgrade>();
        let held = parts.extensions.get::<Arc<ConnectionPermit>>().cloned();
        match (accept, io) {
            (Some(accept), Some(io)) => Ok(Self { accept, io, held }),
            (None, _) | (_, None) => Err(ErrorResponse::upgrade_required()),
        }
    }
}

impl Upgrade {
    /// Responds, and runs the session after the response was sent. The permit is held until its
    /// end.
    pub(super) fn answer(self, session: Session, permit: OwnedSemaphorePermit) -> Response {
        let config = WebSocketConfig::default()
            .read_buffer_size(BUFFER_BYTES)
            .write_buffer_size(BUFFER_BYTES)
            .max_message_size(Some(session.message_bytes_max()))
            .max_frame_size(Some(session.message_bytes_max()));
        let (io, held) = (self.io, self.held);
        tokio::spawn(async move {
            let _kept = (permit, held);
            match io.await {
                Ok(io) => {
                    let io = CloseWatch::new(TokioIo::new(io));
                    let config = Some(config);
                    let socket = WebSocketStream::from_raw_socket(io, Role::Server, config).await;
                    session.run(socket).await;
                }
                Err(err) => tracing::debug!(error = %err, "websocket handshake interrupted"),
            }
        });
        let mut response = Response::new(Body::empty());
        *response.status_mut() = StatusCode::SWITCHING_PROTOCOLS;
        let headers = response.headers_mut();
        headers.insert(CONNECTION, HeaderValue::from_static("upgrade"));
        headers.insert(UPGRADE, HeaderValue::from_static("websocket"));
        headers.insert(SEC_WEBSOCKET_ACCEPT, self.accept);
        response
    }
}

/// Whether a key is sixteen bytes in base 64.
fn is_nonce(key: &[u8]) -> bool {
    let is_digit = |byte: &u8| byte.is_ascii_alphanumeric() || b"+/".contains(byte);
    matches!(key, [digits @ .., b'=', b'='] if digits.len() == 22 && digits.iter().all(is_digit))
}

/// Whether a header's comma-separated list contains `word`, in upper or lower case.
fn lists(headers: &HeaderMap, name: &HeaderName, word: &str) -> bool {
    let values = headers.get_all(name).iter().filter_map(|value| value.to_str().ok());
    values.flat_map(|value| value.split(',')).any(|item| item.trim().eq_ignore_ascii_case(word))
}
