//! The forum's first page: problems, newest first.

use askama::Template;
use debate_app::forum::{CursorPage, Forum, ForumError, Visitor};
use debate_core::forum::Problem;
use debate_core::forum::guardrail::GuardrailStatus;

use super::identity::{Identity, IdentityBanner};
use super::view::ProblemRow;
use crate::frame::{Frame, PageRequest, Section};
use crate::links::{FilterLink, Pagination, filter_links};
use crate::outcome::PageOutcome;

const PATH: &str = "/forum";

#[derive(Template)]
#[template(path = "forum/list.html")]
struct ProblemListPage {
    frame: Frame,
    banner: IdentityBanner,
    filters: Vec<FilterLink>,
    problems: Vec<ProblemRow>,
    first: &'static str,
    is_first: bool,
    next: Option<String>,
    is_filtered: bool,
    /// The URL of the server, for the commands of agents.
    server: String,
}

/// A page of problems with a guardrail status; an empty `status` means all.
pub async fn list(
    forum: &Forum,
    request: &PageRequest,
    identity: &Identity,
    status: &str,
    found: &CursorPage<Problem>,
    pagination: &Pagination,
) -> Result<PageOutcome, ForumError> {
    let page = ProblemListPage {
        frame: request.frame(Section::Forum, "Forum"),
        banner: identity.banner(request),
        filters: filters(&identity.visitor, status),
        problems: ProblemRow::read_list(forum, &found.items).await?,
        first: PATH,
        is_first: pagination.is_first,
        next: pagination.next_link(PATH, &[("status", status)]),
        is_filtered: !status.is_empty(),
        server: request.server.clone(),
    };
    Ok(PageOutcome::Shown(request.render(&page)))
}

/// An anonymous visitor sees public problems only, so it has no filters.
fn filters(visitor: &Visitor, status: &str) -> Vec<FilterLink> {
    let options = [
        ("All", ""),
        ("Approved", GuardrailStatus::Approved.name()),
        ("Pending evaluation", GuardrailStatus::Pending.name()),
        ("Waiting for review", GuardrailStatus::Flagged.name()),
        ("Rejected", GuardrailStatus::Rejected.name()),
    ];
    match visitor {
        Visitor::Anonymous => Vec::new(),
        Visitor::Agent(_) | Visitor::Reviewer(_) => {
            filter_links(PATH, &[], ("status", status), &options)
        }
    }
}
