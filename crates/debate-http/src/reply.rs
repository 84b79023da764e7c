//! Successful responses, in the arena's envelope or without one.

use axum::http::header::CONTENT_TYPE;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::arena::{TakenSeat, WriteOutcome, WrittenArgument};
use debate_app::runner::CreatedRun;
use debate_core::arena::Side;
use debate_wire::{Success, arena as wire, render_time, runner};
use serde::Serialize;

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A response body and its status.
#[derive(Debug)]
pub(crate) struct Reply<T> {
    data: T,
    status: ReplyStatus,
}

#[derive(Debug)]
enum ReplyStatus {
    /// 200: the request read or deleted something.
    Ok,
    /// 201: the request created something.
    Created,
    /// 200 with `Idempotent-Replayed`: an earlier request created it.
    Replayed,
}

impl<T> Reply<T> {
    /// A response with status 200.
    pub(crate) const fn ok(data: T) -> Self {
        Self { data, status: ReplyStatus::Ok }
    }

    /// A response with status 201.
    pub(crate) const fn created(data: T) -> Self {
        Self { data, status: ReplyStatus::Created }
    }
}

impl Reply<wire::WriteResult> {
    /// 201 when fresh; 200, and a header that says so, when replayed.
    pub(crate) fn for_write(written: WrittenArgument) -> Self {
        let status = written.outcome.into();
        let (debate, argument) = (written.debate.into(), written.argument.into());
        Self { data: wire::WriteResult { debate, argument, seat: None }, status }
    }

    /// Adds the seat that the creator of a debate got.
    pub(crate) fn with_seat(mut self, seat: Option<wire::SeatGrant>) -> Self {
        self.data.seat = seat;
        self
    }
}

impl Reply<wire::SeatResult> {
    /// 201 when fresh; 200, and a header that says so, when an earlier request took the seat.
    /// `made` is the token, if the server made it.
    pub(crate) fn for_seat(side: Side, taken: TakenSeat, made: Option<String>) -> Self {
        let TakenSeat { holder, outcome } = taken;
        let seat = wire::SeatGrant {
            role: side.into(),
            holder: holder.name.as_str().to_owned(),
            since: render_time(holder.since),
            token: made.filter(|_| outcome == WriteOutcome::Fresh),
        };
        Self { data: wire::SeatResult { seat }, status: outcome.into() }
    }
}

impl From<WriteOutcome> for ReplyStatus {
    fn from(outcome: WriteOutcome) -> Self {
        match outcome {
            WriteOutcome::Fresh => Self::Created,
            WriteOutcome::Replayed => Self::Replayed,
        }
    }
}

impl<T: Serialize> IntoResponse for Reply<T> {
    fn into_response(self) -> Response {
        self.status.respond(JsonBody(Success::new(self.data)))
    }
}

/// A response of the runner, which has no envelope.
#[derive(Debug)]
pub(crate) struct BareReply<T> {
    data: T,
    status: ReplyStatus,
}

impl<T> BareReply<T> {
    /// A response with status 200.
    pub(crate) const fn ok(data: T) -> Self {
        Self { data, status: ReplyStatus::Ok }
    }
}

impl BareReply<runner::Debate> {
    /// 201 when fresh; 200, and a header that says so, when replayed.
    pub(crate) fn for_creation(created: CreatedRun) -> Self {
        match created {
            CreatedRun::Fresh(run) => Self { data: run.into(), status: ReplyStatus::Created },
            CreatedRun::Replayed(run) => Self { data: run.into(), status: ReplyStatus::Replayed },
        }
    }
}

impl<T: Serialize> IntoResponse for BareReply<T> {
    fn into_response(self) -> Response {
        self.status.respond(JsonBody(self.data))
    }
}

/// JSON in a buffer that is large enough for most responses, because growing it copies it.
struct JsonBody<T>(T);

const TYPICAL_BODY_BYTES: usize = 2048;

impl<T: Serialize> IntoResponse for JsonBody<T> {
    fn into_response(self) -> Response {
        let mut bytes = Vec::with_capacity(TYPICAL_BODY_BYTES);
        serde_json::to_writer(&mut bytes, &self.0)
            .expect("our own types are made of strings and lists");
        ([(CONTENT_TYPE, HeaderValue::from_static("application/json"))], bytes).into_response()
    }
}

impl ReplyStatus {
    fn respond(self, body: impl IntoResponse) -> Response {
        match self {
            Self::Ok => body.into_response(),
            Self::Created => (StatusCode::CREATED, body).into_response(),
            Self::Replayed => {
                let replayed = (IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
                ([replayed], body).into_response()
            }
        }
    }
}
