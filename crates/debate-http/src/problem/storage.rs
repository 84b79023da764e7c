//! What storage can't do, told to whoever asked, and to the log.

use std::error::Error;

use axum::http::StatusCode;
use debate_app::StoreError;
use debate_wire::ErrorCode;

use super::Problem;
use crate::layers;

impl From<StoreError> for Problem {
    fn from(err: StoreError) -> Self {
        // Logged here and nowhere else; the client learns nothing of the cause.
        let (request, cause) = (layers::current(), err.source());
        match &err {
            StoreError::Overloaded => Self::overloaded(err.to_string()),
            StoreError::Full(_) => {
                tracing::error!(
                    request.id = request,
                    error = cause,
                    "the disk that holds the data is full"
                );
                Self::new(StatusCode::INSUFFICIENT_STORAGE, ErrorCode::StorageFull, err.to_string())
                    .suggesting("free some space; reads go on, and writes resume by themselves")
                    .again_in(5)
            }
            StoreError::Unavailable(_) | StoreError::Latched => {
                tracing::error!(request.id = request, error = cause, "a write was refused: {err}");
                let code = ErrorCode::StorageUnavailable;
                Self::new(StatusCode::SERVICE_UNAVAILABLE, code, err.to_string())
                    .suggesting("send the same request again after the time in Retry-After")
                    .again_in(2)
            }
            StoreError::Unexpected(_) => {
                tracing::error!(
                    request.id = request,
                    error = cause,
                    "the store failed in an unexpected way"
                );
                Self::internal()
            }
        }
    }
}
