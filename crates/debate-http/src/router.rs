//! Every route on one screen.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{any, get, post};
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use crate::edge::{Edge, Site};
use crate::forum::{self, Doorway};
use crate::layers::Gate;
use crate::problem::Problem;
use crate::render_queue::{RenderQueue, limit_renders};
use crate::web::forum::queue;
use crate::wrong_tokens::WrongTokens;
use crate::{arena, layers, openapi, runner, system, web};

/// What the server answers to: the service, and its description.
pub struct Routes {
    /// The service.
    pub router: Router,
    /// Its OpenAPI document, made from the same list of routes.
    pub contract: utoipa::openapi::OpenApi,
}

/// Every route, and what happens to every request.
pub fn router(edge: Edge) -> Routes {
    let (routes, document) = routes().split_for_parts();
    let (forum_routes, forum_document) = forum_routes().split_for_parts();
    let settings = Arc::clone(&edge.settings);
    let contract = openapi::complete(document.merge_from(forum_document));
    let contract = openapi::with_base_path(contract, &settings.base_path);
    let documents = system::Documents::new(contract.clone(), settings.base_path.clone());
    let per_minute = settings.wrong_tokens_per_minute;
    let wrong_tokens = Arc::new(WrongTokens::new(edge.limiter.clone(), per_minute));
    let sessions = edge.sessions.clone();
    let gate = Gate { settings, wrong_tokens: Arc::clone(&wrong_tokens), sessions };
    let router = routes
        .merge(behind_the_door(forum_routes, &edge))
        .merge(forum_pages(&edge))
        .merge(pages())
        .fallback(web::lost)
        .method_not_allowed_fallback(|| async { Problem::wrong_method().into_response() })
        .layer(from_fn_with_state(gate, layers::around))
        .with_state(Site::new(edge, documents, wrong_tokens));
    Routes { router, contract }
}

/// The OpenAPI document of every server of this build.
#[must_use]
pub fn contract() -> utoipa::openapi::OpenApi {
    let document = routes().into_openapi().merge_from(forum_routes().into_openapi());
    openapi::complete(document)
}

fn routes() -> OpenApiRouter<Site> {
    OpenApiRouter::with_openapi(openapi::document())
        .routes(routes!(arena::open, arena::list))
        .routes(routes!(arena::transcript, arena::delete))
        .routes(routes!(arena::claim))
        .routes(routes!(arena::appeal))
        .routes(routes!(arena::resolve))
        .routes(routes!(arena::intervene))
        .routes(routes!(arena::rule))
        .routes(routes!(arena::poll))
        .routes(routes!(arena::wait))
        .routes(routes!(arena::events))
        .routes(routes!(arena::socket))
        .routes(routes!(runner::create, runner::list))
        .routes(routes!(runner::story, runner::delete))
        .routes(routes!(runner::start))
        .routes(routes!(runner::resume))
        .routes(routes!(runner::retry))
        .routes(routes!(runner::stop))
        .routes(routes!(runner::cancel))
        .routes(routes!(runner::attempts))
        .routes(routes!(runner::events))
        .routes(routes!(system::health))
        .routes(routes!(system::proof))
        .routes(routes!(system::metrics))
        .routes(routes!(system::openapi))
        .routes(routes!(system::docs))
        .routes(routes!(system::docs_style))
}

fn forum_routes() -> OpenApiRouter<Site> {
    let render_queue = from_fn_with_state(RenderQueue::new(), limit_renders);
    OpenApiRouter::new()
        .routes(routes!(forum::register))
        .routes(routes!(forum::rotate_key))
        .routes(routes!(forum::me))
        .routes(routes!(forum::agent))
        .routes(routes!(forum::raise, forum::problems))
        .routes(routes!(forum::problem, forum::delete_problem))
        .routes(routes!(forum::propose, forum::solutions))
        .routes(routes!(forum::solution, forum::delete_solution))
        .routes(routes!(forum::post, forum::debates).layer(render_queue))
        .routes(routes!(forum::events))
        .routes(routes!(forum::debate))
        .routes(routes!(forum::upvote, forum::take_back_upvote))
        .routes(routes!(forum::appeal))
        .routes(routes!(forum::guardrail_status))
        .routes(routes!(forum::flagged))
        .routes(routes!(forum::flagged_one))
        .routes(routes!(forum::claim))
        .routes(routes!(forum::release))
        .routes(routes!(forum::review))
        .routes(routes!(forum::patch_agent))
}

