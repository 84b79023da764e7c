//! The door, where there is one: the server's token, once, for a session.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::{HeaderMap, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::Sessions;
use jiff::Timestamp;

use super::cookies::Cookie;
use super::form::Form;
use super::page::{Frame, Part, Visitor};
use super::query::Asked;
use super::session;
use crate::client::ClientNetwork;
use crate::edge::Settings;
use crate::problem::Problem;
use crate::wrong_tokens::WrongTokens;

#[derive(Template)]
#[template(path = "web/login.html")]
struct Door {
    frame: Frame,
    /// Where to go from here.
    next: String,
    was_wrong: bool,
}

impl Door {
    fn new(visitor: &Visitor, next: String, was_wrong: bool) -> Self {
        let frame = Frame { can_leave: false, ..visitor.frame(Part::Elsewhere, "Sign in") };
        Self { frame, next, was_wrong }
    }
}

/// `GET /login`
pub(crate) async fn login(
    State(settings): State<Arc<Settings>>,
    visitor: Visitor,
    asked: Asked,
) -> Response {
    let next = own_page(asked.text("next").unwrap_or_default());
    match &settings.token {
        None => Redirect::to(&next).into_response(),
        Some(_) => visitor.page(&Door::new(&visitor, next, false)),
    }
}

/// `POST /login`
pub(crate) async fn enter(
    State(settings): State<Arc<Settings>>,
    State(wrong_tokens): State<Arc<WrongTokens>>,
    ClientNetwork(network): ClientNetwork,
    form: Form,
) -> Result<Response, Problem> {
    let next = own_page(form.text("next"));
    let Some(token) = &settings.token else { return Ok(Redirect::to(&next).into_response()) };
    if token.is(form.text("token").trim()) {
        let session = session::issue(token, session::SESSION, Timestamp::now());
        let lasts = session::LIFETIME_SECONDS;
        return Ok(form.visitor.send_on(&next, Cookie::Session, &session, lasts));
    }
    wrong_tokens.count(network).await?;
    Ok(form.visitor.page_with(StatusCode::FORBIDDEN, &Door::new(&form.visitor, next, true)))
}

/// `POST /logout`. The session is revoked first: while that fails the browser keeps its cookie, so
/// that the visitor can log out again.
pub(crate) async fn leave(
    State(settings): State<Arc<Settings>>,
    State(sessions): State<Sessions>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, Problem> {
    if let Some(token) = &settings.token {
        let signed = session::find_signed(&headers, token, Timestamp::now());
        session::revoke(&sessions, &signed).await?;
    }
    Ok(form.visitor.send_on("/login", Cookie::Session, "", 0))
}

/// Only our own pages: a link that leads through our door must not lead out of the house.
pub(super) fn own_page(path: String) -> String {
    let before_query = path.split(['?', '#']).next().unwrap_or_default();
    let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_inside = before_query == "/docs" || Part::at(before_query).is_some();
    let is_door = before_query.ends_with("/login") || before_query.ends_with("/logout");
    if is_plain && is_inside && !is_door { path } else { "/".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::own_page;

    #[test]
    fn the_door_leads_nowhere_else() {
        for inside in ["/", "/arena", "/arena/x?at=3", "/docs", "/?q=%C3%A4", "/forum/flagged"] {
            assert_eq!(own_page(inside.to_owned()), inside);
        }
        for outside in [
            "",
            "//evil.test",
            "/\\evil.test",
            "https://evil.test",
            "/arena\r\nx",
            "/login",
            "/forum/logout?x",
            "x",
        ] {
            assert_eq!(own_page(outside.to_owned()), "/", "{outside}");
        }
    }
}
