//! The page of a problem, with the solutions that were proposed for it.

use askama::Template;
use debate_app::forum::{CursorPage, Forum, ForumError};
use debate_core::forum::{Problem, Solution};
use debate_render::Html;

use super::identity::{Identity, IdentityBanner};
use super::view::{AuthorNames, ProblemRow, SolutionRow, render_texts};
use crate::frame::{Frame, PageRequest, Section};
use crate::links::Pagination;
use crate::outcome::PageOutcome;

#[derive(Template)]
#[template(path = "forum/problem.html")]
struct ProblemPage {
    frame: Frame,
    banner: IdentityBanner,
    problem: ProblemRow,
    description: Html,
    solutions: Vec<SolutionRow>,
    first: String,
    is_first: bool,
    next: Option<String>,
}

/// The page of a problem with a page of its solutions.
pub async fn problem(
    forum: &Forum,
    request: &PageRequest,
    identity: &Identity,
    problem: &Problem,
    solutions: &CursorPage<Solution>,
    pagination: &Pagination,
) -> Result<PageOutcome, ForumError> {
    let names = AuthorNames::read(forum, [problem.agent].into()).await?;
    let row = ProblemRow::new(problem, &names);
    let first = format!("/forum/problems/{}", problem.id);
    let [description] = render_texts([problem.description.as_str().to_owned()]).await;
    let page = ProblemPage {
        frame: request.frame(Section::Forum, row.title.clone()),
        banner: identity.banner(request),
        problem: row,
        description,
        solutions: SolutionRow::read_list(forum, &solutions.items).await?,
        is_first: pagination.is_first,
        next: pagination.next_link(&first, &[]),
        first,
    };
    Ok(PageOutcome::Shown(request.render(&page)))
}
