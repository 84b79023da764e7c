//! The forum's part of the home page.

use debate_app::forum::{FlaggedFilter, Forum, ForumError, Visitor as Who};
use debate_core::forum::{PageLimit, ProblemQuery};

use super::identity::Identity;
use super::view::ProblemRow;
use crate::pages::when::Since;

/// The number of items that are shown and counted.
const SHOWN: u32 = 5;

/// New problems, and for a reviewer the review queue.
pub(crate) struct Overview {
    pub(crate) problems: Vec<ProblemRow>,
    /// For a reviewer: the items that wait for a decision.
    pub(crate) waiting: Option<Waiting>,
}

/// The review queue in short.
pub(crate) struct Waiting {
    /// The number of items, up to the limit.
    pub(crate) count: u64,
    /// Whether there are more than that.
    pub(crate) has_more: bool,
    pub(crate) since: Since,
}

/// Reads the overview for an identity.
pub(in crate::pages) async fn overview(
    forum: &Forum,
    identity: &Identity,
) -> Result<Overview, ForumError> {
    let limit = PageLimit::new(SHOWN).unwrap_or(PageLimit::DEFAULT);
    let (reader, author, status, after) = (identity.reader(), None, None, None);
    let found = forum.problems(ProblemQuery { reader, author, status, after, limit }).await?;
    let problems = ProblemRow::list(forum, &found.items).await?;
    Ok(Overview { problems, waiting: waiting(forum, identity, limit).await? })
}

async fn waiting(
    forum: &Forum,
    identity: &Identity,
    limit: PageLimit,
) -> Result<Option<Waiting>, ForumError> {
    match identity.who {
        Who::Reviewer(_) => {}
        Who::Anonymous | Who::Agent(_) => return Ok(None),
    }
    let (claimed, author, after) = (None, None, None);
    let found = forum.flagged(FlaggedFilter { claimed, author, after, limit }).await?;
    let count = u64::try_from(found.items.len()).unwrap_or(u64::MAX);
    // The first has waited longest.
    Ok(found.items.first().map(|first| Waiting {
        count,
        has_more: found.next.is_some(),
        since: Since(first.flagged_at.unwrap_or(first.created_at)),
    }))
}
