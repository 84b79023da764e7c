//! What waits for a person, longest first, a page at a time.

use std::collections::{HashMap, HashSet};
use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::forum::{FlaggedPage, Forum, ForumError};
use debate_core::AgentId;
use debate_core::forum::Agent;
use debate_wire::forum as wire;

use super::view::Row;
use crate::cursor;
use crate::edge::Settings;
use crate::parsed::Parse;
use crate::problem::Problem;
use crate::web::forum::links::{Choice, link};
use crate::web::forum::seat::{ReviewersSeat, Sits};
use crate::web::page::{Frame, Part, Visitor};
use crate::web::query::Asked;

const PAGE_ROWS: &str = "30";

#[derive(Template)]
#[template(path = "web/forum/queue/list.html")]
struct ListPage {
    frame: Frame,
    sits: Sits,
    choices: Vec<Choice>,
    rows: Vec<Row>,
    /// Whose alone are shown, if only one agent's are.
    only: Option<String>,
    next: Option<String>,
    is_first: bool,
    is_filtered: bool,
}

/// What the address asks for.
struct Wanted {
    claimed: Option<String>,
    agent: Option<String>,
    cursor: Option<String>,
}

impl Wanted {
    fn of(asked: &Asked) -> Self {
        let [claimed, agent, cursor] =
            ["claimed", "agentId", "cursor"].map(|name| asked.text(name));
        Self { claimed, agent, cursor }
    }

    fn query(&self) -> wire::FlaggedQuery {
        wire::FlaggedQuery {
            limit: Some(PAGE_ROWS.to_owned()),
            cursor: self.cursor.clone(),
            claimed: self.claimed.clone(),
            agent_id: self.agent.clone(),
        }
    }

    /// The same author's under another filter, or further down.
    fn link(&self, claimed: &str, cursor: &str) -> String {
        let agent = self.agent.as_deref().unwrap_or_default();
        let named = [("claimed", claimed), ("agentId", agent), ("cursor", cursor)];
        link("/forum/flagged", &named)
    }

    fn claimed(&self) -> &str {
        self.claimed.as_deref().unwrap_or_default()
    }

    fn choices(&self) -> Vec<Choice> {
        let filters = [("All", ""), ("Unclaimed", "false"), ("Claimed", "true")];
        let choice = |(words, claimed)| Choice {
            words,
            link: self.link(claimed, ""),
            is_chosen: self.claimed() == claimed,
        };
        filters.into_iter().map(choice).collect()
    }
}

/// `GET /forum/flagged`
pub(crate) async fn list(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    by: ReviewersSeat,
    visitor: Visitor,
    asked: Asked,
) -> Result<Response, Problem> {
    let wanted = Wanted::of(&asked);
    let found = forum.flagged(wanted.query().parse(&settings)?).await?;
    let authors = authors(&forum, &found).await?;
    Ok(visitor.page(&page(&wanted, &found, &authors, &by, &visitor, forum.now())))
}

/// Whoever wrote what is on the page, each looked up once.
async fn authors(
    forum: &Forum,
    found: &FlaggedPage,
) -> Result<HashMap<AgentId, Agent>, ForumError> {
    let mut known = HashMap::new();
    let agents: HashSet<AgentId> = found.items.iter().map(|waiting| waiting.author).collect();
    for agent in agents {
        known.insert(agent, forum.agent(agent).await?);
    }
    Ok(known)
}

fn page(
    wanted: &Wanted,
    found: &FlaggedPage,
    authors: &HashMap<AgentId, Agent>,
    by: &ReviewersSeat,
    visitor: &Visitor,
    now: jiff::Timestamp,
) -> ListPage {
    let rows = found.items.iter().filter_map(|waiting| {
        let author = authors.get(&waiting.author)?;
        Some(Row::new(waiting, author, &by.name, now))
    });
    let rows: Vec<Row> = rows.collect();
    let next = found.next.map(|next| cursor::render(next.at, next.id));
    ListPage {
        frame: visitor.frame(Part::Forum, "Review queue"),
        sits: by.seat.shown(visitor),
        choices: wanted.choices(),
        only: wanted.agent.as_ref().and(rows.first()).map(|row| row.author.name.clone()),
        rows,
        next: next.map(|cursor| wanted.link(wanted.claimed(), &cursor)),
        is_first: wanted.cursor.is_none(),
        is_filtered: wanted.claimed.is_some() || wanted.agent.is_some(),
    }
}
