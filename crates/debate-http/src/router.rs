//! Every route on one screen.

use std::sync::Arc;

use axum::Router;
use axum::middleware::from_fn_with_state;
use axum::response::IntoResponse;
use axum::routing::{any, get, post};
use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::response::ResponseBuilder;
use utoipa::openapi::security::{Http, HttpAuthScheme, SecurityRequirement, SecurityScheme};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{Modify, OpenApi};
use utoipa_axum::router::OpenApiRouter;
use utoipa_axum::routes;

use crate::edge::{Edge, Site};
use crate::forum::{self, Doorway};
use crate::problem::{Family, Problem};
use crate::web::forum::queue;
use crate::{arena, layers, runner, system, web};

#[derive(OpenApi)]
#[openapi(
    info(
        title = "aweave",
        description = "The debate server for AI agents: independent agents, enforced turns, \
                       a log that survives anything."
    ),
    modifiers(&MaybeToken),
    tags(
        (name = "arena", description = "Proposer, opponent, arbitrator."),
        (name = "runner", description = "Debates that run themselves: two models argue in \
            rounds, a third judges. Answers have no envelope; a failure has `detail` beside it."),
        (name = "forum", description = "Agents take stances on solutions in threads; nothing that \
            was not examined is shown. Keys of its own, an envelope of its own."),
        (name = "system", description = "The server itself."),
    )
)]
struct Contract;

/// A server may have been started with a token; the contract is the same either way.
struct MaybeToken;

impl Modify for MaybeToken {
    fn modify(&self, contract: &mut utoipa::openapi::OpenApi) {
        let bearer = SecurityScheme::Http(Http::new(HttpAuthScheme::Bearer));
        let components = contract.components.get_or_insert_default();
        components.add_security_scheme("token", bearer);
        let with_token = SecurityRequirement::new("token", Vec::<String>::new());
        contract.security = Some(vec![SecurityRequirement::default(), with_token]);
    }
}

/// What the server answers to: the service, and its description.
pub struct Routes {
    /// The service.
    pub router: Router,
    /// Its OpenAPI document, made from the same list of routes.
    pub contract: utoipa::openapi::OpenApi,
}

/// Every route, and what happens to every request.
pub fn router(edge: Edge) -> Routes {
    let (routes, contract) = OpenApiRouter::with_openapi(Contract::openapi())
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
        .split_for_parts();

    let (of_the_forum, forum_contract) = forum_routes(&edge);
    let contract = with_common_answers(contract.merge_from(forum_contract));
    let settings = Arc::clone(&edge.settings);
    let documents = system::Documents::new(contract.clone(), settings.base_path.clone());
    let router = routes
        .merge(of_the_forum)
        .merge(pages())
        .fallback(web::lost)
        .method_not_allowed_fallback(|| async { Problem::wrong_method().into_response() })
        .layer(from_fn_with_state(settings, layers::around))
        .with_state(Site::new(edge, documents));
    Routes { router, contract }
}

/// The forum's, all behind its door, which counts before anything else.
fn forum_routes(edge: &Edge) -> (Router<Site>, utoipa::openapi::OpenApi) {
    let (routes, contract) = OpenApiRouter::new()
        .routes(routes!(forum::register))
        .routes(routes!(forum::rotate_key))
        .routes(routes!(forum::me))
        .routes(routes!(forum::agent))
        .routes(routes!(forum::raise, forum::problems))
        .routes(routes!(forum::problem, forum::delete_problem))
        .routes(routes!(forum::propose, forum::solutions))
        .routes(routes!(forum::solution, forum::delete_solution))
        .routes(routes!(forum::post, forum::debates))
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
        .split_for_parts();
    let lost = || async { Problem::no_such_route() };
    let doorway = Doorway { forum: edge.forum.clone(), settings: Arc::clone(&edge.settings) };
    let routes = routes
        .route("/api/v1", any(lost))
        .route("/api/v1/{*path}", any(lost))
        .method_not_allowed_fallback(|| async { Problem::wrong_method().into_response() })
        .layer(from_fn_with_state(doorway, forum::door));
    (routes, contract)
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
        .route("/forum", get(web::forum::list))
        .route("/forum/mine", get(web::forum::mine))
        .route("/forum/problems/{problemId}", get(web::forum::problem))
        .route("/forum/solutions/{solutionId}", get(web::forum::solution))
        .route("/forum/solutions/{solutionId}/news", get(web::forum::news))
        .route("/forum/solutions/{solutionId}/events", get(web::forum::events))
        .route("/forum/solutions/{solutionId}/debates/{debateId}", get(web::forum::alone))
        .route("/forum/flagged", get(queue::list))
        .route("/forum/flagged/{evaluationId}", get(queue::one))
        .route("/forum/flagged/{evaluationId}/claim", get(queue::one).post(queue::claim))
        .route("/forum/flagged/{evaluationId}/release", get(queue::one).post(queue::release))
        .route("/forum/flagged/{evaluationId}/review", get(queue::one).post(queue::review))
        .route("/forum/login", get(web::forum::login).post(web::forum::enter))
        .route("/forum/logout", post(web::forum::leave))
        .route("/debate", get(web::arena::old_list_address))
        .route("/debate/", get(web::arena::old_list_address))
        .route("/debate/debates", get(web::arena::old_list_address))
        .route("/debate/debates/{id}", get(web::arena::old_address))
        .route("/assets/{name}", get(web::asset))
}

/// What any request can come to, said once for all of them instead of beside each.
fn with_common_answers(mut contract: utoipa::openapi::OpenApi) -> utoipa::openapi::OpenApi {
    for (path, item) in &mut contract.paths.paths {
        let (senseless, shape) = match Family::of(path) {
            Family::Arena => ("400", "Failure"),
            Family::Runner => ("422", "RunnerFailure"),
            Family::Forum => ("400", "ForumFailure"),
        };
        let operations =
            [&mut item.get, &mut item.post, &mut item.put, &mut item.patch, &mut item.delete];
        for operation in operations.into_iter().flatten() {
            let takes_body = operation.request_body.is_some();
            let takes_input = takes_body || operation.parameters.is_some();
            let common = [
                (takes_input, senseless, "The field that is named makes no sense"),
                (
                    !matches!(path.as_str(), "/health" | "/proof"),
                    "401",
                    "The token is missing or wrong",
                ),
                (true, "403", "A foreign page or name, or the rules forbid it"),
                (takes_body, "408", "The body took too long to arrive"),
                (takes_body, "413", "The body or its content is too large"),
                (takes_body, "415", "The body is not JSON"),
                (true, "503", "Too much at once, or storage is away"),
                (takes_body, "507", "The disk is full"),
            ];
            for (_, status, words) in common.into_iter().filter(|(applies, ..)| *applies) {
                let answers = &mut operation.responses.responses;
                answers.entry(status.to_owned()).or_insert_with(|| failure(words, shape));
            }
        }
    }
    contract
}

fn failure(words: &str, shape: &str) -> RefOr<utoipa::openapi::Response> {
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(shape))).build();
    ResponseBuilder::new().description(words).content("application/json", body).build().into()
}
