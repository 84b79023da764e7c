//! The forum's errors: the exit code and the suggestion for each. The forum's API sends no
//! suggestions.

use debate_wire::forum::{Details, ErrorCode, ReachedLimit};
use serde_json::Value;

use super::{ExitStatus, Failure};

impl Failure {
    /// The failure for an error object of the forum.
    pub(crate) fn from_forum(error: Value) -> Self {
        let advice = error_code(&error).and_then(|code| advice(code, &error));
        Self::ForumRejected { error, advice }
    }

    /// Whether the error of the forum has this code.
    pub(crate) fn has_forum_code(&self, code: ErrorCode) -> bool {
        matches!(self, Self::ForumRejected { error, .. } if error_code(error) == Some(code))
    }

    /// Replaces the advice if the error of the forum has this code.
    pub(crate) fn with_advice_for(mut self, code: ErrorCode, fitting: impl Into<String>) -> Self {
        let fits = self.has_forum_code(code);
        if let Self::ForumRejected { advice, .. } = &mut self
            && fits
        {
            *advice = Some(fitting.into());
        }
        self
    }
}

fn error_code(error: &Value) -> Option<ErrorCode> {
    serde_json::from_value(error.get("code")?.clone()).ok()
}

/// The exit code for scripts. An unknown code of a newer server counts as a server error.
pub(super) fn exit(error: &Value) -> ExitStatus {
    error_code(error).map_or(ExitStatus::Error, exit_status_for)
}

const fn exit_status_for(code: ErrorCode) -> ExitStatus {
    match code {
        ErrorCode::NotFound => ExitStatus::Missing,
        ErrorCode::ValidationError | ErrorCode::InvalidCursor | ErrorCode::ContentTooLarge => {
            ExitStatus::Input
        }
        ErrorCode::UsernameTaken
        | ErrorCode::AlreadyClaimed
        | ErrorCode::Conflict
        | ErrorCode::IdempotencyConflict => ExitStatus::Forbidden,
        ErrorCode::Unauthorized | ErrorCode::Forbidden => ExitStatus::Unauthorized,
        ErrorCode::MethodNotAllowed
        | ErrorCode::RequestTimeout
        | ErrorCode::UnsupportedMediaType
        | ErrorCode::RateLimitExceeded
        | ErrorCode::InternalError
        | ErrorCode::Overloaded
        | ErrorCode::StorageUnavailable
        | ErrorCode::StorageFull => ExitStatus::Error,
    }
}

/// The default advice for a code.
fn advice(code: ErrorCode, error: &Value) -> Option<String> {
    let words = match code {
        ErrorCode::ValidationError => "correct the value; --help shows what the command accepts",
        ErrorCode::InvalidCursor => "pass the nextCursor of an earlier page, or leave out --cursor",
        ErrorCode::NotFound => {
            "check the ID; until an item is approved, only its author can see it"
        }
        ErrorCode::UsernameTaken => "choose another username",
        ErrorCode::AlreadyClaimed => "choose another item: `aw forum review list --unclaimed`",
        ErrorCode::ContentTooLarge => "shorten the content",
        ErrorCode::IdempotencyConflict => {
            "leave out --client-request-id, or pass a new idempotency key"
        }
        ErrorCode::RateLimitExceeded => return Some(retry_advice(error)),
        ErrorCode::Overloaded | ErrorCode::StorageUnavailable | ErrorCode::RequestTimeout => {
            "run the command again later"
        }
        ErrorCode::StorageFull => "tell the operator of the server that its disk is full",
        ErrorCode::InternalError => {
            "tell the operator of the server; the server's log has the details"
        }
        ErrorCode::MethodNotAllowed | ErrorCode::UnsupportedMediaType => {
            "the server and this aw have different versions; update the older one"
        }
        // The advice depends on the command.
        ErrorCode::Unauthorized | ErrorCode::Forbidden | ErrorCode::Conflict => return None,
    };
    Some(words.to_owned())
}

fn retry_advice(error: &Value) -> String {
    let details = error.get("details").cloned().unwrap_or_default();
    match serde_json::from_value(details) {
        Ok(Details::RateLimit(ReachedLimit { retry_after, .. })) => {
            let s = if retry_after == 1 { "" } else { "s" };
            format!("wait {retry_after} second{s}, then run the command again")
        }
        Ok(Details::Fields(_)) | Err(_) => "wait a minute, then run the command again".to_owned(),
    }
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    #[test]
    fn rate_limit_suggests_when_to_retry() {
        let details = json!({ "retryAfter": 17, "limit": 30, "window": 60 });
        let error = json!({ "code": "RATE_LIMIT_EXCEEDED", "message": "no", "details": details });
        let failure = Failure::from_forum(error);
        assert_eq!(failure.exit(), ExitStatus::Error);
        let error = failure.response().error.expect("it failed");
        assert_eq!(
            error.suggestion.as_deref(),
            Some("wait 17 seconds, then run the command again")
        );
    }

    #[test]
    fn advice_for_the_code_replaces_the_default() {
        let error = json!({ "code": "NOT_FOUND", "message": "no" });
        let default = Failure::from_forum(error.clone());
        let other =
            Failure::from_forum(error.clone()).with_advice_for(ErrorCode::Conflict, "never");
        let fitting =
            Failure::from_forum(error).with_advice_for(ErrorCode::NotFound, "look elsewhere");
        let suggestion =
            |failure: Failure| failure.response().error.and_then(|error| error.suggestion);
        assert_eq!(suggestion(default), suggestion(other));
        assert_eq!(suggestion(fitting).as_deref(), Some("look elsewhere"));
    }

    #[test]
    fn unknown_code_is_a_server_error() {
        assert_eq!(exit(&json!({ "code": "NOVELTY", "message": "no" })), ExitStatus::Error);
    }
}
