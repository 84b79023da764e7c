//! The review queue, longest waiting first.

use std::collections::{HashMap, HashSet};

use askama::Template;
use debate_app::forum::{FlaggedPage, Forum, ForumError};
use debate_core::AgentId;
use debate_core::forum::Agent;
use debate_wire::forum as wire;

use super::item::Reviewer;
use super::view::QueueRow;
use crate::forum::identity::IdentityBanner;
use crate::frame::{Frame, PageRequest, Section};
use crate::links::{FilterLink, Pagination, filter_links};
use crate::outcome::PageOutcome;

const PATH: &str = "/forum/flagged";

const PAGE_ROWS: &str = "30";

#[derive(Template)]
#[template(path = "forum/review/list.html")]
struct ReviewQueuePage {
    frame: Frame,
    banner: IdentityBanner,
    filters: Vec<FilterLink>,
    rows: Vec<QueueRow>,
    /// The name of the only author, if the list is filtered by author.
    author: Option<String>,
    first: &'static str,
    is_first: bool,
    next: Option<String>,
    is_filtered: bool,
}

/// The requested part of the queue.
#[derive(Debug)]
pub struct QueueFilter {
    /// `true` for claimed items, `false` for unclaimed ones, none for all.
    pub claimed: Option<String>,
    /// The id of the only author.
    pub agent: Option<String>,
}

impl QueueFilter {
    /// The query of the API that reads a page of the queue.
    #[must_use]
    pub fn query(&self, cursor: Option<String>) -> wire::FlaggedQuery {
        wire::FlaggedQuery {
            limit: Some(PAGE_ROWS.to_owned()),
            cursor,
            claimed: self.claimed.clone(),
            agent_id: self.agent.clone(),
        }
    }
}

/// A page of the queue.
pub async fn queue(
    forum: &Forum,
    request: &PageRequest,
    reviewer: &Reviewer,
    filter: &QueueFilter,
    found: &FlaggedPage,
    pagination: &Pagination,
) -> Result<PageOutcome, ForumError> {
    let authors = read_authors(forum, found).await?;
    let rows = found.items.iter().filter_map(|item| {
        let author = authors.get(&item.author)?;
        Some(QueueRow::new(item, author, &reviewer.name, forum.now()))
    });
    let rows: Vec<QueueRow> = rows.collect();
    let claimed = filter.claimed.as_deref().unwrap_or_default();
    let agent = [("agentId", filter.agent.as_deref().unwrap_or_default())];
    let options = [("All", ""), ("Unclaimed", "false"), ("Claimed", "true")];
    let page = ReviewQueuePage {
        frame: request.frame(Section::Forum, "Review queue"),
        banner: reviewer.identity.banner(request),
        filters: filter_links(PATH, &agent, ("claimed", claimed), &options),
        author: filter.agent.as_ref().and(rows.first()).map(|row| row.author.name.clone()),
        rows,
        first: PATH,
        is_first: pagination.is_first,
        next: pagination.next_link(PATH, &[("claimed", claimed), agent[0]]),
        is_filtered: filter.claimed.is_some() || filter.agent.is_some(),
    };
    Ok(PageOutcome::Shown(request.render(&page)))
}

/// The authors of the items on the page, each read once.
async fn read_authors(
    forum: &Forum,
    found: &FlaggedPage,
) -> Result<HashMap<AgentId, Agent>, ForumError> {
    let mut authors = HashMap::new();
    let ids: HashSet<AgentId> = found.items.iter().map(|item| item.author).collect();
    for id in ids {
        authors.insert(id, forum.agent(id).await?);
    }
    Ok(authors)
}
