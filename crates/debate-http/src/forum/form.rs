//! Bodies of the forum: parsed, or refused with all invalid fields.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequest, Request};
use serde_json::{Map, Value};

use crate::app_state::Settings;
use crate::body::read_at_most;
use crate::error::{ErrorResponse, Invalid, Unacceptable};
use crate::extract::{Parse, from_json, is_json};

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
        let bytes = read_at_most(&parts.headers, body, BODY_BYTES_MAX, too_large).await?;
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
