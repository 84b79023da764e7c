//! Extractors: a body within limits of size and time, bytes → wire type → domain type, or an error
//! that names the field. Handlers receive
//! domain types only.

use std::collections::HashSet;
use std::str::FromStr;
use std::sync::Arc;
use std::time::Duration;

use axum::body::Body;
use axum::extract::{FromRef, FromRequest, FromRequestParts, Path, Request};
use axum::http::header::{CONTENT_ENCODING, CONTENT_LENGTH, CONTENT_TYPE};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue};
use bytes::{Bytes, BytesMut};
use debate_core::RequestKey;
use http_body_util::BodyExt;
use percent_encoding::percent_decode_str;
use serde::de::{DeserializeOwned, IgnoredAny};

use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid, Unacceptable};

/// The maximum nesting of JSON; valid bodies have at most two levels.
const DEPTH_MAX: usize = 128;

/// The maximum length of an unknown field name in an error message.
const NAME_MAX: usize = 100;

const IDEMPOTENCY_KEY: HeaderName = HeaderName::from_static("idempotency-key");

/// A wire type that can be converted to a domain type.
pub(crate) trait Parse: DeserializeOwned {
    /// The domain type that the wire type is converted to.
    type Domain;

    /// The accepted values of each field, as the end of a sentence: "`title` must be …". A field
    /// inside another one has its name as a prefix: `settings.max_rounds`.
    const FIELDS: &'static [(&'static str, &'static str)];

    /// Converts the value, or names the first invalid field.
    fn parse(self, settings: &Settings) -> Result<Self::Domain, Unacceptable>;
}

/// A parsed body. An absent one counts as `{}`, so that the error names the first missing field,
/// if there is one.
pub(crate) struct ParsedBody<W: Parse>(pub(crate) W::Domain);

impl<S, W> FromRequest<S> for ParsedBody<W>
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    W: Parse,
{
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, state: &S) -> Result<Self, ErrorResponse> {
        let settings = Arc::<Settings>::from_ref(state);
        let (parts, body) = request.into_parts();
        let bytes = read_body(&parts.headers, body, &settings).await?;
        if bytes.is_empty() {
            return Ok(Self(from_json::<W>(b"{}")?.parse(&settings)?));
        }
        if !is_json(&parts) {
            return Err(ErrorResponse::not_json());
        }
        Ok(Self(from_json::<W>(&bytes)?.parse(&settings)?))
    }
}

/// A query string, parsed to a domain type.
pub(crate) struct ParsedQuery<W: Parse>(pub(crate) W::Domain);

impl<S, W> FromRequestParts<S> for ParsedQuery<W>
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    W: Parse,
{
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let settings = Arc::<Settings>::from_ref(state);
        let query = parts.uri.query().unwrap_or_default();
        check_query(query)?;
        let wire = serde_urlencoded::from_str::<W>(query)
            .map_err(|err| Invalid { field: "query".to_owned(), message: err.to_string() })?;
        Ok(Self(wire.parse(&settings)?))
    }
}

/// The id in the path.
pub(crate) struct PathId<I>(pub(crate) I);

impl<S, I> FromRequestParts<S> for PathId<I>
where
    S: Send + Sync,
    I: FromStr,
    I::Err: std::fmt::Display,
{
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let Path(text) = Path::<String>::from_request_parts(parts, state)
            .await
            .map_err(|_| Invalid::new("debate_id", "must be percent-encoded UTF-8"))?;
        let id = text.parse().map_err(|err| Invalid::new("debate_id", err))?;
        Ok(Self(id))
    }
}

/// The value of the header `Idempotency-Key`, if it is present.
pub(crate) struct IdempotencyKey(pub(crate) Option<RequestKey>);

impl<S: Sync> FromRequestParts<S> for IdempotencyKey {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, ErrorResponse> {
        let mut values = parts.headers.get_all(IDEMPOTENCY_KEY).iter();
        let Some(value) = values.next() else { return Ok(Self(None)) };
        if values.next().is_some() {
            return Err(Invalid::new("Idempotency-Key", "must be given only once").into());
        }
        let text = str::from_utf8(value.as_bytes())
            .map_err(|_| Invalid::new("Idempotency-Key", "must be UTF-8"))?;
        let key = RequestKey::new(text.to_owned());
        Ok(Self(Some(key.map_err(|err| Invalid::new("Idempotency-Key", err))?)))
    }
}

