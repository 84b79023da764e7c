//! What an agent has brought, whatever became of it. What it said stands in its threads.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use debate_app::forum::{Forum, Visitor as Who};
use debate_wire::forum as wire;

use super::links::link;
use super::seat::{Seat, Sits};
use super::view::{ProblemRow, SolutionRow};
use crate::edge::Settings;
use crate::forum::page;
use crate::parsed::Parse;
use crate::problem::Problem;
use crate::web::face::to_door;
use crate::web::page::{Frame, Part, Visitor};
use crate::web::query::Asked;

#[derive(Template)]
#[template(path = "web/forum/mine.html")]
struct MinePage {
    frame: Frame,
    sits: Sits,
    problems: Vec<ProblemRow>,
    more_problems: Option<String>,
    solutions: Vec<SolutionRow>,
    more_solutions: Option<String>,
    is_first: bool,
}

const HERE: &str = "/forum/mine";

/// `GET /forum/mine`
pub(crate) async fn mine(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    uri: Uri,
    visitor: Visitor,
    seat: Seat,
    asked: Asked,
) -> Result<Response, Problem> {
    match &seat.who {
        Who::Agent(agent) => {
            let frame =
                visitor.frame(Part::Forum, format!("Problems and solutions by {}", agent.username));
            Ok(visitor.page(&read(&forum, &settings, frame, &visitor, &seat, &asked).await?))
        }
        Who::Anonymous | Who::Reviewer(_) => Ok(to_door("/forum/login", &uri)),
    }
}

async fn read(
    forum: &Forum,
    settings: &Settings,
    frame: Frame,
    visitor: &Visitor,
    seat: &Seat,
    asked: &Asked,
) -> Result<MinePage, Problem> {
    let mine = Some("true".to_owned());
    let (problems, solutions) = (asked.text("problems"), asked.text("solutions"));
    let is_first = problems.is_none() && solutions.is_none();
    let query = wire::ProblemsQuery { mine: mine.clone(), cursor: problems, ..Default::default() };
    let problems = forum.problems(query.parse(settings)?.of(&seat.who)?).await?;
    let query = wire::SolutionsQuery { mine, cursor: solutions, ..Default::default() };
    let solutions = forum.solutions(query.parse(settings)?.of(&seat.who)?).await?;
    Ok(MinePage {
        frame,
        sits: seat.shown(visitor),
        more_problems: page::next(&problems).map(|next| link(HERE, &[("problems", &next)])),
        problems: ProblemRow::list(forum, &problems.items).await?,
        more_solutions: page::next(&solutions).map(|next| link(HERE, &[("solutions", &next)])),
        solutions: SolutionRow::list(forum, &solutions.items).await?,
        is_first,
    })
}
