//! Successful responses in the forum's envelope.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::forum::{CreatedPost, PostPage};
use debate_core::forum::{PostOrder, Viewer};
use debate_wire::forum as wire;
use debate_wire::forum::Success;
use serde::Serialize;

use super::page;
use crate::request_id;

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A successful response. Its envelope repeats the request id.
pub(crate) struct ForumReply<T> {
    body: Success<T>,
    status: StatusCode,
    is_replayed: bool,
}

impl<T> ForumReply<T> {
    pub(super) fn ok(data: T) -> Self {
        let body = Success::new(data, request_id::current());
        Self { body, status: StatusCode::OK, is_replayed: false }
    }

    pub(super) fn created(data: T) -> Self {
        Self { status: StatusCode::CREATED, ..Self::ok(data) }
    }
}

impl<T> ForumReply<Vec<T>> {
    /// A page of a list, and the cursor of the next one.
    pub(super) fn page(items: Vec<T>, next: Option<String>) -> Self {
        let body = Success::page(items, next, request_id::current());
        Self { body, status: StatusCode::OK, is_replayed: false }
    }
}

impl ForumReply<Vec<wire::Debate>> {
    pub(super) fn posts(found: PostPage, viewer: Viewer, shape: PostOrder) -> Self {
        let next = found.next.map(|path| page::post_cursor(shape, path));
        let posts = found.posts.into_iter().map(|post| wire::Debate::new(post, viewer));
        Self::page(posts.collect(), next)
    }
}

impl ForumReply<wire::Debate> {
    /// 201 if the post is new; 200 with `Idempotent-Replayed` if an earlier request created it.
    pub(super) fn posted(posted: CreatedPost, viewer: Viewer) -> Self {
        match posted {
            CreatedPost::Fresh(post) => Self::created(wire::Debate::new(post, viewer)),
            CreatedPost::Replayed(post) => {
                Self { is_replayed: true, ..Self::ok(wire::Debate::new(post, viewer)) }
            }
        }
    }
}

impl<T: Serialize> IntoResponse for ForumReply<T> {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        if self.is_replayed {
            response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}