/// The value of a query parameter; an empty one counts as absent.
pub(crate) fn non_empty(value: Option<String>) -> Option<String> {
    value.filter(|text| !text.is_empty())
}

pub(crate) fn is_json(parts: &Parts) -> bool {
    let Some(value) = parts.headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()) else {
        return false;
    };
    let essence = value.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/json")
}

/// One JSON object, as a wire type.
pub(crate) fn from_json<W: Parse>(bytes: &[u8]) -> Result<W, Invalid> {
    let body = |message: &str| Invalid { field: "body".to_owned(), message: message.to_owned() };
    // serde would read an array as the fields in order; a body is an object.
    if bytes.iter().find(|byte| !byte.is_ascii_whitespace()) != Some(&b'{') {
        return Err(body("the body must be a JSON object"));
    }
    if count_brackets(bytes) > DEPTH_MAX && depth(bytes) > DEPTH_MAX {
        return Err(body("the body is nested too deeply"));
    }
    // Only invalid bodies are parsed a second time, to find the invalid field.
    serde_json::from_slice(bytes).map_err(|_| {
        let mut json = serde_json::Deserializer::from_slice(bytes);
        match serde_path_to_error::deserialize::<_, W>(&mut json) {
            Err(err) => explain_error::<W>(&err, bytes),
            Ok(_) => body("the body must be a single JSON object with nothing after it"),
        }
    })
}

/// Names the invalid field and its accepted values.
fn explain_error<W: Parse>(
    err: &serde_path_to_error::Error<serde_json::Error>,
    bytes: &[u8],
) -> Invalid {
    let complaint = err.inner().to_string();
    let path = err.path().to_string();
    // An invalid item of a list makes the list invalid.
    let path = path.split('[').next().unwrap_or_default();
    let quoted = |prefix| complaint.strip_prefix(prefix).and_then(|rest| rest.split('`').next());
    if let Some(name) = quoted("unknown field `") {
        return unknown_field::<W>(name);
    }
    let known = |name: &str| {
        let found = W::FIELDS.iter().find(|(field, _)| *field == name);
        found.map(|(field, takes)| (last_part(field), takes))
    };
    match (quoted("missing field `").and_then(known), known(path)) {
        (Some((field, takes)), _) => Invalid::new(field, format!("is required: {takes}")),
        // serde calls some wrong types a syntax error; it is one only if the whole is not JSON.
        (None, Some((field, takes))) if serde_json::from_slice::<IgnoredAny>(bytes).is_ok() => {
            match quoted("duplicate field `") {
                Some(twice) => Invalid::new(twice, "must be given only once"),
                None => Invalid::new(field, format!("must be {takes}")),
            }
        }
        (None, Some(_) | None) => Invalid {
            field: "body".to_owned(),
            message: format!("the body cannot be parsed: {complaint}"),
        },
    }
}

/// An unknown field inside another one.
fn unknown_field<W: Parse>(name: &str) -> Invalid {
    let name: String = name.chars().take(NAME_MAX).collect();
    let inner = W::FIELDS.iter().filter(|(field, _)| field.contains('.'));
    let known: Vec<_> = inner.map(|(field, _)| last_part(field)).collect();
    Invalid::new(&name, format!("is not a setting; the settings are {}", known.join(", ")))
}

