//! The OpenAPI document and the API reference page. Both are rendered once, from the list of
//! routes, at the first request, so that they do not delay the start.

#![expect(clippy::indexing_slicing, reason = "a JSON value indexed by a missing key is null")]

use std::sync::{Arc, LazyLock, OnceLock};

use askama::Template;
use axum::extract::State;
use axum::http::header::CONTENT_SECURITY_POLICY;
use axum::http::{HeaderMap, HeaderValue};
use axum::response::{IntoResponse, Response};
use serde_json::Value;
use utoipa::openapi::OpenApi;

use crate::document::{Document, REVALIDATED};
use crate::paths::BasePath;

/// The page may load its own style and nothing else.
const PAGE_POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; style-src 'self'; base-uri 'none'; form-action 'none'; \
     frame-ancestors 'none'",
);

/// The contract, and what is sent of it.
pub(crate) struct Documents {
    contract: OpenApi,
    base_path: BasePath,
    rendered: OnceLock<RenderedDocuments>,
}

/// Both forms, ready to be sent.
struct RenderedDocuments {
    json: Document,
    page: Document,
}

static STYLE: LazyLock<Document> = LazyLock::new(|| {
    let style = include_str!("../../templates/docs.css");
    Document::new("text/css; charset=utf-8", REVALIDATED, style)
});

impl Documents {
    pub(crate) const fn new(contract: OpenApi, base_path: BasePath) -> Self {
        Self { contract, base_path, rendered: OnceLock::new() }
    }

    fn rendered(&self) -> &RenderedDocuments {
        self.rendered.get_or_init(|| RenderedDocuments::of(&self.contract, &self.base_path))
    }
}

impl RenderedDocuments {
    fn of(contract: &OpenApi, base_path: &BasePath) -> Self {
        let json = contract.to_pretty_json().expect("the contract is made of strings and lists");
        let value = serde_json::from_str(&json).expect("what was just rendered can be read");
        let page = Page::of(&value).render_with_values(base_path);
        let page = page.expect("the template takes every contract");
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
    documents.rendered().json.answer(&headers)
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
    (policy, documents.rendered().page.answer(&headers)).into_response()
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

#[derive(Template)]
#[template(path = "docs.html")]
struct Page {
    version: String,
    sections: Vec<Section>,
    errors: Vec<Field>,
}

struct Section {
    name: String,
    description: String,
    operations: Vec<Operation>,
}

struct Operation {
    anchor: String,
    method: String,
    path: String,
    summary: String,
    description: String,
    parameters: Vec<Field>,
    body: Vec<Field>,
    answers: Vec<Answer>,
}

struct Answer {
    status: String,
    description: String,
    fields: Vec<Field>,
}

struct Field {
    name: String,
    kind: String,
    required: bool,
    description: String,
}

impl Page {
    fn of(contract: &Value) -> Self {
        let reader = Reader { contract };
        let tags = list(contract, "/tags");
        Self {
            version: text(contract, "/info/version"),
            sections: tags.iter().map(|tag| reader.section(tag)).collect(),
            errors: reader.fields(&contract["components"]["schemas"]["ErrorBody"]),
        }
    }
}

/// Finds its way about an OpenAPI document.
struct Reader<'c> {
    contract: &'c Value,
}

impl Reader<'_> {
    fn section(&self, tag: &Value) -> Section {
        let name = text(tag, "/name");
        let mut operations = Vec::new();
        for (path, item) in object(&self.contract["paths"]) {
            for (method, operation) in object(item) {
                if operation["tags"][0] == name.as_str() {
                    operations.push(self.operation(method, path, operation));
                }
            }
        }
        Section { description: text(tag, "/description"), name, operations }
    }

    fn operation(&self, method: &str, path: &str, operation: &Value) -> Operation {
        let answers = object(&operation["responses"]).map(|(status, answer)| Answer {
            status: status.clone(),
            description: description(answer),
            fields: self.answer_fields(status, &answer["content"]["application/json"]["schema"]),
        });
        Operation {
            anchor: text(operation, "/operationId"),
            method: method.to_uppercase(),
            path: path.to_owned(),
            summary: text(operation, "/summary"),
            description: description(operation),
            parameters: list(operation, "/parameters").iter().map(|p| self.parameter(p)).collect(),
            body: self.fields(&operation["requestBody"]["content"]["application/json"]["schema"]),
            answers: answers.collect(),
        }
    }

