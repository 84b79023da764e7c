//! The review queue, longest waiting first.

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
use crate::app_state::Settings;
use crate::cursor;
use crate::extract::Parse;
use crate::pages::forum::identity::{IdentityBanner, Reviewer};
use crate::pages::forum::links::{Choice, link};
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::problem::Problem;

const PAGE_ROWS: &str = "30";

#[derive(Template)]
#[template(path = "pages/forum/review/list.html")]
struct ListPage {
    frame: Frame,
    banner: IdentityBanner,
    choices: Vec<Choice>,
    rows: Vec<Row>,
    /// Whose alone are shown, if only one agent's are.
    only: Option<String>,
    next: Option<String>,
    is_first: bool,
    is_filtered: bool,
}

/// The parameters of the address.
struct ListParams {
    claimed: Option<String>,
    agent: Option<String>,
    cursor: Option<String>,
}

impl ListParams {
    fn of(asked: &QueryParams) -> Self {
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
    by: Reviewer,
    visitor: Visitor,
    asked: QueryParams,
) -> Result<Response, Problem> {
    let params = ListParams::of(&asked);
    let found = forum.flagged(params.query().parse(&settings)?).await?;
    let authors = authors(&forum, &found).await?;
    Ok(visitor.page(&page(&params, &found, &authors, &by, &visitor, forum.now())))
}

/// The authors of the items on the page, each read once.
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
    params: &ListParams,
    found: &FlaggedPage,
    authors: &HashMap<AgentId, Agent>,
    by: &Reviewer,
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
        frame: visitor.frame(Section::Forum, "Review queue"),
        banner: by.identity.banner(visitor),
        choices: params.choices(),
        only: params.agent.as_ref().and(rows.first()).map(|row| row.author.name.clone()),
        rows,
        next: next.map(|cursor| params.link(params.claimed(), &cursor)),
        is_first: params.cursor.is_none(),
        is_filtered: params.claimed.is_some() || params.agent.is_some(),
    }
}
