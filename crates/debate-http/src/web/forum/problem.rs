//! One problem, and what was proposed for it.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::forum::Forum;
use debate_core::ProblemId;
use debate_wire::forum as wire;

use super::links::link;
use super::seat::{Seat, Sits};
use super::view::{Names, ProblemRow, SolutionRow, rendered};
use crate::edge::Settings;
use crate::forum::{At, page};
use crate::parsed::Parse;
use crate::problem::Problem;
use crate::web::markdown::Html;
use crate::web::page::{Frame, Part, Visitor};
use crate::web::query::Asked;

#[derive(Template)]
#[template(path = "web/forum/problem.html")]
struct ProblemPage {
    frame: Frame,
    sits: Sits,
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
    At(problem): At<ProblemId>,
    visitor: Visitor,
    seat: Seat,
    asked: Asked,
) -> Result<Response, Problem> {
    let page = read(&forum, &settings, problem, &visitor, &seat, asked.text("cursor")).await?;
    Ok(visitor.page(&page))
}

async fn read(
    forum: &Forum,
    settings: &Settings,
    problem: ProblemId,
    visitor: &Visitor,
    seat: &Seat,
    cursor: Option<String>,
) -> Result<ProblemPage, Problem> {
    let is_first = cursor.is_none();
    let found = forum.problem(seat.reader(), problem).await?;
    let names = Names::of(forum, [found.agent].into()).await?;
    let problem_id = Some(problem.to_string());
    let query = wire::SolutionsQuery { cursor, problem_id, ..wire::SolutionsQuery::default() };
    let solutions = forum.solutions(query.parse(settings)?.of(&seat.who)?).await?;
    let here = format!("/forum/problems/{problem}");
    let row = ProblemRow::new(&found, &names);
    let [description] = rendered([found.description.as_str().to_owned()]).await;
    Ok(ProblemPage {
        frame: visitor.frame(Part::Forum, row.title.clone()),
        sits: seat.shown(visitor),
        problem: row,
        description,
        next: page::next(&solutions).map(|next| link(&here, &[("cursor", &next)])),
        solutions: SolutionRow::list(forum, &solutions.items).await?,
        is_first,
    })
}
