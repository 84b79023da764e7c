//! The list of debates: searched, filtered, a page at a time.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::arena::Arena;
use debate_core::arena::State as Standing;
use debate_wire::arena as wire;
use percent_encoding::{NON_ALPHANUMERIC, utf8_percent_encode};

use super::view::Row;
use crate::cursor;
use crate::edge::Settings;
use crate::parsed::Parse;
use crate::problem::Problem;
use crate::web::page::{Frame, Part, Visitor};
use crate::web::query::Asked;

const PAGE_ROWS: &str = "30";

#[derive(Template)]
#[template(path = "web/arena/list.html")]
struct ListPage {
    frame: Frame,
    search: String,
    filter: String,
    choices: Vec<Choice>,
    rows: Vec<Row>,
    total: u64,
    next: Option<String>,
    is_first: bool,
    was_deleted: bool,
}

/// One of the filters above the list.
struct Choice {
    words: &'static str,
    link: String,
    is_chosen: bool,
}

/// What the address asks for.
struct Wanted {
    search: String,
    filter: String,
    cursor: Option<String>,
}

/// The filter that is no state: debates that nobody has opposed.
const UNOPPOSED: &str = "UNOPPOSED";

impl Wanted {
    fn of(asked: &Asked) -> Self {
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

    fn choices(&self) -> Vec<Choice> {
        let filters = [
            ("All", ""),
            ("Needs a ruling", Standing::AwaitingArbitrator.name()),
            ("Paused, needs a ruling", Standing::InterventionPending.name()),
            ("Waiting for the opponent", Standing::AwaitingOpponent.name()),
            ("Waiting for the proposer", Standing::AwaitingProposer.name()),
            ("No opponent yet", UNOPPOSED),
            ("Closed", Standing::Closed.name()),
        ];
        let choice = |(words, filter)| Choice {
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
    asked: Asked,
) -> Result<Response, Problem> {
    let wanted = Wanted::of(&asked);
    let found = arena.list(wanted.query().parse(&settings)?).await?;
    let next = found.next.map(|next| cursor::render(next.updated_at, next.debate));
    Ok(visitor.page(&ListPage {
        frame: visitor.frame(Part::Arena, "Debates"),
        choices: wanted.choices(),
        rows: found.debates.into_iter().map(Row::from).collect(),
        total: found.total,
        next: next.map(|cursor| wanted.link(&wanted.filter, Some(&cursor))),
        is_first: wanted.cursor.is_none(),
        was_deleted: asked.text("deleted").is_some(),
        search: wanted.search,
        filter: wanted.filter,
    }))
}
