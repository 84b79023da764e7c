//! The forum's own door: an agent's key or a reviewer's token, once, for a seat.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use debate_app::forum::Forum;

use super::pass;
use super::seat::{Seat, Sits};
use crate::edge::Settings;
use crate::problem::Problem;
use crate::web::cookies::Cookie;
use crate::web::form::Form;
use crate::web::login::{a_try, own_page, punished};
use crate::web::page::{Frame, Part, Visitor};
use crate::web::query::Asked;
use crate::web::session::LIFETIME_SECONDS;

#[derive(Template)]
#[template(path = "web/forum/login.html")]
struct Door {
    frame: Frame,
    sits: Sits,
    /// Where to go from here.
    next: String,
    was_wrong: bool,
}

impl Door {
    fn new(visitor: &Visitor, seat: &Seat, next: String, was_wrong: bool) -> Self {
        let frame = visitor.frame(Part::Forum, "Log in to the forum");
        Self { frame, sits: seat.shown(visitor), next, was_wrong }
    }
}

/// `GET /forum/login`
pub(crate) async fn login(visitor: Visitor, seat: Seat, asked: Asked) -> Response {
    let next = onwards(asked.text("next").unwrap_or_default());
    visitor.page(&Door::new(&visitor, &seat, next, false))
}

/// `POST /forum/login`
pub(crate) async fn enter(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    seat: Seat,
    form: Form,
) -> Result<Response, Problem> {
    let next = onwards(form.text("next"));
    let turn = a_try()?;
    let secret = form.text("key");
    if let Some(pass) = pass::for_secret(&forum, &settings.reviewers, secret.trim()).await? {
        return Ok(form.visitor.send_on(&next, Cookie::Seat, &pass, LIFETIME_SECONDS));
    }
    punished(turn).await;
    let door = Door::new(&form.visitor, &seat, next, true);
    Ok(form.visitor.page_with(StatusCode::FORBIDDEN, &door))
}

/// `POST /forum/logout`
pub(crate) async fn leave(form: Form) -> Response {
    form.visitor.send_on("/forum", Cookie::Seat, "", 0)
}

/// One of our own pages, and the forum where none was asked for.
fn onwards(next: String) -> String {
    if next.is_empty() { "/forum".to_owned() } else { own_page(next) }
}
