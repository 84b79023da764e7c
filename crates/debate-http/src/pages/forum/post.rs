//! One post on a page of its own.

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::forum::{Forum, ForumError};

use super::entry::{Entry, entries};
use super::identity::{Identity, IdentityBanner};
use super::view::{Names, SolutionRow};
use crate::forum::{PathIds, SolutionPost};
use crate::pages::page::{Frame, Section, Visitor};
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/forum/post.html")]
struct SinglePostPage {
    frame: Frame,
    banner: IdentityBanner,
    solution: SolutionRow,
    entries: Vec<Entry>,
}

/// `GET /forum/solutions/{solutionId}/debates/{debateId}`
pub(crate) async fn post(
    State(forum): State<Forum>,
    PathIds(both): PathIds<SolutionPost>,
    visitor: Visitor,
    identity: Identity,
) -> Result<Response, Problem> {
    let page = read(&forum, both, &visitor, &identity).await?;
    Ok(visitor.page(&page))
}

async fn read(
    forum: &Forum,
    SolutionPost(solution, post): SolutionPost,
    visitor: &Visitor,
    identity: &Identity,
) -> Result<SinglePostPage, ForumError> {
    let reader = identity.reader();
    let found = forum.solution(reader, solution).await?;
    let post = forum.one_post(reader, solution, post).await?;
    let names = Names::of(forum, [found.agent].into()).await?;
    let row = SolutionRow::new(&found, &names);
    let frame = visitor.frame(Section::Forum, format!("#{} · {}", post.seq, row.title));
    let entries = entries(forum, reader, solution, vec![post]).await?;
    Ok(SinglePostPage { frame, banner: identity.banner(visitor), solution: row, entries })
}
