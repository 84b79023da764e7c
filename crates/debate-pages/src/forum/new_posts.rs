//! New posts of an open page, rendered like the page.

use askama::Template;
use debate_app::forum::{FeedQuery, Forum, ForumError};
use debate_core::forum::Viewer;
use debate_core::{Seq, SolutionId};

use super::post_entry::{PostEntry, read_entries};
use super::view::{AuthorNames, SolutionRow};
use crate::frame::PageRequest;
use crate::outcome::PageOutcome;

/// New posts and the changed parts of an open page, which its script inserts.
#[derive(Template)]
#[template(path = "forum/new_posts.html")]
struct NewPosts {
    solution: SolutionRow,
    entries: Vec<PostEntry>,
    /// The last position of these posts, and the last position of the feed.
    through: Seq,
    last: Seq,
}

/// The posts of a solution's feed after a position; none if the feed has no such position.
pub async fn new_posts(
    forum: &Forum,
    request: &PageRequest,
    viewer: Viewer,
    solution: SolutionId,
    after: Seq,
) -> Result<Option<PageOutcome>, ForumError> {
    let feed = forum.feed(FeedQuery { viewer, solution, after }).await?;
    if after > feed.last {
        return Ok(None);
    }
    let found = forum.solution(viewer, solution).await?;
    let names = AuthorNames::read(forum, [found.agent].into()).await?;
    let posts = feed.newer.into_iter().map(|(_, post)| post).collect();
    let fragment = NewPosts {
        solution: SolutionRow::new(&found, &names),
        entries: read_entries(forum, viewer, solution, posts).await?,
        through: feed.through,
        last: feed.last,
    };
    Ok(Some(PageOutcome::Shown(request.render(&fragment))))
}
