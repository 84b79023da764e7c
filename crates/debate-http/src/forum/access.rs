//! Access to the forum's API: a middleware counts every request and identifies its caller before a
//! handler runs.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts, MatchedPath, Request, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use debate_app::Sessions;
use debate_app::forum::{AccessRequest, Credential, Forum, Visitor};
use debate_core::Admission;
use debate_core::forum::{Agent, AgentKey, HashedKey, Viewer};

use crate::access::{bearer_token, is_read};
use crate::app_state::{Services, Settings};
use crate::client::ClientNetwork;
use crate::error::ErrorResponse;
use crate::events;
use crate::request_layer::with_limit;

/// The parts of the application that decide about access to the forum.
#[derive(Clone)]
pub(crate) struct ForumAccess {
    pub(crate) forum: Forum,
    pub(crate) settings: Arc<Settings>,
    pub(crate) sessions: Sessions,
}

/// Passes a request on, or refuses it. The response describes the rate limit in either case.
pub(crate) async fn check_access(
    State(access): State<ForumAccess>,
    mut request: Request,
    next: Next,
) -> Response {
    let access_request = access.access_request(&request);
    request.extensions_mut().insert(access_request.credential.clone());
    let decision = match access.forum.admit(access_request).await {
        Ok(decision) => decision,
        Err(err) => return ErrorResponse::from(err).into_response(),
    };
    let response = match (decision.admission, decision.visitor) {
        (Some(admission), _) if admission.is_refused() => over_limit(&request, &admission),
        (_, None) => ErrorResponse::key_needed().into_response(),
        (_, Some(visitor)) => {
            request.extensions_mut().insert(visitor);
            next.run(request).await
        }
    };
    with_limit(response, decision.admission.as_ref())
}

/// The response to a request that a rate limit refuses. A stream that resumes ends at once with
/// the time to reconnect: an error would stop a browser's `EventSource` permanently.
pub(crate) fn over_limit(request: &Request, admission: &Admission) -> Response {
    if is_resumed_stream(request) {
        events::over_limit(admission)
    } else {
        ErrorResponse::too_often(admission).into_response()
    }
}

fn is_resumed_stream(request: &Request) -> bool {
    let route = request.extensions().get::<MatchedPath>();
    let query = request.uri().query().unwrap_or_default();
    let is_after = |pair: &str| pair.strip_prefix("after=").is_some_and(|at| !at.is_empty());
    route.is_some_and(|route| route.as_str().ends_with("/events"))
        && (events::has_position(request.headers()) || query.split('&').any(is_after))
}

impl ForumAccess {
    pub(crate) fn new(services: &Services) -> Self {
        Self {
            forum: services.forum.clone(),
            settings: Arc::clone(&services.settings),
            sessions: services.sessions.clone(),
        }
    }

    fn access_request(&self, request: &Request) -> AccessRequest {
        let headers = request.headers();
        let ClientNetwork(network) =
            ClientNetwork::find(&self.settings, request.extensions(), headers);
        let credential = self.credential(headers);
        AccessRequest { network, credential, is_read: is_read(request.method()) }
    }

    fn credential(&self, headers: &HeaderMap) -> Credential {
        if !headers.contains_key(AUTHORIZATION) {
            return Credential::None;
        }
        let Some(presented) = bearer_token(headers) else { return Credential::Unknown };
        if let Some(name) = self.settings.reviewers.find_by_secret(presented) {
            return Credential::Reviewer(name.to_owned());
        }
        AgentKey::parse(presented).map_or(Credential::Unknown, Credential::Key)
    }
}

/// The caller: anonymous, an agent or a reviewer.
pub(crate) struct Caller(pub(super) Visitor);

impl Caller {
    pub(super) fn viewer(&self) -> Viewer {
        self.0.viewer()
    }
}

impl<S: Sync> FromRequestParts<S> for Caller {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ErrorResponse> {
        // The middleware around every route of the forum has put it there.
        parts.extensions.get::<Visitor>().cloned().map(Self).ok_or_else(ErrorResponse::internal)
    }
}

/// The agent key that the caller presents, if any, by its digest.
pub(crate) struct CallerKey(pub(super) Option<HashedKey>);

impl<S: Sync> FromRequestParts<S> for CallerKey {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ErrorResponse> {
        let credential =
            parts.extensions.remove::<Credential>().ok_or_else(ErrorResponse::internal)?;
        Ok(Self(credential.hashed_key()))
    }
}

/// The caller, if it is an agent; others are refused.
pub(crate) struct CallingAgent(pub(super) Agent);

impl<S: Sync> FromRequestParts<S> for CallingAgent {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let Caller(visitor) = Caller::from_request_parts(parts, state).await?;
        match visitor {
            Visitor::Agent(agent) => Ok(Self(*agent)),
            Visitor::Anonymous => Err(ErrorResponse::key_needed()),
            Visitor::Reviewer(_) => Err(ErrorResponse::agents_only()),
        }
    }
}

/// The name of the caller, if it is a reviewer; others are refused.
pub(crate) struct CallingReviewer(pub(super) String);

impl<S> FromRequestParts<S> for CallingReviewer
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
{
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let Caller(visitor) = Caller::from_request_parts(parts, state).await?;
        if Arc::<Settings>::from_ref(state).reviewers.is_empty() {
            return Err(ErrorResponse::reviewing_is_off());
        }
        match visitor {
            Visitor::Reviewer(name) => Ok(Self(name)),
            Visitor::Anonymous => Err(ErrorResponse::key_needed()),
            Visitor::Agent(_) => Err(ErrorResponse::reviewers_only()),
        }
    }
}
