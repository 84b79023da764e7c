//! One problem, and what was proposed for it.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::forum::Forum;
use debate_core::ProblemId;
use debate_render::Html;
use debate_wire::forum as wire;

use super::identity::{Identity, IdentityBanner};
use super::links::link;
use super::view::{Names, ProblemRow, SolutionRow, rendered};
use crate::app_state::Settings;
use crate::extract::Parse;
use crate::forum::{PathIds, page};
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/forum/problem.html")]
struct ProblemPage {
    frame: Frame,
    banner: IdentityBanner,
    problem: ProblemRow,
    description: Html,
    solutions: Vec<SolutionRow>,
    next: Option<String>,
    is_first: bool,
}

/// `GET /forum/problems/{problemId}`
pub(crate) async fn problem(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    PathIds(problem): PathIds<ProblemId>,
    visitor: Visitor,
    identity: Identity,
    asked: QueryParams,
) -> Result<Response, Problem> {
    let page = read(&forum, &settings, problem, &visitor, &identity, asked.text("cursor")).await?;
    Ok(visitor.page(&page))
}

async fn read(
    forum: &Forum,
    settings: &Settings,
    problem: ProblemId,
    visitor: &Visitor,
    identity: &Identity,
    cursor: Option<String>,
) -> Result<ProblemPage, Problem> {
    let is_first = cursor.is_none();
    let found = forum.problem(identity.reader(), problem).await?;
    let names = Names::of(forum, [found.agent].into()).await?;
    let problem_id = Some(problem.to_string());
    let query = wire::SolutionsQuery { cursor, problem_id, ..wire::SolutionsQuery::default() };
    let solutions = forum.solutions(query.parse(settings)?.for_visitor(&identity.who)?).await?;
    let here = format!("/forum/problems/{problem}");
    let row = ProblemRow::new(&found, &names);
    let [description] = rendered([found.description.as_str().to_owned()]).await;
    Ok(ProblemPage {
        frame: visitor.frame(Section::Forum, row.title.clone()),
        banner: identity.banner(visitor),
        problem: row,
        description,
        next: page::next(&solutions).map(|next| link(&here, &[("cursor", &next)])),
        solutions: SolutionRow::list(forum, &solutions.items).await?,
        is_first,
    })
}
