//! The OpenAPI document and the API reference page. The server renders both from the list of routes
//! at the first request, so that they do not delay the start.

use std::sync::{Arc, LazyLock, OnceLock};

use axum::extract::State;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use debate_pages::api_reference;
use utoipa::openapi::OpenApi;

use crate::document::{Document, REVALIDATED};
use crate::paths::BasePath;

/// The page loads its own stylesheet only.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

/// The OpenAPI document, and its rendered forms.
pub(crate) struct Documents {
    contract: OpenApi,
    base_path: BasePath,
    rendered: OnceLock<RenderedDocuments>,
}

struct RenderedDocuments {
    json: Document,
    page: Document,
}

static STYLE: LazyLock<Document> = LazyLock::new(|| {
    Document::new("text/css; charset=utf-8", REVALIDATED, api_reference::STYLESHEET)
});

impl Documents {
    pub(crate) const fn new(contract: OpenApi, base_path: BasePath) -> Self {
        Self { contract, base_path, rendered: OnceLock::new() }
    }

    fn render(&self) -> &RenderedDocuments {
        self.rendered.get_or_init(|| RenderedDocuments::new(&self.contract, &self.base_path))
    }
}

impl RenderedDocuments {
    fn new(contract: &OpenApi, base_path: &BasePath) -> Self {
        let json = contract.to_pretty_json().expect("the document consists of strings and lists");
        let value = serde_json::from_str(&json).expect("the document is JSON");
        let page = api_reference::api_reference(&value, base_path.as_str());
        Self {
            json: Document::new("application/json", REVALIDATED, json),
            page: Document::new("text/html; charset=utf-8", REVALIDATED, page),
        }
    }
}

/// OpenAPI 3.1 document of this API
#[utoipa::path(
    get, path = "/openapi.json", tag = "system",
    responses(
        (status = 200, description = "The OpenAPI document", body = Value),
        (status = 304, description = "Not modified: `If-None-Match` has the current ETag"),
    )
)]
pub(crate) async fn openapi(
    State(documents): State<Arc<Documents>>,
    headers: HeaderMap,
) -> Response {
    documents.render().json.answer(&headers)
}

/// API reference as an HTML page
#[utoipa::path(
    get, path = "/docs", tag = "system",
    responses(
        (status = 200, description = "The API reference", body = String,
            content_type = "text/html"),
        (status = 304, description = "Not modified: `If-None-Match` has the current ETag"),
    )
)]
pub(crate) async fn docs(State(documents): State<Arc<Documents>>, headers: HeaderMap) -> Response {
    let policy = [(CONTENT_SECURITY_POLICY, PAGE_POLICY)];
    (policy, documents.render().page.answer(&headers)).into_response()
}

/// Style sheet of the API reference page
#[utoipa::path(
    get, path = "/docs/style.css", tag = "system",
    responses(
        (status = 200, description = "The style sheet", body = String, content_type = "text/css"),
        (status = 304, description = "Not modified: `If-None-Match` has the current ETag"),
    )
)]
pub(crate) async fn docs_style(headers: HeaderMap) -> Response {
    STYLE.answer(&headers)
}
