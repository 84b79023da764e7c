//! The forum's part of the home page.

use debate_app::forum::{FlaggedFilter, Forum, ForumError, Visitor};
use debate_core::forum::{PageLimit, ProblemQuery};

use super::identity::Identity;
use super::view::ProblemRow;
use crate::time::Since;

/// The number of items that are shown and counted.
const ITEMS_MAX: u32 = 5;

/// The newest problems, and a summary of the review queue for a reviewer.
#[derive(Debug)]
pub struct ForumOverview {
    pub(crate) problems: Vec<ProblemRow>,
    pub(crate) queue: Option<QueueSummary>,
}

#[derive(Debug)]
pub(crate) struct QueueSummary {
    /// The number of items, up to the limit.
    pub(crate) count: u64,
    pub(crate) has_more: bool,
    pub(crate) since: Since,
}

/// Reads the problems that an identity sees, and the review queue if it is a reviewer.
pub async fn overview(forum: &Forum, identity: &Identity) -> Result<ForumOverview, ForumError> {
    let limit = PageLimit::new(ITEMS_MAX).unwrap_or(PageLimit::DEFAULT);
    let (viewer, author, status, after) = (identity.viewer(), None, None, None);
    let found = forum.problems(ProblemQuery { viewer, author, status, after, limit }).await?;
    let problems = ProblemRow::read_list(forum, &found.items).await?;
    Ok(ForumOverview { problems, queue: queue_summary(forum, identity, limit).await? })
}

async fn queue_summary(
    forum: &Forum,
    identity: &Identity,
    limit: PageLimit,
) -> Result<Option<QueueSummary>, ForumError> {
    match identity.visitor {
        Visitor::Reviewer(_) => {}
        Visitor::Anonymous | Visitor::Agent(_) => return Ok(None),
    }
    let (claimed, author, after) = (None, None, None);
    let found = forum.flagged(FlaggedFilter { claimed, author, after, limit }).await?;
    let count = u64::try_from(found.items.len()).unwrap_or(u64::MAX);
    // The queue begins with the item that has waited longest.
    Ok(found.items.first().map(|first| QueueSummary {
        count,
        has_more: found.next.is_some(),
        since: Since(first.flagged_at.unwrap_or(first.created_at)),
    }))
}
