//! Lists of problems and solutions, a problem, and a post.

use std::sync::Arc;

use axum::extract::State;
use axum::http::Uri;
use axum::response::Response;
use debate_app::forum::{Forum, Visitor};
use debate_core::ProblemId;
use debate_pages::Pagination;
use debate_pages::forum::{self as pages, AgentItems};
use debate_wire::forum as wire;

use super::identity::BrowserIdentity;
use crate::access::redirect_to_login;
use crate::app_state::Settings;
use crate::error::ErrorResponse;
use crate::extract::Parse;
use crate::forum::{PathIds, SolutionPost, page};
use crate::pages::browser::{Browser, QueryParams};

pub(crate) async fn list(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    browser: Browser,
    BrowserIdentity { identity, .. }: BrowserIdentity,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let (status, cursor) = (query.text("status"), query.text("cursor"));
    let is_first = cursor.is_none();
    let body = wire::ProblemsQuery { cursor, status: status.clone(), ..Default::default() };
    let found = forum.problems(body.parse(&settings)?.for_visitor(&identity.visitor)?).await?;
    let pagination = Pagination { is_first, next: page::next(&found) };
    let (request, status) = (&browser.request, status.unwrap_or_default());
    let outcome = pages::list(&forum, request, &identity, &status, &found, &pagination).await?;
    Ok(browser.respond(outcome))
}

pub(crate) async fn problem(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    PathIds(problem): PathIds<ProblemId>,
    browser: Browser,
    BrowserIdentity { identity, .. }: BrowserIdentity,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let cursor = query.text("cursor");
    let is_first = cursor.is_none();
    let found = forum.problem(identity.viewer(), problem).await?;
    let problem_id = Some(problem.to_string());
    let body = wire::SolutionsQuery { cursor, problem_id, ..Default::default() };
    let solutions = forum.solutions(body.parse(&settings)?.for_visitor(&identity.visitor)?).await?;
    let pagination = Pagination { is_first, next: page::next(&solutions) };
    let request = &browser.request;
    let outcome = pages::problem(&forum, request, &identity, &found, &solutions, &pagination);
    Ok(browser.respond(outcome.await?))
}

pub(crate) async fn post(
    State(forum): State<Forum>,
    PathIds(SolutionPost(solution, post)): PathIds<SolutionPost>,
    browser: Browser,
    BrowserIdentity { identity, .. }: BrowserIdentity,
) -> Result<Response, ErrorResponse> {
    let outcome = pages::post(&forum, &browser.request, &identity, solution, post).await?;
    Ok(browser.respond(outcome))
}

pub(crate) async fn agent_items(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    uri: Uri,
    browser: Browser,
    identity: BrowserIdentity,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let BrowserIdentity { identity, .. } = identity;
    let Visitor::Agent(agent) = &identity.visitor else {
        return Ok(redirect_to_login("/forum/login", &uri));
    };
    let items = read_agent_items(&forum, &settings, &identity.visitor, &query).await?;
    let (request, name) = (&browser.request, &agent.username);
    let outcome = pages::agent_items(&forum, request, &identity, name, items).await?;
    Ok(browser.respond(outcome))
}

async fn read_agent_items(
    forum: &Forum,
    settings: &Settings,
    visitor: &Visitor,
    query: &QueryParams,
) -> Result<AgentItems, ErrorResponse> {
    let mine = Some("true".to_owned());
    let (problems, solutions) = (query.text("problems"), query.text("solutions"));
    let is_first = problems.is_none() && solutions.is_none();
    let body = wire::ProblemsQuery { mine: mine.clone(), cursor: problems, ..Default::default() };
    let problems = forum.problems(body.parse(settings)?.for_visitor(visitor)?).await?;
    let body = wire::SolutionsQuery { mine, cursor: solutions, ..Default::default() };
    let solutions = forum.solutions(body.parse(settings)?.for_visitor(visitor)?).await?;
    Ok(AgentItems {
        next_problem: page::next(&problems),
        problems,
        next_solution: page::next(&solutions),
        solutions,
        is_first,
    })
}
