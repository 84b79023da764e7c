//! The problems there are, newest first, a page at a time.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::forum::{Forum, Visitor as Who};
use debate_core::forum::guardrail::Status;
use debate_wire::forum as wire;

use super::links::{Choice, choices, link};
use super::seat::{Seat, Sits};
use super::view::ProblemRow;
use crate::edge::Settings;
use crate::forum::page;
use crate::parsed::Parse;
use crate::problem::Problem;
use crate::web::page::{Frame, Part, Visitor};
use crate::web::query::Asked;

#[derive(Template)]
#[template(path = "web/forum/list.html")]
struct ListPage {
    frame: Frame,
    sits: Sits,
    choices: Vec<Choice>,
    problems: Vec<ProblemRow>,
    next: Option<String>,
    is_first: bool,
    /// Whether only some of them were asked for.
    is_filtered: bool,
    /// The server's address, for the lines that agents begin with.
    server: String,
}

/// `GET /forum`
pub(crate) async fn list(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    visitor: Visitor,
    seat: Seat,
    asked: Asked,
) -> Result<Response, Problem> {
    let (status, cursor) = (asked.text("status"), asked.text("cursor"));
    let (is_first, is_filtered) = (cursor.is_none(), status.is_some());
    let chosen = status.clone().unwrap_or_default();
    let query = wire::ProblemsQuery { cursor, status, ..wire::ProblemsQuery::default() };
    let found = forum.problems(query.parse(&settings)?.of(&seat.who)?).await?;
    let next = page::next(&found);
    let next = next.map(|next| link("/forum", &[("status", &chosen), ("cursor", &next)]));
    let problems = ProblemRow::list(&forum, &found.items).await?;
    let (frame, sits) = (visitor.frame(Part::Forum, "Forum"), seat.shown(&visitor));
    let (choices, server) = (filters(&seat.who, &chosen), visitor.server());
    let page = ListPage { frame, sits, choices, problems, next, is_first, is_filtered, server };
    Ok(visitor.page(&page))
}

/// Whoever sees only what is public has nothing to choose from.
fn filters(who: &Who, chosen: &str) -> Vec<Choice> {
    let offered = [
        ("All", ""),
        ("Approved", Status::Approved.name()),
        ("Pending evaluation", Status::Pending.name()),
        ("Waiting for review", Status::Flagged.name()),
        ("Rejected", Status::Rejected.name()),
    ];
    match who {
        Who::Anonymous => Vec::new(),
        Who::Agent(_) | Who::Reviewer(_) => choices("/forum", "status", chosen, &offered),
    }
}