fn last_part(field: &'static str) -> &'static str {
    field.rsplit('.').next().unwrap_or(field)
}

/// The number of opening brackets: a fast upper limit of the nesting.
fn count_brackets(bytes: &[u8]) -> usize {
    bytes.iter().filter(|byte| matches!(byte, b'{' | b'[')).count()
}

/// The nesting of brackets outside strings. serde's own limit does not count inside keys
/// that are ignored.
fn depth(bytes: &[u8]) -> usize {
    let (mut depth, mut deepest, mut in_string, mut escaped) = (0_usize, 0, false, false);
    for byte in bytes {
        match (in_string, byte) {
            (true, _) if escaped => escaped = false,
            (true, b'\\') => escaped = true,
            (_, b'"') => in_string = !in_string,
            (false, b'{' | b'[') => {
                depth += 1;
                deepest = deepest.max(depth);
            }
            (false, b'}' | b']') => depth = depth.saturating_sub(1),
            (true | false, _) => {}
        }
    }
    deepest
}

/// Refuses repeated names and values that are not percent-encoded UTF-8.
fn check_query(query: &str) -> Result<(), Invalid> {
    let mut names = HashSet::new();
    for pair in query.split('&').filter(|pair| !pair.is_empty()) {
        let (name, value) = pair.split_once('=').unwrap_or((pair, ""));
        let name = decode(name).ok_or_else(encoding_error)?;
        decode(value).ok_or_else(encoding_error)?;
        if names.contains(&name) {
            return Err(Invalid::new(&name, "must be given only once"));
        }
        names.insert(name);
    }
    Ok(())
}

fn encoding_error() -> Invalid {
    Invalid { field: "query".to_owned(), message: "the query must be percent-encoded UTF-8".into() }
}

fn decode(text: &str) -> Option<String> {
    let bytes = text.as_bytes();
    let well_formed = bytes.iter().enumerate().filter(|(_, byte)| **byte == b'%').all(|(at, _)| {
        bytes.get(at + 1..at + 3).is_some_and(|hex| hex.iter().all(u8::is_ascii_hexdigit))
    });
    if !well_formed {
        return None;
    }
    percent_decode_str(text).decode_utf8().ok().map(std::borrow::Cow::into_owned)
}

/// The time limit for a whole body.
const BODY_TIMEOUT: Duration = Duration::from_secs(30);

/// The time and the number of bytes for which the server still reads a refused body. A connection
/// that is closed while the client sends is reset, and the response is lost.
const LINGER: Duration = Duration::from_secs(5);
const LINGER_BYTES_MAX: usize = 64 * 1024 * 1024;

/// The whole body, within the size limit of the settings.
pub(crate) async fn read_body(
    headers: &HeaderMap,
    body: Body,
    settings: &Settings,
) -> Result<Bytes, ErrorResponse> {
    let bytes_max = settings.body_bytes_max();
    let too_large = || ErrorResponse::body_too_large(bytes_max, settings.content_bytes_max);
    read_body_at_most(headers, body, bytes_max, too_large).await
}

/// The whole body, if it has at most `bytes_max` bytes.
pub(crate) async fn read_body_at_most(
    headers: &HeaderMap,
    body: Body,
    bytes_max: usize,
    too_large: impl Fn() -> ErrorResponse + Send,
) -> Result<Bytes, ErrorResponse> {
    if is_encoded(headers) {
        linger(body);
        return Err(ErrorResponse::encoded_body());
    }
    if announced(headers).is_some_and(|length| length > bytes_max) {
        linger(body);
        return Err(too_large());
    }
    let whole = tokio::time::timeout(BODY_TIMEOUT, collect(body, bytes_max)).await;
    match whole.map_err(|_| ErrorResponse::body_too_slow())? {
        Collected::Whole(bytes) => Ok(bytes),
        Collected::TooLarge(rest) => {
            linger(rest);
            Err(too_large())
        }
        Collected::Broken => {
            let message = "the body is incomplete or its chunked encoding is invalid".to_owned();
            Err(Invalid { field: "body".to_owned(), message }.into())
        }
    }
}

enum Collected {
    Whole(Bytes),
    TooLarge(Body),
    Broken,
}

async fn collect(mut body: Body, bytes_max: usize) -> Collected {
    let mut whole = BytesMut::new();
    while let Some(frame) = body.frame().await {
        let Ok(frame) = frame else { return Collected::Broken };
        let Ok(data) = frame.into_data() else { continue };
        if whole.len() + data.len() > bytes_max {
            return Collected::TooLarge(body);
        }
        whole.extend_from_slice(&data);
    }
    Collected::Whole(whole.freeze())
}

/// Whether the body is sent in another form than its own, such as gzip.
fn is_encoded(headers: &HeaderMap) -> bool {
    let codings = headers.get_all(CONTENT_ENCODING).iter();
    codings.map(HeaderValue::as_bytes).any(|coding| !coding.eq_ignore_ascii_case(b"identity"))
}

fn announced(headers: &HeaderMap) -> Option<usize> {
    headers.get(CONTENT_LENGTH)?.to_str().ok()?.parse().ok()
}

/// Reads and discards the rest of the body in the background, within its limits.
fn linger(mut body: Body) {
    tokio::spawn(async move {
        let drain = async {
            let mut passed = 0;
            while let Some(Ok(frame)) = body.frame().await {
                passed += frame.data_ref().map_or(0, Bytes::len);
                if passed > LINGER_BYTES_MAX {
                    return;
                }
            }
        };
        // The task ends at the time limit at the latest.
        let _ = tokio::time::timeout(LINGER, drain).await;
    });
}
