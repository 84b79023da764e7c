//! All routes on one screen: one router for each part of the server, each with its own access rules
//! and its own format of errors. No other file knows which path belongs to which part.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::routing::{get, post};
use debate_pages::Section;
use utoipa::openapi::OpenApi;
use utoipa_axum::router::{OpenApiRouter, UtoipaMethodRouterExt as _};
use utoipa_axum::routes;

use crate::access::{Access, Policy, WrongTokens};
use crate::app_state::{AppState, Services};
use crate::error::{ErrorFormat, ErrorResponse};
use crate::forum::{self, ForumAccess};
use crate::pages::no_such_page;
use crate::render_queue::{RenderQueue, limit_renders};
use crate::request_layer::{Guard, handle};
use crate::{arena, login_codes, openapi, pages, runner, system};

/// The first segments of the server's paths. A base path must not begin with one of them.
pub(crate) const SEGMENTS: [&str; 19] = [
    "api",
    "arena",
    "assets",
    "debate",
    "debates",
    "docs",
    "forum",
    "guide",
    "health",
    "login",
    "logout",
    "mcp",
    "metrics",
    "openapi.json",
    "proof",
    "runner",
    "runs",
    "session",
    "ws",
];

/// The first segments of pages. A browser is redirected from a page's address with a slash at its
/// end to the address without.
const PAGE_SEGMENTS: [&str; 7] = ["arena", "debate", "forum", "guide", "login", "logout", "runs"];

/// Whether a path is in a section of pages.
pub(crate) fn is_page(path: &str) -> bool {
    let first = path.split('/').nth(1).unwrap_or_default();
    PAGE_SEGMENTS.contains(&first)
}

/// The service and its description.
pub struct Routes {
    /// The router with all layers.
    pub router: Router,
    /// Its OpenAPI document, made from the same routes.
    pub contract: OpenApi,
}

/// All routes with their layers.
pub fn router(services: Services) -> Routes {
    let settings = Arc::clone(&services.settings);
    let contract = openapi::with_base_path(contract(), &settings.base_path);
    let documents = system::Documents::new(contract.clone(), settings.base_path.clone());
    let per_minute = settings.wrong_tokens_per_minute;
    let wrong_tokens = Arc::new(WrongTokens::new(services.rate_limiter.clone(), per_minute));
    let guard = |policy, routes: Router<AppState>| {
        let (settings, wrong_tokens) = (Arc::clone(&settings), Arc::clone(&wrong_tokens));
        let sessions = services.sessions.clone();
        let guard = Guard { policy, settings, wrong_tokens, sessions };
        routes
            .method_not_allowed_fallback(|| async { ErrorResponse::wrong_method() })
            .layer(from_fn_with_state(guard, handle))
    };
    let access = ForumAccess::new(&services);
    let unknown = Router::new().fallback(|| async { ErrorResponse::no_such_route() });
    let mut router = guard(policy(Access::Token, ErrorFormat::PageOrArena), unknown);
    for (policy, routes) in api() {
        let (routes, _) = routes.split_for_parts();
        let routes = match policy.format {
            ErrorFormat::Runner => with_fallback("/runner", routes),
            ErrorFormat::Forum => with_fallback("/api/v1", routes)
                .method_not_allowed_fallback(|| async { ErrorResponse::wrong_method() })
                .layer(from_fn_with_state(access.clone(), forum::check_access)),
            ErrorFormat::Arena | ErrorFormat::Page(_) | ErrorFormat::PageOrArena => routes,
        };
        router = router.merge(guard(policy, routes));
    }
    for (policy, routes) in page_routes(&access) {
        router = router.merge(guard(policy, routes));
    }
    Routes { router: router.with_state(AppState::new(services, documents, wrong_tokens)), contract }
}

const fn policy(access: Access, format: ErrorFormat) -> Policy {
    Policy { access, format }
}

