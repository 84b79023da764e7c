//! Comparison of responses with the OpenAPI document: every response that the tests receive must be
//! one that the document describes.

use std::collections::HashMap;
use std::sync::{Arc, LazyLock, Mutex, PoisonError};

use jsonschema::{Draft, Registry, RegistryBuilder, Validator};
use serde_json::{Value, json};

/// The URI under which schemas refer to the document.
const DOCUMENT_URI: &str = "urn:aweave:openapi";

static DOCUMENT: LazyLock<Value> = LazyLock::new(|| {
    serde_json::to_value(debate_http::contract()).expect("the document can be written")
});

static REGISTRY: LazyLock<Registry<'static>> = LazyLock::new(|| {
    let registry = Registry::new().draft(Draft::Draft202012).add(DOCUMENT_URI, &*DOCUMENT);
    registry.and_then(RegistryBuilder::prepare).expect("every reference resolves")
});

/// Compiled schemas by their JSON pointer. A test uses few of them.
static COMPILED: LazyLock<Mutex<HashMap<String, Arc<Validator>>>> = LazyLock::new(Mutex::default);

/// A response as a client received it.
pub(crate) struct Answer<'a> {
    pub(crate) method: &'a str,
    pub(crate) path: &'a str,
    pub(crate) status: u16,
    pub(crate) content_type: &'a str,
    pub(crate) body: &'a str,
}

/// Panics unless the document describes the response. Responses of operations that are not in the
/// document, and HTML pages, pass.
pub(crate) fn check(answer: &Answer<'_>) {
    let Answer { method, path, status, content_type, body } = *answer;
    let method = method.to_lowercase();
    let Some(template) = template(path) else { return };
    let operation = &DOCUMENT["paths"][template][&method];
    let kind = content_type.split(';').next().unwrap_or_default().trim();
    // The HTTP parser refuses some requests before any operation is known.
    let is_unparsed = matches!(status, 400 | 431) && kind.is_empty() && body.is_empty();
    if operation.is_null() || kind == "text/html" || is_unparsed {
        return;
    }
    let described = &operation["responses"][status.to_string()];
    assert!(!described.is_null(), "{method} {template}: {status} is not documented: {body}");
    // The schema of status 101 describes the frames that follow.
    if status == 101 {
        return;
    }
    let Some(kinds) = described["content"].as_object() else {
        assert!(body.is_empty(), "{method} {template}: {status} has no documented body: {body}");
        return;
    };
    assert!(kinds.contains_key(kind), "{method} {template}: {status} is {kind:?}: {body}");
    if kind == "application/json" {
        let schema = format!(
            "/paths/{}/{method}/responses/{status}/content/application~1json/schema",
            escape(template)
        );
        let value = serde_json::from_str(body).expect("an answer of JSON is JSON");
        validate(&schema, &value, &format!("{method} {template}: {status}"));
    }
}

/// Panics unless the document describes the server-sent event for the stream at `path`.
pub(crate) fn check_event(path: &str, name: &str, id: Option<&str>, data: &Value) {
    let Some(template) = template(path) else { return };
    let schema = format!(
        "/paths/{}/get/responses/200/content/text~1event-stream/schema/items",
        escape(template)
    );
    let mut event = json!({ "event": name, "data": data });
    if let Some(id) = id {
        event["id"] = id.into();
    }
    validate(&schema, &event, &format!("event of {template}"));
}

/// Panics unless the document describes the frame.
pub(crate) fn check_frame(frame: &Value) {
    validate("/components/schemas/ServerFrame", frame, "frame of /ws");
}

fn validate(schema: &str, value: &Value, what: &str) {
    let found: Vec<_> = validator(schema).iter_errors(value).map(|err| err.to_string()).collect();
    assert!(found.is_empty(), "{what} is not as documented: {found:#?}\n{value:#}");
}

fn validator(schema: &str) -> Arc<Validator> {
    let mut compiled = COMPILED.lock().unwrap_or_else(PoisonError::into_inner);
    let compile = || {
        let reference = json!({ "$ref": format!("{DOCUMENT_URI}#{schema}") });
        let options = jsonschema::options().with_draft(Draft::Draft202012);
        let options = options.with_registry(&REGISTRY).should_validate_formats(true);
        Arc::new(options.build(&reference).expect("the schema compiles"))
    };
    Arc::clone(compiled.entry(schema.to_owned()).or_insert_with(compile))
}

/// The documented path that a request's path fits. A literal path wins over one with parameters.
fn template(path: &str) -> Option<&'static str> {
    let path = path.split('?').next().unwrap_or_default();
    let templates = DOCUMENT["paths"].as_object()?.keys().map(String::as_str);
    let is_parameter = |part: &str| part.starts_with('{');
    let fits = |template: &&str| {
        let (wanted, given) = (template.split('/'), path.split('/'));
        wanted.clone().count() == given.clone().count()
            && wanted.zip(given).all(|(wanted, given)| {
                wanted == given || (is_parameter(wanted) && !given.is_empty())
            })
    };
    templates
        .filter(fits)
        .min_by_key(|template| template.split('/').filter(|p| is_parameter(p)).count())
}

fn escape(path: &str) -> String {
    // In a URI's fragment braces must be encoded.
    path.replace('~', "~0").replace('/', "~1").replace('{', "%7B").replace('}', "%7D")
}
