//! The same failure in the shape that whoever asked reads.

use axum::body::Body;
use axum::http::StatusCode;
use axum::http::header::CONTENT_LENGTH;
use axum::response::Response;
use debate_wire::{ErrorCode, runner};

use super::Problem;

/// Whose clients ask, by the path: each family reads failures in its own shape.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Family {
    Arena,
    Runner,
}

impl Family {
    pub(crate) fn of(path: &str) -> Self {
        let rest = path.strip_prefix("/runner");
        let is_runner = rest.is_some_and(|rest| rest.is_empty() || rest.starts_with('/'));
        if is_runner { Self::Runner } else { Self::Arena }
    }

    /// A failure as this family reads it, wherever it came from; any other answer as it is. A
    /// problem is told to the arena's clients until the family that asked is known.
    pub(crate) fn retold(self, mut response: Response) -> Response {
        let problem = response.extensions_mut().remove::<Problem>();
        match (self, problem) {
            (Self::Runner, Some(problem)) => problem.for_the_runner(response),
            (Self::Runner, None) | (Self::Arena, _) => response,
        }
    }
}

impl Problem {
    /// The same with `detail` beside the envelope, and 422 for what makes no sense.
    fn for_the_runner(mut self, told: Response) -> Response {
        if self.error.code == ErrorCode::ContentTooLarge {
            self.error.suggestion = Some("shorten the topic".to_owned());
            self.error.max_length = None;
        }
        let detail = self.error.message.clone();
        let failure = runner::Failure { success: false, error: *self.error, detail };
        let body = serde_json::to_vec(&failure).expect("our own types are made of strings");
        let (mut parts, _) = told.into_parts();
        parts.headers.remove(CONTENT_LENGTH);
        if self.status == StatusCode::BAD_REQUEST {
            parts.status = StatusCode::UNPROCESSABLE_ENTITY;
        }
        Response::from_parts(parts, Body::from(body))
    }
}