/// The forum's routes, all behind its door, which counts before anything else.
fn behind_the_door(routes: Router<Site>, edge: &Edge) -> Router<Site> {
    let lost = || async { Problem::no_such_route() };
    let doorway = Doorway::new(edge);
    routes
        .route("/api/v1", any(lost))
        .route("/api/v1/{*path}", any(lost))
        .method_not_allowed_fallback(|| async { Problem::wrong_method().into_response() })
        .layer(from_fn_with_state(doorway, forum::door))
}

/// The pages of the forum, which count in the same rate limits as its API. Signing in and out is
/// among the other pages: a visitor whose requests are used up can still do both. Reviewers have a
/// render queue of their own, so that they can work while visitors fill the other one.
fn forum_pages(edge: &Edge) -> Router<Site> {
    let render_queue = || from_fn_with_state(RenderQueue::new(), limit_renders);
    let pages = Router::new()
        .route("/forum", get(web::forum::list))
        .route("/forum/mine", get(web::forum::mine))
        .route("/forum/problems/{problemId}", get(web::forum::problem))
        .route("/forum/solutions/{solutionId}", get(web::forum::solution))
        .route("/forum/solutions/{solutionId}/news", get(web::forum::news))
        .route("/forum/solutions/{solutionId}/debates/{debateId}", get(web::forum::alone))
        .layer(render_queue());
    let reviews = Router::new()
        .route("/forum/flagged", get(queue::list))
        .route("/forum/flagged/{evaluationId}", get(queue::one))
        .route("/forum/flagged/{evaluationId}/claim", get(queue::one).post(queue::claim))
        .route("/forum/flagged/{evaluationId}/release", get(queue::one).post(queue::release))
        .route("/forum/flagged/{evaluationId}/review", get(queue::one).post(queue::review))
        .layer(render_queue());
    pages
        .merge(reviews)
        .route("/forum/solutions/{solutionId}/events", get(web::forum::events))
        .layer(from_fn_with_state(Doorway::new(edge), web::forum::count_page))
}

/// The pages. They are no part of the contract: programs have the routes above.
fn pages() -> Router<Site> {
    Router::new()
        .route("/", get(web::home))
        .route("/login", get(web::login).post(web::enter))
        .route("/logout", post(web::leave))
        .route("/arena", get(web::arena::list))
        .route("/arena/new", get(web::arena::draft).post(web::arena::open))
        .route("/arena/{id}", get(web::arena::debate))
        .route("/arena/{id}/entries", get(web::arena::entries))
        .route("/arena/{id}/intervene", get(web::arena::intervention).post(web::arena::intervene))
        .route("/arena/{id}/rule", get(web::arena::ruling).post(web::arena::rule))
        .route("/arena/{id}/delete", get(web::arena::deletion).post(web::arena::delete))
        .route("/arena/{id}/export.json", get(web::arena::export_json))
        .route("/arena/{id}/export.md", get(web::arena::export_markdown))
        .route("/runs", get(web::runs::list))
        .route("/runs/new", get(web::runs::draft).post(web::runs::begin))
        .route("/runs/{id}", get(web::runs::run))
        .route("/runs/{id}/turns", get(web::runs::turns))
        .route("/runs/{id}/start", post(web::runs::start))
        .route("/runs/{id}/resume", post(web::runs::resume))
        .route("/runs/{id}/retry", post(web::runs::retry))
        .route("/runs/{id}/stop", post(web::runs::stop))
        .route("/runs/{id}/cancel", get(web::runs::cancellation).post(web::runs::cancel))
        .route("/runs/{id}/delete", get(web::runs::deletion).post(web::runs::delete))
        .route("/runs/{id}/export.json", get(web::runs::export_json))
        .route("/runs/{id}/export.md", get(web::runs::export_markdown))
        .route("/forum/login", get(web::forum::login).post(web::forum::enter))
        .route("/forum/logout", post(web::forum::leave))
        .route("/debate", get(web::arena::old_list_address))
        .route("/debate/", get(web::arena::old_list_address))
        .route("/debate/debates", get(web::arena::old_list_address))
        .route("/debate/debates/{id}", get(web::arena::old_address))
        .route("/guide", get(web::guide))
        .route("/guide/{name}", get(web::document))
        .route("/guide/images/{name}", get(web::picture))
        .route("/assets/{name}", get(web::asset))
}
