//! Access to the forum's API: every request is counted, then its caller identified, before a
//! handler sees it.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::HeaderMap;
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use debate_app::Sessions;
use debate_app::forum::{AccessRequest, Credential, Forum, Visitor};
use debate_core::Admission;
use debate_core::forum::{Agent, AgentKey, KeyMark, Reader};

use super::told::Tell;
use crate::admission::{bearer_of, is_read};
use crate::client::ClientNetwork;
use crate::edge::{Edge, Settings};
use crate::events;
use crate::problem::Problem;
use crate::rate_headers::with_limit;
use crate::request_id::RequestId;

/// What access to the forum depends on.
#[derive(Clone)]
pub(crate) struct Doorway {
    pub(crate) forum: Forum,
    pub(crate) settings: Arc<Settings>,
    pub(crate) sessions: Sessions,
}

/// Passes a request on, or refuses it. Either answer describes the rate limit.
pub(crate) async fn door(State(doorway): State<Doorway>, request: Request, next: Next) -> Response {
    let access = doorway.access_request(&request);
    let shown = access.credential.clone();
    let decision = match doorway.forum.admit(access).await {
        Ok(decision) => decision,
        Err(err) => return Problem::from(err).into_response(),
    };
    let response = match (decision.admission, decision.visitor) {
        (Some(admission), _) if admission.is_refused() => over_limit(&request, &admission),
        (_, None) => Problem::key_needed().into_response(),
        (_, Some(visitor)) => next.run(with(visitor, shown, request)).await,
    };
    with_limit(response, decision.admission.as_ref())
}

fn with(visitor: Visitor, shown: Credential, mut request: Request) -> Request {
    request.extensions_mut().insert(visitor);
    request.extensions_mut().insert(shown);
    request
}

/// The answer to a request that a rate limit refuses. A stream that resumes ends at once and says
/// when to come back: an error would stop a browser's `EventSource` for good.
pub(crate) fn over_limit(request: &Request, admission: &Admission) -> Response {
    if is_resumed_stream(request) {
        events::over_limit(admission)
    } else {
        Problem::too_often(admission).into_response()
    }
}

fn is_resumed_stream(request: &Request) -> bool {
    let query = request.uri().query().unwrap_or_default();
    let is_after = |pair: &str| pair.strip_prefix("after=").is_some_and(|at| !at.is_empty());
    request.uri().path().ends_with("/events")
        && (events::has_position(request.headers()) || query.split('&').any(is_after))
}

impl Doorway {
    pub(crate) fn new(edge: &Edge) -> Self {
        Self {
            forum: edge.forum.clone(),
            settings: Arc::clone(&edge.settings),
            sessions: edge.sessions.clone(),
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
        let Some(presented) = bearer_of(headers) else { return Credential::Unknown };
        if let Some(name) = self.settings.reviewers.whose(presented) {
            return Credential::Reviewer(name.to_owned());
        }
        AgentKey::parse(presented).map_or(Credential::Unknown, Credential::Key)
    }
}

/// Whoever asks.
pub(crate) struct Anyone {
    pub(super) visitor: Visitor,
    pub(super) tell: Tell,
}

impl Anyone {
    pub(super) fn reader(&self) -> Reader {
        self.visitor.reader()
    }
}

impl<S: Sync> FromRequestParts<S> for Anyone {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let visitor = parts.extensions.get::<Visitor>().cloned();
        let id = parts.extensions.get::<RequestId>().map(RequestId::text);
        // Both are put there by layers around every route of the forum.
        let (Some(visitor), Some(id)) = (visitor, id) else { return Err(Problem::internal()) };
        Ok(Self { visitor, tell: Tell::new(id) })
    }
}

/// The key that was shown, if one was, by its mark.
pub(crate) struct ByKey(pub(super) Option<KeyMark>);

impl<S: Sync> FromRequestParts<S> for ByKey {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Problem> {
        let shown = parts.extensions.remove::<Credential>().ok_or_else(Problem::internal)?;
        Ok(Self(shown.mark()))
    }
}

/// An agent who asks; others are refused.
pub(crate) struct AsAgent {
    pub(super) agent: Agent,
    pub(super) tell: Tell,
}

impl<S: Sync> FromRequestParts<S> for AsAgent {
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Anyone { visitor, tell } = Anyone::from_request_parts(parts, state).await?;
        match visitor {
            Visitor::Agent(agent) => Ok(Self { agent: *agent, tell }),
            Visitor::Anonymous => Err(Problem::key_needed()),
            Visitor::Reviewer(_) => Err(Problem::agents_only()),
        }
    }
}

/// A reviewer who asks; others are refused.
pub(crate) struct AsReviewer {
    pub(super) name: String,
    pub(super) tell: Tell,
}

impl<S> FromRequestParts<S> for AsReviewer
where
    S: Send + Sync,
    Arc<Settings>: axum::extract::FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let Anyone { visitor, tell } = Anyone::from_request_parts(parts, state).await?;
        let settings = <Arc<Settings> as axum::extract::FromRef<S>>::from_ref(state);
        if settings.reviewers.are_off() {
            return Err(Problem::reviewing_is_off());
        }
        match visitor {
            Visitor::Reviewer(name) => Ok(Self { name, tell }),
            Visitor::Anonymous => Err(Problem::key_needed()),
            Visitor::Agent(_) => Err(Problem::reviewers_only()),
        }
    }
}
