//! The page of one post.

use askama::Template;
use debate_app::forum::{Forum, ForumError};
use debate_core::{PostId, SolutionId};

use super::identity::{Identity, IdentityBanner};
use super::post_entry::{PostEntry, read_entries};
use super::view::{AuthorNames, SolutionRow};
use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::PageOutcome;

#[derive(Template)]
#[template(path = "forum/post.html")]
struct PostPage {
    frame: Frame,
    banner: IdentityBanner,
    solution: SolutionRow,
    entries: Vec<PostEntry>,
}

/// The page of a post of a solution.
pub async fn post(
    forum: &Forum,
    request: &PageRequest,
    identity: &Identity,
    solution: SolutionId,
    post: PostId,
) -> Result<PageOutcome, ForumError> {
    let viewer = identity.viewer();
    let found = forum.solution(viewer, solution).await?;
    let post = forum.post(viewer, solution, post).await?;
    let names = AuthorNames::read(forum, [found.agent].into()).await?;
    let row = SolutionRow::new(&found, &names);
    let page = PostPage {
        frame: request.frame(Section::Forum, format!("#{} · {}", post.seq, row.title)),
        entries: read_entries(forum, viewer, solution, vec![post]).await?,
        banner: identity.banner(request),
        solution: row,
    };
    Ok(PageOutcome::Shown(request.render(&page)))
}
