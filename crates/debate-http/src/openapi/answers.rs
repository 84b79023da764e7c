//! Responses that any operation can give, described once for all of them.

use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{OpenApi, Ref, RefOr};

use super::operations;
use crate::access::{Access, Policy};
use crate::error::ErrorFormat;

/// Adds the responses that every operation of a router can give.
pub(crate) fn add_common_responses(document: &mut OpenApi, policy: Policy) {
    for (_, reads, operation) in operations(document) {
        for (status, description) in common(policy, reads, operation) {
            let responses = &mut operation.responses.responses;
            let response = || failure(description, policy.format);
            responses.entry(status.to_owned()).or_insert_with(response);
        }
        add_headers(policy.format, operation);
    }
}

type Described = (&'static str, &'static str);

/// The responses that follow from the router, the method and the body alone.
fn common(
    policy: Policy,
    reads: bool,
    operation: &Operation,
) -> impl Iterator<Item = Described> + use<> {
    let is_runner = policy.format == ErrorFormat::Runner;
    let invalid = if is_runner { "422" } else { "400" };
    let takes_body = operation.request_body.is_some();
    // The forum needs no token, but keys of its own.
    let is_open = policy.access == Access::Open && policy.format != ErrorFormat::Forum;
    let is_limited = operation.operation_id.as_deref() != Some("health");
    [
        (true, invalid, "A field, parameter or header is invalid; the error names it"),
        (is_runner, "400", "The `Host` header is missing or repeated"),
        (!is_open, "401", "The token or key is missing, wrong or expired"),
        (
            true,
            "403",
            "The host, the origin of the calling page or the caller's role is not allowed",
        ),
        (takes_body, "408", "The body did not arrive within the time limit"),
        (takes_body, "413", "The body or its content exceeds its size limit"),
        (takes_body, "415", "The body is not uncompressed JSON, or `Content-Type` does not say so"),
        (is_limited, "429", "Too many requests or too many wrong tokens; see `Retry-After`"),
        (true, "500", "The server failed; its log has the cause under the request id"),
        (true, "503", "The server is overloaded or its database unavailable; see `Retry-After`"),
        (!reads, "507", "The disk of the server is full; see `Retry-After`"),
    ]
    .into_iter()
    .filter_map(|(applies, status, description)| applies.then_some((status, description)))
}

fn failure(description: &str, format: ErrorFormat) -> RefOr<Response> {
    let schema = match format {
        ErrorFormat::Arena | ErrorFormat::Page(_) | ErrorFormat::PageOrArena => "Failure",
        ErrorFormat::Runner => "RunnerFailure",
        ErrorFormat::Forum => "ForumFailure",
    };
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(schema))).build();
    ResponseBuilder::new().description(description).content("application/json", body).build().into()
}

fn add_headers(format: ErrorFormat, operation: &mut Operation) {
    for (status, response) in &mut operation.responses.responses {
        let RefOr::T(response) = response else { continue };
        let has_retry_after = matches!(status.as_str(), "429" | "503" | "507");
        if has_retry_after {
            let description = "Seconds to wait before sending the request again";
            response.headers.insert("Retry-After".to_owned(), number(description).into());
        }
        if format == ErrorFormat::Forum && (status.starts_with('2') || status == "429") {
            for (name, description) in RATE_LIMIT {
                response.headers.insert(name.to_owned(), number(description).into());
            }
        }
    }
}

const RATE_LIMIT: [(&str, &str); 3] = [
    ("X-RateLimit-Limit", "Maximum number of requests of the caller within the window"),
    ("X-RateLimit-Remaining", "Requests that the caller may still send within the window"),
    ("X-RateLimit-Reset", "Unix time in seconds at which the full limit is available again"),
];

fn number(description: &str) -> Header {
    let schema = ObjectBuilder::new().schema_type(Type::Integer).build();
    HeaderBuilder::new().schema(Some(schema)).description(Some(description)).build()
}
