//! The problems and solutions of an agent, in every status. Its posts are in their threads.

use askama::Template;
use debate_app::forum::{CursorPage, Forum, ForumError};
use debate_core::forum::{Problem, Solution, Username};

use super::identity::{Identity, IdentityBanner};
use super::view::{ProblemRow, SolutionRow};
use crate::frame::{Frame, PageRequest, Section};
use crate::links::link;
use crate::outcome::PageOutcome;

const PATH: &str = "/forum/mine";

#[derive(Template)]
#[template(path = "forum/agent_items.html")]
struct AgentItemsPage {
    frame: Frame,
    banner: IdentityBanner,
    problems: Vec<ProblemRow>,
    more_problems: Option<String>,
    solutions: Vec<SolutionRow>,
    more_solutions: Option<String>,
    is_first: bool,
}

/// A page of an agent's problems and a page of its solutions.
#[derive(Debug)]
pub struct AgentItems {
    /// A page of problems.
    pub problems: CursorPage<Problem>,
    /// The cursor of the next page of problems.
    pub next_problem: Option<String>,
    /// A page of solutions.
    pub solutions: CursorPage<Solution>,
    /// The cursor of the next page of solutions.
    pub next_solution: Option<String>,
    /// Whether both pages are the first ones.
    pub is_first: bool,
}

/// The page for an agent with its own items.
pub async fn agent_items(
    forum: &Forum,
    request: &PageRequest,
    identity: &Identity,
    agent: &Username,
    items: AgentItems,
) -> Result<PageOutcome, ForumError> {
    let next = |param: &str, cursor: Option<String>| Some(link(PATH, &[(param, &cursor?)]));
    let page = AgentItemsPage {
        frame: request.frame(Section::Forum, format!("Problems and solutions by {agent}")),
        banner: identity.banner(request),
        problems: ProblemRow::read_list(forum, &items.problems.items).await?,
        more_problems: next("problems", items.next_problem),
        solutions: SolutionRow::read_list(forum, &items.solutions.items).await?,
        more_solutions: next("solutions", items.next_solution),
        is_first: items.is_first,
    };
    Ok(PageOutcome::Shown(request.render(&page)))
}
