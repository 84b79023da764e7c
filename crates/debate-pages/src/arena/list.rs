//! The list of debates, with a search and a filter.

use askama::Template;
use debate_app::arena::{Arena, ArenaError, DebateListPage};
use debate_core::arena::State;
use debate_wire::arena as wire;

use super::seats::read_rows;
use super::view::DebateRow;
use crate::frame::{Frame, PageRequest, Section};
use crate::links::{FilterLink, Pagination, filter_links};
use crate::outcome::PageOutcome;

const PATH: &str = "/arena";

const PAGE_ROWS: &str = "30";

/// The filter for debates without an opponent; it is not a state.
const UNOPPOSED: &str = "UNOPPOSED";

#[derive(Template)]
#[template(path = "arena/list.html")]
struct DebatesPage {
    frame: Frame,
    search: String,
    filter: String,
    filters: Vec<FilterLink>,
    rows: Vec<DebateRow>,
    total: u64,
    first: &'static str,
    is_first: bool,
    next: Option<String>,
    was_deleted: bool,
}

/// The requested part of the list.
#[derive(Debug)]
pub struct DebateFilter {
    /// The search text; empty for no search.
    pub search: String,
    /// The name of a state, or `UNOPPOSED`; empty for all debates.
    pub state: String,
}

impl DebateFilter {
    /// The query of the API that reads a page of this list.
    #[must_use]
    pub fn query(&self, cursor: Option<String>) -> wire::ListQuery {
        let is_unopposed = self.state == UNOPPOSED;
        wire::ListQuery {
            state: Some(self.state.clone()).filter(|_| !is_unopposed),
            pending_first_opponent: is_unopposed.then(|| "true".to_owned()),
            q: Some(self.search.clone()),
            limit: Some(PAGE_ROWS.to_owned()),
            offset: None,
            cursor,
            slug: None,
            id_prefix: None,
        }
    }

    fn links(&self) -> Vec<FilterLink> {
        let options = [
            ("All", ""),
            ("Needs a ruling", State::AwaitingArbitrator.name()),
            ("Paused, needs a ruling", State::InterventionPending.name()),
            ("Waiting for the opponent", State::AwaitingOpponent.name()),
            ("Waiting for the proposer", State::AwaitingProposer.name()),
            ("No opponent yet", UNOPPOSED),
            ("Closed", State::Closed.name()),
        ];
        filter_links(PATH, &[("q", &self.search)], ("state", &self.state), &options)
    }
}

/// A page of the list. `was_deleted` says that the browser comes from a deleted debate.
pub async fn list(
    arena: &Arena,
    request: &PageRequest,
    filter: DebateFilter,
    found: DebateListPage,
    pagination: &Pagination,
    was_deleted: bool,
) -> Result<PageOutcome, ArenaError> {
    let params = [("q", &*filter.search), ("state", &*filter.state)];
    let page = DebatesPage {
        frame: request.frame(Section::Arena, "Debates"),
        filters: filter.links(),
        rows: read_rows(arena, found.debates).await?,
        total: found.total,
        first: PATH,
        is_first: pagination.is_first,
        next: pagination.next_link(PATH, &params),
        was_deleted,
        search: filter.search,
        filter: filter.state,
    };
    Ok(PageOutcome::Shown(request.render(&page)))
}