    fn parameter(&self, parameter: &Value) -> Field {
        Field {
            name: text(parameter, "/name"),
            kind: format!("{} {}", text(parameter, "/in"), self.kind(&parameter["schema"])),
            required: parameter["required"] == true,
            description: description(parameter),
        }
    }

    /// The body of a successful response, without its envelope; errors are described once, for
    /// all.
    fn answer_fields(&self, status: &str, schema: &Value) -> Vec<Field> {
        if !status.starts_with('2') {
            return Vec::new();
        }
        let whole = self.resolve(schema);
        let data = [&whole["properties"]["data"], &whole["items"]];
        let data = data.into_iter().find(|data| !data.is_null()).unwrap_or(whole);
        let data = self.resolve(data);
        match data["oneOf"].as_array() {
            Some(shapes) => shapes.iter().flat_map(|shape| self.fields(shape)).collect(),
            None => self.fields(data),
        }
    }

    fn fields(&self, schema: &Value) -> Vec<Field> {
        let schema = self.resolve(schema);
        let schema = match schema["oneOf"].as_array().and_then(|shapes| shapes.last()) {
            Some(shape) => self.resolve(shape),
            None => schema,
        };
        let required = list(schema, "/required");
        object(&schema["properties"])
            .map(|(name, property)| Field {
                name: name.clone(),
                kind: self.kind(property),
                required: required.iter().any(|field| field == name),
                description: description(property),
            })
            .collect()
    }

    fn kind(&self, schema: &Value) -> String {
        if let Some(name) = schema["$ref"].as_str().and_then(|path| path.rsplit('/').next()) {
            return match self.resolve(schema)["enum"].as_array() {
                Some(words) => {
                    words.iter().filter_map(Value::as_str).collect::<Vec<_>>().join(" | ")
                }
                None => name.to_owned(),
            };
        }
        let base = match &schema["type"] {
            Value::String(kind) if kind == "array" => {
                format!("list of {}", self.kind(&schema["items"]))
            }
            Value::String(kind) => kind.clone(),
            Value::Array(kinds) => {
                let kinds = kinds.iter().filter_map(Value::as_str).map(|kind| match kind {
                    "array" => format!("list of {}", self.kind(&schema["items"])),
                    other => other.to_owned(),
                });
                kinds.collect::<Vec<_>>().join(" | ")
            }
            Value::Null | Value::Bool(_) | Value::Number(_) | Value::Object(_) => {
                let shapes = list(schema, "/oneOf");
                shapes.iter().map(|shape| self.kind(shape)).collect::<Vec<_>>().join(" | ")
            }
        };
        match schema["format"].as_str() {
            Some("uuid") => base.replace("string", "UUID"),
            Some(_) | None => base,
        }
    }

    fn resolve<'s>(&'s self, schema: &'s Value) -> &'s Value {
        let pointer = schema["$ref"].as_str().and_then(|path| path.strip_prefix('#'));
        pointer.and_then(|pointer| self.contract.pointer(pointer)).unwrap_or(schema)
    }
}

/// A property that may be null says what it is in the shape that is not.
fn description(property: &Value) -> String {
    let shapes = list(property, "/oneOf").iter().chain([property]);
    let found = shapes.map(|shape| text(shape, "/description")).find(|text| !text.is_empty());
    found.unwrap_or_default().replace('`', "")
}

fn text(value: &Value, pointer: &str) -> String {
    value.pointer(pointer).and_then(Value::as_str).unwrap_or_default().to_owned()
}

fn list<'v>(value: &'v Value, pointer: &str) -> &'v [Value] {
    value.pointer(pointer).and_then(Value::as_array).map_or(&[], Vec::as_slice)
}

fn object(value: &Value) -> impl Iterator<Item = (&String, &Value)> {
    value.as_object().into_iter().flatten()
}
