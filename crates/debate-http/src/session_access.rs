//! Access by session cookie: revoked sessions count as absent, and what a session has opened ends
//! when the session is revoked.

use axum::body::Body;
use axum::extract::Request;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::Response;
use debate_app::Sessions;
use debate_core::SessionDigest;
use futures_util::StreamExt;
use jiff::Timestamp;

use crate::admission::is_read;
use crate::edge::Settings;
use crate::events::EVENT_STREAM;
use crate::problem::Problem;
use crate::web;
use crate::web::session::{self, SignedSession};

/// The signed sessions of a request to an address that takes them. Pages take them with every
/// method, since their forms prove their origin. Elsewhere a session can only read, and only
/// counts where the request has no better credential.
pub(crate) fn find_sessions(
    request: &Request,
    settings: &Settings,
    has_access: bool,
) -> Vec<SignedSession> {
    let Some(token) = &settings.token else { return Vec::new() };
    let path = request.uri().path();
    let is_taken = if web::is_page(path) {
        path != web::LOGIN
    } else {
        is_read(request.method()) && !has_access
    };
    if !is_taken {
        return Vec::new();
    }
    session::find_signed(request.headers(), token, Timestamp::now())
}

/// The response, or a refusal as soon as the session is revoked. For requests that only read: a
/// write that has begun must not be given up half-way.
pub(crate) async fn read_until_revoked(
    sessions: &Sessions,
    session: SessionDigest,
    response: impl Future<Output = Response>,
) -> Result<Response, Problem> {
    tokio::select! {
        response = response => Ok(response),
        () = sessions.wait_until_revoked(session) => Err(Problem::unauthorized()),
    }
}

/// Ends an event stream when the session that opened it is revoked. Other responses stay as they
/// are: they end soon enough.
pub(crate) fn end_on_revocation(
    response: Response,
    sessions: &Sessions,
    session: Option<SessionDigest>,
) -> Response {
    let is_stream =
        response.headers().get(CONTENT_TYPE) == Some(&HeaderValue::from_static(EVENT_STREAM));
    let Some(session) = session.filter(|_| is_stream) else { return response };
    let sessions = sessions.clone();
    let revoked = Box::pin(async move { sessions.wait_until_revoked(session).await });
    response.map(|body| Body::from_stream(body.into_data_stream().take_until(revoked)))
}
