//! The credentials that each router accepts: the server's token, session cookies, or none.
//!
//! A revoked session counts as absent, and the streams of a session end when it is revoked.

use axum::body::Body;
use axum::extract::Request;
use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderValue, Uri};
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::Sessions;
use debate_core::SessionDigest;
use futures_util::StreamExt;
use jiff::Timestamp;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use crate::app_state::Settings;
use crate::client::ClientNetwork;
use crate::error::{ErrorFormat, ErrorResponse};
use crate::events::EVENT_STREAM;
use crate::origin::{OriginRefusal, check_origin};
use crate::pages::session::{self, SignedSession};
use crate::response_headers::preflight_response;
use crate::token::{is_read, presents_token};

/// The credentials that a router needs.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Access {
    /// None. The router may have credentials of its own.
    Open,
    /// The server's token in the `Authorization` header; for reads also a session.
    Token,
    /// The same, and the token may be in the query: a browser's WebSocket can send no header.
    TokenInQuery,
    /// The server's token or a session. Forms prove their origin, so a session may write.
    Page,
    /// None, but a session is recognised.
    OpenPage,
}

/// The rules of one router.
#[derive(Debug, Clone, Copy)]
pub(crate) struct Policy {
    pub(crate) access: Access,
    pub(crate) format: ErrorFormat,
}

/// The decision about a request before its sessions are looked up.
pub(crate) enum AccessCheck {
    Granted,
    /// The response does not depend on credentials: a refusal, or the answer to a preflight.
    Final(Response),
    /// A session may still give access; without one this is the response.
    NoToken(Response),
    /// The same, and the wrong token is counted for its network first.
    WrongToken(Response, ClientNetwork),
}

impl Policy {
    /// Grants access to a request that is meant for this server, comes from no foreign page and
    /// presents the token where one is needed.
    pub(crate) fn decide(self, request: &Request, settings: &Settings) -> AccessCheck {
        if let Err(refusal) = check_origin(request, &settings.hosts, &settings.origins) {
            return AccessCheck::Final(ErrorResponse::from(refusal).into_response());
        }
        // A browser sends no credential with the request for permission.
        if let Some(response) = preflight_response(request, &settings.origins) {
            return AccessCheck::Final(response);
        }
        match self.access.check_token(request, settings) {
            TokenCheck::Accepted => AccessCheck::Granted,
            TokenCheck::Missing => AccessCheck::NoToken(self.unauthorized(request)),
            TokenCheck::Wrong => {
                let network =
                    ClientNetwork::find(settings, request.extensions(), request.headers());
                AccessCheck::WrongToken(self.unauthorized(request), network)
            }
        }
    }

    /// A browser that opens a page is sent to the login page.
    fn unauthorized(self, request: &Request) -> Response {
        let is_page = matches!(self.format, ErrorFormat::Page(_));
        if is_page && is_read(request.method()) {
            return redirect_to_login("/login", request.uri());
        }
        ErrorResponse::unauthorized().into_response()
    }

    /// The signed sessions of a request, where the router accepts sessions.
    pub(crate) fn find_sessions(
        self,
        request: &Request,
        settings: &Settings,
        has_access: bool,
    ) -> Vec<SignedSession> {
        let Some(token) = &settings.token else { return Vec::new() };
        let is_accepted = match self.access {
            Access::Open => false,
            Access::Token | Access::TokenInQuery => is_read(request.method()) && !has_access,
            Access::Page | Access::OpenPage => true,
        };
        if !is_accepted {
            return Vec::new();
        }
        session::find_signed(request.headers(), token, Timestamp::now())
    }
}

enum TokenCheck {
    Accepted,
    Missing,
    Wrong,
}

impl Access {
    fn check_token(self, request: &Request, settings: &Settings) -> TokenCheck {
        let Some(token) = &settings.token else { return TokenCheck::Accepted };
        let query = match self {
            Self::Open | Self::OpenPage => return TokenCheck::Accepted,
            Self::Token | Self::Page => None,
            Self::TokenInQuery => request.uri().query(),
        };
        let is_right = token.is_in_header(request.headers())
            || query.is_some_and(|query| token.is_in_query(query));
        match (is_right, presents_token(request.headers(), query)) {
            (true, _) => TokenCheck::Accepted,
            (false, true) => TokenCheck::Wrong,
            (false, false) => TokenCheck::Missing,
        }
    }
}

impl From<OriginRefusal> for ErrorResponse {
    fn from(refusal: OriginRefusal) -> Self {
        match refusal {
            OriginRefusal::NoHost => Self::no_host(),
            OriginRefusal::UnknownHost => Self::unknown_host(),
            OriginRefusal::ForeignPage => Self::foreign_page(),
        }
    }
}

/// A redirect to a login page that leads back to `page` after the login.
pub(crate) fn redirect_to_login(login: &str, page: &Uri) -> Response {
    let page = page.path_and_query().map_or("/", |page| page.as_str());
    let page = utf8_percent_encode(page, NON_ALPHANUMERIC);
    Redirect::to(&format!("{login}?next={page}")).into_response()
}

/// The response, or a refusal as soon as the session is revoked. For requests that only read: a
/// write that has begun must not be abandoned.
pub(crate) async fn read_until_revoked(
    sessions: &Sessions,
    session: SessionDigest,
    response: impl Future<Output = Response>,
) -> Result<Response, ErrorResponse> {
    tokio::select! {
        response = response => Ok(response),
        () = sessions.wait_until_revoked(session) => Err(ErrorResponse::unauthorized()),
    }
}

/// Ends an event stream when the session that opened it is revoked. Other responses are short and
/// stay as they are.
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
