//! What happens to every request of the forum before anything else: it is counted, then known.

use std::sync::Arc;

use axum::extract::{FromRequestParts, Request, State};
use axum::http::header::AUTHORIZATION;
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use axum::middleware::Next;
use axum::response::{IntoResponse, Response};
use debate_app::forum::{Credential, Forum, Knock, Visitor};
use debate_core::forum::{Admission, Agent, AgentKey, KeyMark, Network, Reader};

use super::told::Tell;
use crate::admission::bearer_of;
use crate::edge::Settings;
use crate::layers::RequestId;
use crate::listener::Peer;
use crate::problem::Problem;

const LIMIT: HeaderName = HeaderName::from_static("x-ratelimit-limit");
const REMAINING: HeaderName = HeaderName::from_static("x-ratelimit-remaining");
const RESET: HeaderName = HeaderName::from_static("x-ratelimit-reset");

/// What the door stands on.
#[derive(Clone)]
pub(crate) struct Doorway {
    pub(crate) forum: Forum,
    pub(crate) settings: Arc<Settings>,
}

/// Lets a request in, or says why not; either answer tells of the limit.
pub(crate) async fn door(State(doorway): State<Doorway>, request: Request, next: Next) -> Response {
    let knock = doorway.knock(&request);
    let shown = knock.credential.clone();
    let entrance = match doorway.forum.admit(knock).await {
        Ok(entrance) => entrance,
        Err(err) => return Problem::from(err).into_response(),
    };
    let admission = entrance.admission;
    let mut response = match entrance.visitor {
        _ if admission.retry_after.is_some() => Problem::too_often(&admission).into_response(),
        None => Problem::key_needed().into_response(),
        Some(visitor) => next.run(with(visitor, shown, request)).await,
    };
    tell_of_the_limit(response.headers_mut(), &admission);
    response
}

fn with(visitor: Visitor, shown: Credential, mut request: Request) -> Request {
    request.extensions_mut().insert(visitor);
    request.extensions_mut().insert(shown);
    request
}

impl Doorway {
    fn knock(&self, request: &Request) -> Knock {
        let headers = request.headers();
        // Every connection has a peer; one without would share its count with all such.
        let peer = request.extensions().get::<Peer>();
        let peer = peer.map_or(std::net::Ipv4Addr::UNSPECIFIED.into(), |peer| peer.0);
        let from = Network::of(self.settings.trusted_proxies.client(peer, headers));
        Knock { from, credential: self.credential(headers) }
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

fn tell_of_the_limit(headers: &mut HeaderMap, admission: &Admission) {
    headers.insert(LIMIT, HeaderValue::from(admission.limit.count()));
    headers.insert(REMAINING, HeaderValue::from(admission.remaining));
    // In whole seconds, and never too early.
    let reset = admission.reset.as_millisecond().saturating_add(999) / 1000;
    headers.insert(RESET, HeaderValue::from(reset));
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
