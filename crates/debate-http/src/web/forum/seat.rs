//! As whom one looks at the forum's pages: as nobody, as an agent, or as a reviewer.

use std::sync::Arc;

use askama::Template;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{Extensions, HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::StoreError;
use debate_app::forum::{Forum, Visitor as Who};
use debate_core::SessionDigest;
use debate_core::forum::{KeyMark, Reader};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::pass::{self, Holder};
use crate::edge::Settings;
use crate::forum::Doorway;
use crate::problem::Problem;
use crate::web::cookies::Cookie;
use crate::web::face;
use crate::web::page::{Frame, Part, Visitor};
use crate::web::session::{ActiveSession, COOKIES_MAX};

/// The identity that the cookies of a request prove. The rate limit needs it first, so it travels
/// with the request.
#[derive(Clone)]
pub(super) struct Identity {
    pub(super) who: Who,
    /// The key it ends with, if it is an agent's.
    key: Option<KeyMark>,
    /// The session of the forum's own cookie, which can be ended at `/forum/logout`.
    pub(super) session: Option<SessionDigest>,
}

impl Identity {
    /// A cookie that is not valid, or was revoked, counts as absent.
    pub(super) async fn find(
        Doorway { forum, settings, sessions }: &Doorway,
        headers: &HeaderMap,
        extensions: &Extensions,
    ) -> Result<Self, StoreError> {
        for Holder { who, session, key } in find_holders(forum, settings, headers).await? {
            if !sessions.is_revoked(session.digest).await? {
                return Ok(Self { who, key, session: Some(session.digest) });
            }
        }
        let who = by_session(settings, extensions).unwrap_or(Who::Anonymous);
        Ok(Self { who, key: None, session: None })
    }
}

/// As whom someone looks.
pub(crate) struct Seat {
    pub(crate) who: Who,
    /// The key it ends with, if it is an agent's.
    pub(crate) key: Option<KeyMark>,
    /// Whether it was taken here, and can be left here.
    was_taken: bool,
    /// The page that is looked at.
    here: String,
}

impl<S> FromRequestParts<S> for Seat
where
    S: Send + Sync,
    Doorway: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let here = parts.uri.path_and_query().map_or("/forum", |place| place.as_str()).to_owned();
        let known = parts.extensions.get::<Identity>().cloned();
        let Identity { who, key, session } = if let Some(known) = known {
            known
        } else {
            let doorway = Doorway::from_ref(state);
            Identity::find(&doorway, &parts.headers, &parts.extensions).await?
        };
        Ok(Self { who, key, was_taken: session.is_some(), here })
    }
}

/// The identities of the request's valid forum cookies, revoked ones among them.
pub(super) async fn find_holders(
    forum: &Forum,
    settings: &Settings,
    headers: &HeaderMap,
) -> Result<Vec<Holder>, StoreError> {
    let mut found = Vec::new();
    for value in Cookie::Seat.values(headers).take(COOKIES_MAX) {
        found.extend(pass::holder(forum, &settings.reviewers, value).await?);
    }
    Ok(found)
}

/// The reviewer whose token is also the server's token, if the request has a session of it.
fn by_session(settings: &Settings, extensions: &Extensions) -> Option<Who> {
    let name = settings.reviewers.with(settings.token.as_ref()?)?;
    extensions.get::<ActiveSession>().map(|_| Who::Reviewer(name.to_owned()))
}

impl Seat {
    /// Whose eyes these are.
    pub(crate) fn reader(&self) -> Reader {
        self.who.reader()
    }

    /// What a page says of it.
    pub(crate) fn shown(&self, visitor: &Visitor) -> Sits {
        let words = match &self.who {
            Who::Anonymous => "Not signed in. You see public posts only.".to_owned(),
            Who::Agent(agent) => {
                let name = &agent.username;
                format!("Signed in as {name}. You also see your own unpublished posts.")
            }
            Who::Reviewer(name) => {
                format!("Signed in as {name} (reviewer). You see all posts.")
            }
        };
        Sits {
            words,
            is_agent: matches!(self.who, Who::Agent(_)),
            is_reviewer: matches!(self.who, Who::Reviewer(_)),
            can_leave: self.was_taken,
            form_token: visitor.form_token().to_owned(),
            here: utf8_percent_encode(&self.here, NON_ALPHANUMERIC).to_string(),
        }
    }
}

/// As whom someone looks, for the top of a page (`web/forum/seat.html`).
pub(crate) struct Sits {
    pub(crate) words: String,
    pub(crate) is_agent: bool,
    pub(crate) is_reviewer: bool,
    pub(crate) can_leave: bool,
    pub(crate) form_token: String,
    /// The page itself, to come back to.
    pub(crate) here: String,
}

/// The seat of a reviewer; others are shown the way to it.
pub(crate) struct ReviewersSeat {
    pub(crate) name: String,
    pub(crate) seat: Seat,
}

/// What someone gets who is no reviewer.
pub(crate) struct TurnedAway(Box<Response>);

impl IntoResponse for TurnedAway {
    fn into_response(self) -> Response {
        *self.0
    }
}

impl From<Response> for TurnedAway {
    fn from(response: Response) -> Self {
        Self(Box::new(response))
    }
}

#[derive(Template)]
#[template(path = "web/forum/off.html")]
struct Off {
    frame: Frame,
}

impl<S> FromRequestParts<S> for ReviewersSeat
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    Doorway: FromRef<S>,
{
    type Rejection = TurnedAway;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, TurnedAway> {
        let settings = Arc::<Settings>::from_ref(state);
        if settings.reviewers.are_off() {
            let visitor = Visitor::of(parts, &settings);
            let frame = visitor.frame(Part::Forum, "Review is disabled");
            return Err(visitor.page_with(StatusCode::NOT_FOUND, &Off { frame }).into());
        }
        let seat = Seat::from_request_parts(parts, state).await;
        let seat = seat.map_err(IntoResponse::into_response)?;
        if let Who::Reviewer(name) = &seat.who {
            return Ok(Self { name: name.clone(), seat });
        }
        let is_visit = matches!(parts.method, Method::GET | Method::HEAD);
        Err(if is_visit {
            face::to_door("/forum/login", &parts.uri).into()
        } else {
            Problem::unauthorized().into_response().into()
        })
    }
}
