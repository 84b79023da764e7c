//! Extractors of the forum: ids in paths, and bodies, parsed or refused with all invalid fields.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequest, FromRequestParts, RawPathParams, Request};
use axum::http::request::Parts;
use debate_core::{AgentId, EvaluationId, PostId, ProblemId, SolutionId};
use serde_json::{Map, Value};

use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid, Unacceptable};
use crate::extract::{Parse, from_json, is_json, read_body_at_most};

/// The most bytes that a body of the forum has.
const BODY_BYTES_MAX: usize = 512 * 1024;

/// A body whose fields can be checked one by one.
pub(crate) trait ForumBody: Parse {
    /// A valid body, into which single fields are put to check them.
    const VALID_EXAMPLE: &'static str;
}

/// A parsed body of the forum. An absent body counts as `{}`.
pub(crate) struct ParsedForumBody<W: ForumBody>(pub(crate) W::Domain);

impl<S, W> FromRequest<S> for ParsedForumBody<W>
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
    W: ForumBody,
{
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, state: &S) -> Result<Self, ErrorResponse> {
        let settings = Arc::<Settings>::from_ref(state);
        let (parts, body) = request.into_parts();
        let too_large = || ErrorResponse::forum_body_too_large(BODY_BYTES_MAX);
        let bytes = read_body_at_most(&parts.headers, body, BODY_BYTES_MAX, too_large).await?;
        if !bytes.is_empty() && !is_json(&parts) {
            return Err(ErrorResponse::not_json());
        }
        let bytes = if bytes.is_empty() { b"{}" } else { bytes.as_ref() };
        match read::<W>(bytes, &settings) {
            Ok(meant) => Ok(Self(meant)),
            Err(Unacceptable::Invalid(first)) => {
                Err(ErrorResponse::all_invalid(all_invalid_fields::<W>(first, bytes, &settings)))
            }
            Err(other) => Err(other.into()),
        }
    }
}

fn read<W: Parse>(bytes: &[u8], settings: &Settings) -> Result<W::Domain, Unacceptable> {
    from_json::<W>(bytes)?.parse(settings)
}

/// All invalid fields of a body, in the order of its fields. Parsing stops at the first
/// error, so each field is parsed again, alone, in an otherwise valid body.
fn all_invalid_fields<W: ForumBody>(
    first: Invalid,
    bytes: &[u8],
    settings: &Settings,
) -> Vec<Invalid> {
    let is_a_field = W::FIELDS.iter().any(|(name, _)| *name == first.field);
    let (Ok(sent), Ok(sound)) = (object(bytes), object(W::VALID_EXAMPLE.as_bytes())) else {
        return vec![first];
    };
    if !is_a_field {
        return vec![first];
    }
    let alone = |name: &str| {
        let mut body = sound.clone();
        body.remove(name);
        body.extend(sent.get(name).map(|value| (name.to_owned(), value.clone())));
        match read::<W>(Value::Object(body).to_string().as_bytes(), settings) {
            Err(Unacceptable::Invalid(wrong)) => Some(wrong),
            Ok(_) | Err(Unacceptable::TooLarge(_) | Unacceptable::Cursor) => None,
        }
    };
    let mut wrong: Vec<_> = W::FIELDS.iter().filter_map(|(name, _)| alone(name)).collect();
    // A repeated field may be invalid the first time and valid the second.
    if wrong.iter().all(|one| one.field != first.field) {
        wrong.push(first);
    }
    wrong
}

fn object(bytes: &[u8]) -> serde_json::Result<Map<String, Value>> {
    serde_json::from_slice(bytes)
}

/// One or several ids from the path. The error for an invalid id names its parameter.
pub(crate) struct PathIds<I>(pub(crate) I);

/// An id that appears in paths.
pub(crate) trait NamedId: std::str::FromStr<Err: std::fmt::Display> {
    /// The name of its path parameter.
    const NAME: &'static str;
}

impl NamedId for AgentId {
    const NAME: &'static str = "agentId";
}

impl NamedId for ProblemId {
    const NAME: &'static str = "problemId";
}

impl NamedId for SolutionId {
    const NAME: &'static str = "solutionId";
}

impl NamedId for PostId {
    const NAME: &'static str = "debateId";
}

impl NamedId for EvaluationId {
    const NAME: &'static str = "evaluationId";
}

/// A value that can be read from a path.
pub(crate) trait FromPath: Sized {
    fn find(params: &RawPathParams) -> Result<Self, Invalid>;
}

impl<I: NamedId> FromPath for I {
    fn find(params: &RawPathParams) -> Result<Self, Invalid> {
        let text = params.iter().find(|(name, _)| *name == I::NAME).map(|(_, text)| text);
        text.unwrap_or_default().parse().map_err(|err| Invalid::new(I::NAME, err))
    }
}

/// The solution's id and that of one of its posts.
pub(crate) struct SolutionPost(pub(crate) SolutionId, pub(crate) PostId);

impl FromPath for SolutionPost {
    fn find(params: &RawPathParams) -> Result<Self, Invalid> {
        Ok(Self(SolutionId::find(params)?, PostId::find(params)?))
    }
}

impl<S: Send + Sync, I: FromPath> FromRequestParts<S> for PathIds<I> {
    type Rejection = ErrorResponse;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, ErrorResponse> {
        let params = RawPathParams::from_request_parts(parts, state)
            .await
            .map_err(|_| Invalid::new("path", "must be percent-encoded UTF-8"))?;
        Ok(Self(I::find(&params)?))
    }
}
