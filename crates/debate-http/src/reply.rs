//! Answers that went well, in the arena's envelope or bare.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::arena::{How, Written};
use debate_app::runner::Created;
use debate_wire::{Success, arena as wire, runner};
use serde::Serialize;

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// An answer and how it came about.
#[derive(Debug)]
pub(crate) struct Reply<T> {
    data: T,
    how: Asked,
}

#[derive(Debug)]
enum Asked {
    /// Something was read, or taken away.
    Done,
    /// Something was added.
    Added,
    /// Something had been added before, by the same request.
    AddedBefore,
}

impl<T> Reply<T> {
    /// 200.
    pub(crate) const fn ok(data: T) -> Self {
        Self { data, how: Asked::Done }
    }
}

impl Reply<wire::Written> {
    /// 201 when fresh; 200, and a header that says so, when replayed.
    pub(crate) fn written(written: Written) -> Self {
        let how = match written.how {
            How::Fresh => Asked::Added,
            How::Replayed => Asked::AddedBefore,
        };
        let data =
            wire::Written { debate: written.debate.into(), argument: written.argument.into() };
        Self { data, how }
    }
}

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        self.how.dress(Sheet(Success::of(self.data)))
    }
}

/// An answer of the runner's family, which has no envelope.
#[derive(Debug)]
pub(crate) struct Bare<T> {
    data: T,
    how: Asked,
}

impl<T> Bare<T> {
    /// 200.
    pub(crate) const fn ok(data: T) -> Self {
        Self { data, how: Asked::Done }
    }
}

impl Bare<runner::Debate> {
    /// 201 when fresh; 200, and a header that says so, when replayed.
    pub(crate) fn created(created: Created) -> Self {
        match created {
            Created::Fresh(run) => Self { data: run.into(), how: Asked::Added },
            Created::Replayed(run) => Self { data: run.into(), how: Asked::AddedBefore },
        }
    }
}

impl<T: Serialize> IntoResponse for Bare<T> {
    fn into_response(self) -> Response {
        self.how.dress(Sheet(self.data))
    }
}

/// JSON in a buffer that most answers fit into: one that grows is copied at each step.
struct Sheet<T>(T);

const ANSWER_USUAL: usize = 2048;

impl<T: Serialize> IntoResponse for Sheet<T> {
    fn into_response(self) -> Response {
        let mut bytes = Vec::with_capacity(ANSWER_USUAL);
        serde_json::to_writer(&mut bytes, &self.0)
            .expect("our own types are made of strings and lists");
        ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response()
    }
}

impl Asked {
    fn dress(self, body: impl IntoResponse) -> Response {
        match self {
            Self::Done => body.into_response(),
            Self::Added => (StatusCode::CREATED, body).into_response(),
            Self::AddedBefore => {
                let replayed = (IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
                ([replayed], body).into_response()
            }
        }
    }
}
