//! Errors of the storage as responses and as log events.

use std::error::Error;

use debate_app::StoreError;
use debate_wire::ErrorCode;

use super::ErrorResponse;
use crate::request_layer::current_request_id;

impl From<StoreError> for ErrorResponse {
    fn from(err: StoreError) -> Self {
        let full = ErrorCode::StorageFull;
        let unavailable = ErrorCode::StorageUnavailable;
        // Logged here and nowhere else; the client learns nothing of the cause.
        let (id, cause) = (current_request_id(), err.source());
        match &err {
            StoreError::Overloaded => Self::overloaded(err.to_string()),
            StoreError::Full(_) => refusal(full, &err)
                .suggesting("free disk space; reads still work, and writes resume automatically")
                .retry_in(5),
            StoreError::WalFull(_) => refusal(full, &err)
                .suggesting(
                    "end the other program's transaction; reads still work, and writes resume \
                     automatically",
                )
                .retry_in(5),
            StoreError::Unavailable(_) => refusal(unavailable, &err)
                .suggesting("send the same request again after the seconds in Retry-After")
                .retry_in(2),
            StoreError::Latched => refusal(unavailable, &err)
                .suggesting("check the disk, then restart the server; reads still work until then")
                .retry_in(5),
            StoreError::Damaged(_) => refusal(unavailable, &err)
                .suggesting("export the readable data, restore a backup, and restart the server")
                .retry_in(5),
            StoreError::Moved(_) => refusal(unavailable, &err)
                .suggesting(
                    "put the file back, and writes resume automatically; reads still work, so \
                     export your data before you stop the server",
                )
                .retry_in(5),
            StoreError::Undecodable(_) => {
                tracing::error!(request.id = id, error = cause, "row cannot be decoded");
                Self::new(unavailable, err.to_string())
                    .suggesting("the operator must restore the database from a backup")
                    .retry_in(5)
            }
            StoreError::Unexpected(_) => {
                tracing::error!(request.id = id, error = cause, "unexpected storage error");
                Self::internal()
            }
        }
    }
}

fn refusal(code: ErrorCode, err: &StoreError) -> ErrorResponse {
    let (id, cause) = (current_request_id(), err.source());
    tracing::error!(
        request.id = id,
        storage.error = %err,
        error = cause,
        "storage refused the request"
    );
    ErrorResponse::new(code, err.to_string())
}
