//! The list of debates: searched, filtered, a page at a time.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::arena::Arena;
use debate_core::arena::State as StateBadge;
use debate_wire::arena as wire;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::view::Row;
use crate::app_state::Settings;
use crate::cursor;
use crate::extract::Parse;
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::problem::Problem;

const PAGE_ROWS: &str = "30";

#[derive(Template)]
#[template(path = "pages/arena/list.html")]
struct ListPage {
    frame: Frame,
    search: String,
    filter: String,
    choices: Vec<FilterLink>,
    rows: Vec<Row>,
    total: u64,
    next: Option<String>,
    is_first: bool,
    was_deleted: bool,
}

/// One of the filters above the list.
struct FilterLink {
    words: &'static str,
    link: String,
    is_chosen: bool,
}

/// The parameters of the address.
struct ListParams {
    search: String,
    filter: String,
    cursor: Option<String>,
}

/// The filter for debates without an opponent; it is not a state.
const UNOPPOSED: &str = "UNOPPOSED";

impl ListParams {
    fn of(asked: &QueryParams) -> Self {
        Self {
            search: asked.text("q").unwrap_or_default(),
            filter: asked.text("state").unwrap_or_default(),
            cursor: asked.text("cursor"),
        }
    }

    fn query(&self) -> wire::ListQuery {
        let is_unopposed = self.filter == UNOPPOSED;
        wire::ListQuery {
            state: Some(self.filter.clone()).filter(|_| !is_unopposed),
            pending_first_opponent: is_unopposed.then(|| "true".to_owned()),
            q: Some(self.search.clone()),
            limit: Some(PAGE_ROWS.to_owned()),
            offset: None,
            cursor: self.cursor.clone(),
        }
    }

    /// The same search under another filter, or further down.
    fn link(&self, filter: &str, cursor: Option<&str>) -> String {
        let named = [("q", Some(&*self.search)), ("state", Some(filter)), ("cursor", cursor)];
        let given = named.into_iter().filter_map(|(name, value)| {
            let value = value.filter(|value| !value.is_empty())?;
            Some(format!("{name}={}", utf8_percent_encode(value, NON_ALPHANUMERIC)))
        });
        let query = given.collect::<Vec<_>>().join("&");
        if query.is_empty() { "/arena".to_owned() } else { format!("/arena?{query}") }
    }

    fn choices(&self) -> Vec<FilterLink> {
        let filters = [
            ("All", ""),
            ("Needs a ruling", StateBadge::AwaitingArbitrator.name()),
            ("Paused, needs a ruling", StateBadge::InterventionPending.name()),
            ("Waiting for the opponent", StateBadge::AwaitingOpponent.name()),
            ("Waiting for the proposer", StateBadge::AwaitingProposer.name()),
            ("No opponent yet", UNOPPOSED),
            ("Closed", StateBadge::Closed.name()),
        ];
        let choice = |(words, filter)| FilterLink {
            words,
            link: self.link(filter, None),
            is_chosen: self.filter == filter,
        };
        filters.into_iter().map(choice).collect()
    }
}

/// `GET /arena`
pub(crate) async fn list(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    visitor: Visitor,
    asked: QueryParams,
) -> Result<Response, Problem> {
    let params = ListParams::of(&asked);
    let found = arena.list(params.query().parse(&settings)?).await?;
    let next = found.next.map(|next| cursor::render(next.updated_at, next.debate));
    Ok(visitor.page(&ListPage {
        frame: visitor.frame(Section::Arena, "Debates"),
        choices: params.choices(),
        rows: found.debates.into_iter().map(Row::from).collect(),
        total: found.total,
        next: next.map(|cursor| params.link(&params.filter, Some(&cursor))),
        is_first: params.cursor.is_none(),
        was_deleted: asked.text("deleted").is_some(),
        search: params.search,
        filter: params.filter,
    }))
}
