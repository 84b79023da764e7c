//! An agent's own problems and solutions in every status. Its posts are in their threads.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use debate_app::forum::{Forum, Visitor as Who};
use debate_wire::forum as wire;

use super::identity::{Identity, IdentityBanner};
use super::links::link;
use super::view::{ProblemRow, SolutionRow};
use crate::access::redirect_to_login;
use crate::app_state::Settings;
use crate::extract::Parse;
use crate::forum::page;
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/forum/own_items.html")]
struct OwnItemsPage {
    frame: Frame,
    banner: IdentityBanner,
    problems: Vec<ProblemRow>,
    more_problems: Option<String>,
    solutions: Vec<SolutionRow>,
    more_solutions: Option<String>,
    is_first: bool,
}

const HERE: &str = "/forum/mine";

/// `GET /forum/mine`
pub(crate) async fn own_items(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    uri: Uri,
    visitor: Visitor,
    identity: Identity,
    asked: QueryParams,
) -> Result<Response, Problem> {
    match &identity.who {
        Who::Agent(agent) => {
            let frame = visitor
                .frame(Section::Forum, format!("Problems and solutions by {}", agent.username));
            Ok(visitor.page(&read(&forum, &settings, frame, &visitor, &identity, &asked).await?))
        }
        Who::Anonymous | Who::Reviewer(_) => Ok(redirect_to_login("/forum/login", &uri)),
    }
}

async fn read(
    forum: &Forum,
    settings: &Settings,
    frame: Frame,
    visitor: &Visitor,
    identity: &Identity,
    asked: &QueryParams,
) -> Result<OwnItemsPage, Problem> {
    let mine = Some("true".to_owned());
    let (problems, solutions) = (asked.text("problems"), asked.text("solutions"));
    let is_first = problems.is_none() && solutions.is_none();
    let query = wire::ProblemsQuery { mine: mine.clone(), cursor: problems, ..Default::default() };
    let problems = forum.problems(query.parse(settings)?.for_visitor(&identity.who)?).await?;
    let query = wire::SolutionsQuery { mine, cursor: solutions, ..Default::default() };
    let solutions = forum.solutions(query.parse(settings)?.for_visitor(&identity.who)?).await?;
    Ok(OwnItemsPage {
        frame,
        banner: identity.banner(visitor),
        more_problems: page::next(&problems).map(|next| link(HERE, &[("problems", &next)])),
        problems: ProblemRow::list(forum, &problems.items).await?,
        more_solutions: page::next(&solutions).map(|next| link(HERE, &[("solutions", &next)])),
        solutions: SolutionRow::list(forum, &solutions.items).await?,
        is_first,
    })
}
