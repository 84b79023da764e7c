//! The forum at a glance, for the first page.

use debate_app::forum::{FlaggedFilter, Forum, ForumError, Visitor as Who};
use debate_core::forum::{PageLimit, ProblemQuery};

use super::seat::Seat;
use super::view::ProblemRow;
use crate::web::when::Since;

/// How many are shown, and up to how many are counted.
const SHOWN: u32 = 5;

/// What is new in the forum, and what waits for whoever looks.
pub(crate) struct Overview {
    pub(crate) problems: Vec<ProblemRow>,
    /// For a reviewer: what nobody has decided on.
    pub(crate) waiting: Option<Waiting>,
}

/// What waits for a reviewer.
pub(crate) struct Waiting {
    /// How many there are.
    pub(crate) count: u64,
    /// Whether there are more than that.
    pub(crate) has_more: bool,
    pub(crate) since: Since,
}

/// Reads it, for whoever looks.
pub(in crate::web) async fn overview(forum: &Forum, seat: &Seat) -> Result<Overview, ForumError> {
    let limit = PageLimit::new(SHOWN).unwrap_or(PageLimit::DEFAULT);
    let (reader, author, status, after) = (seat.reader(), None, None, None);
    let found = forum.problems(ProblemQuery { reader, author, status, after, limit }).await?;
    let problems = ProblemRow::list(forum, &found.items).await?;
    Ok(Overview { problems, waiting: waiting(forum, seat, limit).await? })
}

async fn waiting(
    forum: &Forum,
    seat: &Seat,
    limit: PageLimit,
) -> Result<Option<Waiting>, ForumError> {
    match seat.who {
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
