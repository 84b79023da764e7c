//! Responses that any operation can give, described once for all of them.

use utoipa::openapi::content::ContentBuilder;
use utoipa::openapi::header::{Header, HeaderBuilder};
use utoipa::openapi::path::Operation;
use utoipa::openapi::response::{Response, ResponseBuilder};
use utoipa::openapi::schema::{ObjectBuilder, Type};
use utoipa::openapi::{OpenApi, Ref, RefOr};

use super::operations;
use crate::layers::OPEN_PATHS;
use crate::problem::Family;

pub(super) fn complete(document: &mut OpenApi) {
    for (path, reads, operation) in operations(document) {
        let family = Family::of(path);
        for (status, description) in common(path, family, reads, operation) {
            let answers = &mut operation.responses.responses;
            let answer = || failure(description, family);
            answers.entry(status.to_owned()).or_insert_with(answer);
        }
        add_headers(family, operation);
    }
}

type Described = (&'static str, &'static str);

/// The responses that follow from the path, the method and the body alone.
fn common(
    path: &str,
    family: Family,
    reads: bool,
    operation: &Operation,
) -> impl Iterator<Item = Described> + use<> {
    let invalid = match family {
        Family::Arena | Family::Forum => "400",
        Family::Runner => "422",
    };
    let takes_body = operation.request_body.is_some();
    let is_open = OPEN_PATHS.contains(&path);
    let is_limited = path != "/health";
    [
        (true, invalid, "A field, parameter or header is invalid; the error names it"),
        (family == Family::Runner, "400", "The `Host` header is missing or repeated"),
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

fn failure(description: &str, family: Family) -> RefOr<Response> {
    let shape = match family {
        Family::Arena => "Failure",
        Family::Runner => "RunnerFailure",
        Family::Forum => "ForumFailure",
    };
    let body = ContentBuilder::new().schema(Some(Ref::from_schema_name(shape))).build();
    ResponseBuilder::new().description(description).content("application/json", body).build().into()
}

fn add_headers(family: Family, operation: &mut Operation) {
    for (status, answer) in &mut operation.responses.responses {
        let RefOr::T(answer) = answer else { continue };
        let may_come_back = matches!(status.as_str(), "429" | "503" | "507");
        if may_come_back {
            let wait = "Seconds to wait before sending the request again";
            answer.headers.insert("Retry-After".to_owned(), number(wait).into());
        }
        if family == Family::Forum && (status.starts_with('2') || status == "429") {
            for (name, description) in RATE_LIMIT {
                answer.headers.insert(name.to_owned(), number(description).into());
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
