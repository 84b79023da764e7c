//! Handlers that read debates. A short transcript is sent at once; a long one is sent page by page,
//! so that at most a page of it is in memory.

use axum::body::Body;
use axum::extract::State;
use axum::http::HeaderValue;
use axum::http::header::CONTENT_TYPE;
use axum::response::{IntoResponse, Response};
use bytes::Bytes;
use debate_app::arena::{Arena, Transcript};
use debate_core::arena::Argument;
use debate_core::{DebateId, Seq};
use debate_wire::{Failure, Success, arena as wire};
use futures_util::stream::{self, StreamExt, TryStreamExt};
use serde::Serialize;

use super::resolve::PathDebate;
use crate::cursor;
use crate::error::ErrorResponse;
use crate::extract::ParsedQuery;
use crate::reply::Reply;

/// List debates, most recently changed first
///
/// Filters combine. Pass `next_cursor` as `cursor` to read the next page.
#[utoipa::path(
    get, path = "/debates", tag = "arena", params(wire::ListQuery),
    responses(
        (status = 200, description = "A page of debates", body = Success<wire::DebateList>),
        (status = 400, description = "A parameter is invalid; see `error.field`", body = Failure),
    )
)]
pub(crate) async fn list(
    State(arena): State<Arena>,
    ParsedQuery(query): ParsedQuery<wire::ListQuery>,
) -> Result<Reply<wire::DebateList>, ErrorResponse> {
    let page = arena.list(query).await?;
    Ok(Reply::ok(wire::DebateList {
        debates: page.debates.into_iter().map(Into::into).collect(),
        total: page.total,
        next_cursor: page.next.map(|next| cursor::render(next.updated_at, next.debate)),
    }))
}

/// Read a debate and its arguments
///
/// Returns the whole transcript, or with `limit` its newest arguments. The motion is always
/// included.
#[utoipa::path(
    get, path = "/debates/{id}", tag = "arena",
    params(wire::DebatePath, wire::DebateQuery),
    responses(
        (status = 200, description = "The debate, its motion and its arguments",
            body = Success<wire::Transcript>),
        (status = 404, description = "The debate does not exist", body = Failure),
    )
)]
pub(crate) async fn transcript(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    ParsedQuery(newest): ParsedQuery<wire::DebateQuery>,
) -> Result<Response, ErrorResponse> {
    let first_page = arena.transcript(debate, newest).await?;
    Ok(transcript_response(arena, first_page))
}

/// An error after the response has begun; the client sees a truncated body.
type StreamError = Box<dyn std::error::Error + Send + Sync>;

pub(crate) fn transcript_response(arena: Arena, first: Transcript) -> Response {
    match first.rest() {
        None => Reply::ok(to_wire(first)).into_response(),
        Some(rest) => match opening(&first) {
            Ok(opening) => stream_pages(arena, first.debate.id, opening, rest, first.through),
            Err(err) => {
                tracing::error!(error = err.as_ref(), "serializing a transcript failed");
                ErrorResponse::internal().into_response()
            }
        },
    }
}

fn to_wire(transcript: Transcript) -> wire::Transcript {
    wire::Transcript {
        debate: transcript.debate.into(),
        motion: transcript.motion.into(),
        arguments: transcript.arguments.into_iter().map(Into::into).collect(),
    }
}

fn stream_pages(
    arena: Arena,
    debate: DebateId,
    opening: Vec<u8>,
    rest: Seq,
    through: Seq,
) -> Response {
    let pages = stream::try_unfold(rest, move |after| {
        let arena = arena.clone();
        async move {
            if after >= through {
                return Ok::<_, StreamError>(None);
            }
            let page = arena.page(debate, after, through).await?;
            let last = page.last().map_or(through, |argument| argument.seq);
            Ok(Some((items(page, true)?, last)))
        }
    });
    let body = stream::once(async move { Ok(opening) })
        .chain(pages)
        .chain(stream::once(async { Ok(b"]}}".to_vec()) }))
        .map_ok(Bytes::from);
    let mut response = Body::from_stream(body).into_response();
    response.headers_mut().insert(CONTENT_TYPE, HeaderValue::from_static("application/json"));
    response
}

/// Everything up to and including the first page, in the order of `wire::Transcript`.
fn opening(first: &Transcript) -> Result<Vec<u8>, StreamError> {
    let mut out = br#"{"success":true,"data":{"debate":"#.to_vec();
    write(&mut out, &wire::Debate::from(first.debate.clone()))?;
    out.extend_from_slice(br#","motion":"#);
    write(&mut out, &wire::Argument::from(first.motion.clone()))?;
    out.extend_from_slice(br#","arguments":["#);
    out.extend(items(first.arguments.clone(), false)?);
    Ok(out)
}

fn items(page: Vec<Argument>, mut comma: bool) -> Result<Vec<u8>, StreamError> {
    let mut out = Vec::new();
    for argument in page {
        if comma {
            out.push(b',');
        }
        comma = true;
        write(&mut out, &wire::Argument::from(argument))?;
    }
    Ok(out)
}

fn write(out: &mut Vec<u8>, value: &impl Serialize) -> Result<(), StreamError> {
    Ok(serde_json::to_writer(out, value)?)
}
