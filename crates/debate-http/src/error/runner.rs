//! Errors of the runner as responses.

use debate_app::runner::RunnerError;
use debate_wire::ErrorCode;

use super::ErrorResponse;

impl From<RunnerError> for ErrorResponse {
    fn from(err: RunnerError) -> Self {
        let message = err.to_string();
        match err {
            RunnerError::UnknownRun(run) => Self::new(ErrorCode::DebateNotFound, message)
                .suggesting("list the runs with GET /runner/debates")
                .with(|error| error.debate_id = Some(run.to_string())),
            RunnerError::InvalidSetting(setting) => Self::invalid(setting.field, message)
                .suggesting("omit the setting to use the server's default"),
            RunnerError::UnknownModel { field, .. } => Self::invalid(field, message)
                .suggesting("choose a configured model, or configure its provider and restart"),
            RunnerError::ModelWithoutPrice(unpriced) => Self::invalid(unpriced.field, message)
                .suggesting("choose a model with a price, or configure its price and restart"),
            RunnerError::UnknownPosition(_) => Self::invalid("after", message)
                .suggesting("omit `after` to start from the first turn"),
            RunnerError::KeyReused => Self::new(ErrorCode::IdempotencyConflict, message)
                .suggesting("use a new Idempotency-Key for a new request"),
            // The handlers of commands answer with `enqueued: false` instead.
            RunnerError::Refused(_) => Self::new(ErrorCode::ActionNotAllowed, message),
            RunnerError::TooManyWaiters(_) => Self::overloaded(message),
            RunnerError::Store(err) => err.into(),
        }
    }
}
