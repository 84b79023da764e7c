//! Errors of the runner as answers.

use axum::http::StatusCode;
use debate_app::runner::RunnerError;
use debate_wire::ErrorCode;

use super::Problem;

impl From<RunnerError> for Problem {
    fn from(err: RunnerError) -> Self {
        let message = err.to_string();
        match err {
            RunnerError::NoSuchRun(run) => {
                Self::new(StatusCode::NOT_FOUND, ErrorCode::DebateNotFound, message)
                    .suggesting("GET /runner/debates lists the debates there are")
                    .with(|error| error.debate_id = Some(run.to_string()))
            }
            RunnerError::InvalidSetting(setting) => Self::invalid(setting.field, message)
                .suggesting("leave it out for the server's own choice"),
            RunnerError::UnknownModel { field, .. } => Self::invalid(field, message)
                .suggesting("choose one of these, or configure its provider and restart"),
            RunnerError::Unpriced(unpriced) => Self::invalid(unpriced.field, message)
                .suggesting("choose a model with a price, or configure its price and restart"),
            RunnerError::UnknownPosition(_) => {
                Self::invalid("after", message).suggesting("leave it out to begin at the beginning")
            }
            RunnerError::KeyReused => {
                Self::new(StatusCode::UNPROCESSABLE_ENTITY, ErrorCode::IdempotencyConflict, message)
                    .suggesting("send a new request with an Idempotency-Key of its own")
            }
            // Told by the handlers of commands in an answer of their own.
            RunnerError::Refused(_) => {
                Self::new(StatusCode::FORBIDDEN, ErrorCode::ActionNotAllowed, message)
            }
            RunnerError::Crowded(_) => Self::overloaded(message),
            RunnerError::Store(err) => err.into(),
        }
    }
}
