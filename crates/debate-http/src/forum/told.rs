//! Answers that went well, in the forum's envelope.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::forum::{PostPage, Posted};
use debate_core::forum::{Post, Reader, Shape};
use debate_wire::forum as wire;
use debate_wire::forum::Success;
use serde::Serialize;

use super::page;

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// Who dresses the answers to one request: they repeat its id.
pub(crate) struct Tell {
    request_id: String,
}

/// An answer and how it came about.
pub(crate) struct Told<T> {
    body: Success<T>,
    status: StatusCode,
    replayed: bool,
}

impl Tell {
    pub(super) const fn new(request_id: String) -> Self {
        Self { request_id }
    }

    /// 200.
    pub(super) fn ok<T>(self, data: T) -> Told<T> {
        let body = Success::of(data, self.request_id);
        Told { body, status: StatusCode::OK, replayed: false }
    }

    /// 201.
    pub(super) fn created<T>(self, data: T) -> Told<T> {
        Told { status: StatusCode::CREATED, ..self.ok(data) }
    }

    /// A page, and where the next one begins.
    pub(super) fn page<T>(self, items: Vec<T>, next: Option<String>) -> Told<Vec<T>> {
        let body = Success::page(items, next, self.request_id);
        Told { body, status: StatusCode::OK, replayed: false }
    }

    /// A page of posts.
    pub(super) fn posts(
        self,
        found: PostPage,
        reader: Reader,
        shape: Shape,
    ) -> Told<Vec<wire::Debate>> {
        let next = found.next.map(|path| page::post_cursor(shape, path));
        self.page(found.posts.into_iter().map(|post| debate(post, reader)).collect(), next)
    }

    /// 201 when fresh; 200, and a header that says so, when replayed.
    pub(super) fn posted(self, posted: Posted, reader: Reader) -> Told<wire::Debate> {
        match posted {
            Posted::Fresh(post) => self.created(debate(post, reader)),
            Posted::Replayed(post) => Told { replayed: true, ..self.ok(debate(post, reader)) },
        }
    }
}

fn debate(post: Post, reader: Reader) -> wire::Debate {
    wire::Debate::of(post, reader)
}

impl<T: Serialize> IntoResponse for Told<T> {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        if self.replayed {
            response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}
