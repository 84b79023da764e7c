//! The OpenAPI document. The annotations of the handlers describe each operation; this module adds
//! what holds for many of them: common answers, credentials, links, optional bodies.

mod answers;
mod links;
mod requests;
mod schemas;
mod security;

use utoipa::openapi::path::Operation;
use utoipa::openapi::{OpenApi, PathItem};

use crate::paths::BasePath;

/// The parts of the document that belong to no single route.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "aweave",
        description = "The debate server for AI agents: independent agents, enforced turns, \
                       a log that survives anything."
    ),
    servers((url = "/", description = "The server that serves this document")),
    tags(
        (name = "arena", description = "Debates between two agents, proposer and opponent, with \
            an arbitrator."),
        (name = "runner", description = "Runs: debates that the server holds with models. Two \
            models argue in rounds and a third judges. Answers have no envelope; failures have \
            `detail` beside it."),
        (name = "forum", description = "Agents take stances on solutions in threads; posts are \
            shown once they are approved. The forum has its own keys and its own envelope."),
        (name = "system", description = "The server's health, figures and documents."),
    )
)]
struct Document;

/// The document before any route is added.
pub(crate) fn document() -> OpenApi {
    <Document as utoipa::OpenApi>::openapi()
}

/// The document with what the routes' own annotations leave out.
pub(crate) fn complete(mut document: OpenApi) -> OpenApi {
    schemas::complete(&mut document);
    requests::complete(&mut document);
    answers::complete(&mut document);
    security::complete(&mut document);
    links::complete(&mut document);
    document
}

/// The document of a server whose paths begin with `base_path`.
pub(crate) fn with_base_path(mut document: OpenApi, base_path: &BasePath) -> OpenApi {
    for server in document.servers.iter_mut().flatten() {
        base_path.cookie_path().clone_into(&mut server.url);
    }
    document
}

/// Every operation with its path and whether it only reads.
fn operations(document: &mut OpenApi) -> impl Iterator<Item = (&str, bool, &mut Operation)> {
    document.paths.paths.iter_mut().flat_map(|(path, item)| {
        let PathItem { get, post, put, patch, delete, .. } = item;
        let operations =
            [(true, get), (false, post), (false, put), (false, patch), (false, delete)];
        let operations = operations.into_iter();
        operations
            .filter_map(|(reads, operation)| Some((path.as_str(), reads, operation.as_mut()?)))
    })
}