/// Adds a response to unknown paths below `prefix`, so that the router's own layers handle them.
fn with_fallback(prefix: &str, routes: Router<AppState>) -> Router<AppState> {
    routes.nest(prefix, Router::new().fallback(|| async { ErrorResponse::no_such_route() }))
}

/// The OpenAPI document of every server of this build.
#[must_use]
pub fn contract() -> OpenApi {
    let documents = api().into_iter().map(|(policy, routes)| {
        let mut document = routes.into_openapi();
        openapi::add_common_responses(&mut document, policy);
        document
    });
    openapi::complete(documents.fold(openapi::document(), OpenApi::merge_from))
}

/// The routes of the API.
fn api() -> [(Policy, OpenApiRouter<AppState>); 7] {
    [
        (policy(Access::Token, ErrorFormat::Arena), arena_routes()),
        (
            policy(Access::TokenInQuery, ErrorFormat::Arena),
            OpenApiRouter::new().routes(routes!(arena::socket)),
        ),
        (policy(Access::Token, ErrorFormat::Runner), runner_routes()),
        (policy(Access::Open, ErrorFormat::Forum), forum_routes()),
        (
            policy(Access::Open, ErrorFormat::Arena),
            OpenApiRouter::new().routes(routes!(system::health)).routes(routes!(system::proof)),
        ),
        (
            policy(Access::Token, ErrorFormat::Arena),
            OpenApiRouter::new()
                .routes(routes!(login_codes::login_code))
                .routes(routes!(system::metrics))
                .routes(routes!(system::openapi))
                .routes(routes!(system::docs_style)),
        ),
        (
            policy(Access::Token, ErrorFormat::PageOrArena),
            OpenApiRouter::new().routes(routes!(system::docs)),
        ),
    ]
}

fn arena_routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(arena::open, arena::list))
        .routes(routes!(arena::transcript, arena::delete))
        .routes(routes!(arena::seats))
        .routes(routes!(arena::take_seat, arena::release_seat))
        .routes(routes!(arena::claim))
        .routes(routes!(arena::appeal))
        .routes(routes!(arena::resolve))
        .routes(routes!(arena::intervene))
        .routes(routes!(arena::rule))
        .routes(routes!(arena::poll))
        .routes(routes!(arena::wait))
        .routes(routes!(arena::events))
}

fn runner_routes() -> OpenApiRouter<AppState> {
    OpenApiRouter::new()
        .routes(routes!(runner::create, runner::list))
        .routes(routes!(runner::story, runner::delete))
        .routes(routes!(runner::start))
        .routes(routes!(runner::resume))
        .routes(routes!(runner::retry))
        .routes(routes!(runner::stop))
        .routes(routes!(runner::cancel))
        .routes(routes!(runner::attempts))
        .routes(routes!(runner::events))
}

