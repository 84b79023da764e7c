//! As whom one looks at the forum's pages: as nobody, as an agent, or as a reviewer.

use std::sync::Arc;

use askama::Template;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::request::Parts;
use axum::http::{HeaderMap, Method, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::StoreError;
use debate_app::forum::{Forum, Visitor as Who};
use debate_core::forum::{KeyMark, Reader};
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::pass::{self, Holder};
use crate::edge::Settings;
use crate::problem::Problem;
use crate::web::cookies::Cookie;
use crate::web::face;
use crate::web::page::{Frame, Part, Visitor};
use crate::web::session;

/// How many cookies of one request are looked at: another server of this machine may have set one.
const PASSES_MAX: usize = 4;

/// The identity that the cookies of a request prove. The rate limit needs it first, so it travels
/// with the request.
#[derive(Clone)]
pub(super) struct Identity {
    pub(super) who: Who,
    /// The key it ends with, if it is an agent's.
    key: Option<KeyMark>,
    /// Whether it was taken here, and can be left here.
    was_taken: bool,
}

impl Identity {
    /// A cookie that is not good is no cookie.
    pub(super) async fn find(
        forum: &Forum,
        settings: &Settings,
        headers: &HeaderMap,
    ) -> Result<Self, StoreError> {
        if let Some(Holder { who, key }) = taken(forum, settings, headers).await? {
            return Ok(Self { who, key, was_taken: true });
        }
        let who = by_session(settings, headers, forum).unwrap_or(Who::Anonymous);
        Ok(Self { who, key: None, was_taken: false })
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
    Arc<Settings>: FromRef<S>,
    Forum: FromRef<S>,
{
    type Rejection = Problem;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Problem> {
        let (forum, settings) = (Forum::from_ref(state), Arc::<Settings>::from_ref(state));
        let here = parts.uri.path_and_query().map_or("/forum", |place| place.as_str()).to_owned();
        let Identity { who, key, was_taken } = match parts.extensions.get::<Identity>() {
            Some(known) => known.clone(),
            None => Identity::find(&forum, &settings, &parts.headers).await?,
        };
        Ok(Self { who, key, was_taken, here })
    }
}

/// Whoever took a seat with a secret of the forum's.
async fn taken(
    forum: &Forum,
    settings: &Settings,
    headers: &HeaderMap,
) -> Result<Option<Holder>, StoreError> {
    for value in Cookie::Seat.values(headers).take(PASSES_MAX) {
        if let Some(holder) = pass::holder(forum, &settings.reviewers, value).await? {
            return Ok(Some(holder));
        }
    }
    Ok(None)
}

/// Whoever logged in with a token that reviewers have as well.
fn by_session(settings: &Settings, headers: &HeaderMap, forum: &Forum) -> Option<Who> {
    let token = settings.token.as_ref()?;
    let name = settings.reviewers.with(token)?;
    session::is_carried_by(headers, token, forum.now()).then(|| Who::Reviewer(name.to_owned()))
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
    Forum: FromRef<S>,
{
    type Rejection = TurnedAway;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, TurnedAway> {
        let settings = Arc::<Settings>::from_ref(state);
        if settings.reviewers.are_off() {
            let visitor = Visitor::of(&parts.headers, &settings);
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
