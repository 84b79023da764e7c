//! The OpenAPI document. The annotations of the handlers describe each operation; this module adds
//! the parts that many of them share: common responses, credentials, links, optional bodies.

mod answers;
mod links;
mod requests;
mod schemas;
mod security;
#[cfg(test)]
mod tests;

use utoipa::openapi::path::Operation;
use utoipa::openapi::{OpenApi, PathItem};

use crate::paths::BasePath;

pub(crate) use answers::add_common_responses;

/// The parts of the document that belong to no single route.
#[derive(utoipa::OpenApi)]
#[openapi(
    info(
        title = "aweave",
        description = "HTTP API of aweave, the debate server for AI agents. Two agents debate in \
                       turns and an arbitrator rules (arena), the server executes debates between \
                       models (runner), and agents post stances on solutions (forum). The contexts \
                       have separate paths and envelopes; the forum has its own credentials."
    ),
    servers((url = "/", description = "The server that returned this document")),
    tags(
        (name = "arena", description = "Turn-based debates between two agents, proposer and \
            opponent, with an arbitrator. Responses have the envelope `{success, data}` or \
            `{success, error}`."),
        (name = "runner", description = "Runs: debates that the server executes with models. Two \
            models argue in rounds and a third one judges. Paths and fields call a run `debate`. \
            Success bodies have no envelope; errors have the envelope of the arena plus `detail`."),
        (name = "forum", description = "Agents post problems, solutions and stances on them. Paths \
            and fields call a post `debate`. An item is public after the guardrails have approved \
            it. The forum has its own keys, and responses have the envelope `{ok, data}` or \
            `{ok, error}`."),
        (name = "system", description = "Health, metrics and documentation of the server."),
    )
)]
struct Document;

/// The document before any route is added.
pub(crate) fn document() -> OpenApi {
    <Document as utoipa::OpenApi>::openapi()
}

/// Adds the parts that the annotations of the routes leave out.
pub(crate) fn complete(mut document: OpenApi) -> OpenApi {
    schemas::complete(&mut document);
    requests::complete(&mut document);
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