fn forum_routes() -> OpenApiRouter<AppState> {
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

/// The pages by section. They are not part of the OpenAPI document: programs use the API.
fn page_routes(access: &ForumAccess) -> [(Policy, Router<AppState>); 8] {
    let page = |access, section| policy(access, ErrorFormat::Page(section));
    // Every section has a page at its root, so its unknown paths begin with a slash after it.
    let section = |segment: &str, routes: Router<AppState>| {
        routes.nest(&format!("/{segment}/"), Router::new().fallback(no_such_page))
    };
    let root = Router::new().route("/", get(pages::home));
    let login = Router::new().route("/login", get(pages::login).post(pages::enter));
    let logout = Router::new().route("/logout", post(pages::leave));
    let guide = Router::new()
        .route("/guide", get(pages::guide))
        .route("/guide/{name}", get(pages::document))
        .route("/guide/images/{name}", get(pages::image));
    let assets = Router::new().route("/assets/{name}", get(pages::asset));
    [
        (page(Access::Page, Section::Home), root),
        (page(Access::Open, Section::None), login),
        (page(Access::Page, Section::None), section("login", section("logout", logout))),
        (page(Access::Page, Section::Arena), section("debate", section("arena", arena_pages()))),
        (page(Access::Page, Section::Runner), section("runs", runner_pages())),
        (page(Access::OpenPage, Section::Forum), section("forum", forum_pages(access))),
        (page(Access::Page, Section::Guide), section("guide", guide)),
        (policy(Access::Open, ErrorFormat::Arena), assets),
    ]
}

fn arena_pages() -> Router<AppState> {
    use pages::arena as page;

    Router::new()
        .route("/arena", get(page::list))
        .route("/arena/new", get(page::show_form).post(page::create))
        .route("/arena/{id}", get(page::debate))
        .route("/arena/{id}/entries", get(page::entries))
        .route("/arena/{id}/intervene", get(page::arbitrate).post(page::intervene))
        .route("/arena/{id}/rule", get(page::arbitrate).post(page::rule))
        .route("/arena/{id}/delete", get(page::confirm_deletion).post(page::delete))
        .route("/arena/{id}/export.html", get(page::export_html))
        .route("/arena/{id}/export.json", get(page::export_json))
        .route("/arena/{id}/export.md", get(page::export_markdown))
        .route("/debate", get(page::old_list_address))
        .route("/debate/", get(page::old_list_address))
        .route("/debate/debates", get(page::old_list_address))
        .route("/debate/debates/{id}", get(page::old_address))
}

fn runner_pages() -> Router<AppState> {
    use pages::runner as page;

    Router::new()
        .route("/runs", get(page::list))
        .route("/runs/new", get(page::show_form).post(page::create))
        .route("/runs/{id}", get(page::run))
        .route("/runs/{id}/turns", get(page::turns))
        .route("/runs/{id}/start", post(page::start))
        .route("/runs/{id}/resume", post(page::resume))
        .route("/runs/{id}/retry", post(page::retry))
        .route("/runs/{id}/stop", post(page::stop))
        .route("/runs/{id}/cancel", get(page::confirm_cancellation).post(page::cancel))
        .route("/runs/{id}/delete", get(page::confirm_deletion).post(page::delete))
        .route("/runs/{id}/export.html", get(page::export_html))
        .route("/runs/{id}/export.json", get(page::export_json))
        .route("/runs/{id}/export.md", get(page::export_markdown))
}

/// The forum's pages count in the same rate limits as its API, except login and logout: a visitor
/// over the limit can still sign in and out. Reviewers have a separate render queue, so that they
/// can work while visitors fill the other one.
fn forum_pages(access: &ForumAccess) -> Router<AppState> {
    use pages::forum as page;

    let render_queue = || from_fn_with_state(RenderQueue::new(), limit_renders);
    let public = Router::new()
        .route("/forum", get(page::list))
        .route("/forum/mine", get(page::agent_items))
        .route("/forum/problems/{problemId}", get(page::problem))
        .route("/forum/solutions/{solutionId}", get(page::solution))
        .route("/forum/solutions/{solutionId}/news", get(page::new_posts))
        .route("/forum/solutions/{solutionId}/debates/{debateId}", get(page::post))
        .layer(render_queue());
    let reviews = Router::new()
        .route("/forum/flagged", get(page::queue))
        .route("/forum/flagged/{evaluationId}", get(page::item))
        .route("/forum/flagged/{evaluationId}/claim", get(page::item).post(page::claim))
        .route("/forum/flagged/{evaluationId}/release", get(page::item).post(page::release))
        .route("/forum/flagged/{evaluationId}/review", get(page::item).post(page::review))
        .layer(render_queue());
    public
        .merge(reviews)
        .route("/forum/solutions/{solutionId}/events", get(page::events))
        .layer(from_fn_with_state(access.clone(), page::count_page))
        .route("/forum/login", get(page::login).post(page::enter))
        .route("/forum/logout", post(page::leave))
}
