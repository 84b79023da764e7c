//! Names that lead to no debate or argument.

use axum::http::StatusCode;
use debate_core::{ArgumentId, DebateId, Reference};
use debate_wire::ErrorCode;

use super::{Invalid, Problem};

impl Problem {
    /// Whether the same request may succeed later: the store did not answer.
    pub(crate) fn is_transient(&self) -> bool {
        matches!(self.code(), ErrorCode::StorageUnavailable | ErrorCode::Overloaded)
    }

    /// No debate has this id or original id.
    pub(crate) fn unknown_debate(given: &Reference<DebateId>) -> Self {
        let message = format!("debate {given} does not exist");
        Self::new(StatusCode::NOT_FOUND, ErrorCode::DebateNotFound, message)
            .suggesting("list the debates with GET /debates")
            .with(|error| error.debate_id = Some(given.to_string()))
    }

    /// No argument has this id or original id.
    pub(crate) fn unknown_argument(given: &Reference<ArgumentId>) -> Self {
        let message = format!("argument {given} does not exist");
        Self::new(StatusCode::NOT_FOUND, ErrorCode::ArgumentNotFound, message)
            .suggesting("list the arguments with GET /debates/{id}")
            .with(|error| error.argument_id = Some(given.to_string()))
    }

    /// A waiter's position that is no argument.
    pub(crate) fn unknown_position(given: &Reference<ArgumentId>) -> Self {
        let message = format!("argument {given} does not exist");
        Self::from(Invalid { field: "argument_id".to_owned(), message })
            .suggesting("omit argument_id to start from the motion")
    }
}
