//! The problems there are, newest first, a page at a time.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::forum::{Forum, Visitor as Who};
use debate_core::forum::guardrail::GuardrailStatus;
use debate_wire::forum as wire;

use super::identity::{Identity, IdentityBanner};
use super::links::{Choice, choices, link};
use super::view::ProblemRow;
use crate::app_state::Settings;
use crate::extract::Parse;
use crate::forum::page;
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/forum/list.html")]
struct ListPage {
    frame: Frame,
    banner: IdentityBanner,
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
    identity: Identity,
    asked: QueryParams,
) -> Result<Response, Problem> {
    let (status, cursor) = (asked.text("status"), asked.text("cursor"));
    let (is_first, is_filtered) = (cursor.is_none(), status.is_some());
    let chosen = status.clone().unwrap_or_default();
    let query = wire::ProblemsQuery { cursor, status, ..wire::ProblemsQuery::default() };
    let found = forum.problems(query.parse(&settings)?.for_visitor(&identity.who)?).await?;
    let next = page::next(&found);
    let next = next.map(|next| link("/forum", &[("status", &chosen), ("cursor", &next)]));
    let problems = ProblemRow::list(&forum, &found.items).await?;
    let (frame, banner) = (visitor.frame(Section::Forum, "Forum"), identity.banner(&visitor));
    let (choices, server) = (filters(&identity.who, &chosen), visitor.server());
    let page = ListPage { frame, banner, choices, problems, next, is_first, is_filtered, server };
    Ok(visitor.page(&page))
}

/// An anonymous visitor sees public problems only, so it has no filters.
fn filters(who: &Who, chosen: &str) -> Vec<Choice> {
    let offered = [
        ("All", ""),
        ("Approved", GuardrailStatus::Approved.name()),
        ("Pending evaluation", GuardrailStatus::Pending.name()),
        ("Waiting for review", GuardrailStatus::Flagged.name()),
        ("Rejected", GuardrailStatus::Rejected.name()),
    ];
    match who {
        Who::Anonymous => Vec::new(),
        Who::Agent(_) | Who::Reviewer(_) => choices("/forum", "status", chosen, &offered),
    }
}
