//! The forum's errors: the exit code and the suggestion for each. The forum's API sends no
//! suggestions.

use debate_wire::forum::{Details, ErrorCode, ReachedLimit};
use serde_json::Value;

use super::{Exit, Fault};

impl Fault {
    /// The forum's own error object.
    pub(crate) fn declined(error: Value) -> Self {
        let advice = code_of(&error).and_then(|code| advice(code, &error));
        Self::Declined { error, advice }
    }

    /// Whether the forum gave this answer.
    pub(crate) fn says(&self, code: ErrorCode) -> bool {
        matches!(self, Self::Declined { error, .. } if code_of(error) == Some(code))
    }

    /// The same; if it is this refusal, with advice that fits what was asked.
    pub(crate) fn when(mut self, code: ErrorCode, fitting: impl Into<String>) -> Self {
        let fits = self.says(code);
        if let Self::Declined { advice, .. } = &mut self
            && fits
        {
            *advice = Some(fitting.into());
        }
        self
    }
}

fn code_of(error: &Value) -> Option<ErrorCode> {
    serde_json::from_value(error.get("code")?.clone()).ok()
}

/// What a script switches on. A code of a newer server is some trouble.
pub(super) fn exit(error: &Value) -> Exit {
    code_of(error).map_or(Exit::Trouble, exit_of)
}

const fn exit_of(code: ErrorCode) -> Exit {
    match code {
        ErrorCode::NotFound => Exit::Missing,
        ErrorCode::ValidationError | ErrorCode::InvalidCursor | ErrorCode::ContentTooLarge => {
            Exit::Input
        }
        ErrorCode::UsernameTaken
        | ErrorCode::AlreadyClaimed
        | ErrorCode::Conflict
        | ErrorCode::IdempotencyConflict => Exit::Forbidden,
        ErrorCode::Unauthorized | ErrorCode::Forbidden => Exit::Unauthorized,
        ErrorCode::MethodNotAllowed
        | ErrorCode::RequestTimeout
        | ErrorCode::UnsupportedMediaType
        | ErrorCode::RateLimitExceeded
        | ErrorCode::InternalError
        | ErrorCode::Overloaded
        | ErrorCode::StorageUnavailable
        | ErrorCode::StorageFull => Exit::Trouble,
    }
}

/// What to do where nothing better is known.
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
        ErrorCode::RateLimitExceeded => return Some(when_to_come_back(error)),
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
        // What helps depends on who asked for what.
        ErrorCode::Unauthorized | ErrorCode::Forbidden | ErrorCode::Conflict => return None,
    };
    Some(words.to_owned())
}

fn when_to_come_back(error: &Value) -> String {
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
    fn a_limit_is_told_with_when_to_come_back() {
        let details = json!({ "retryAfter": 17, "limit": 30, "window": 60 });
        let error = json!({ "code": "RATE_LIMIT_EXCEEDED", "message": "no", "details": details });
        let fault = Fault::declined(error);
        assert_eq!(fault.exit(), Exit::Trouble);
        let told = fault.response().error.expect("it failed");
        assert_eq!(told.suggestion.as_deref(), Some("wait 17 seconds, then run the command again"));
    }

    #[test]
    fn fitting_advice_stands_before_the_usual() {
        let error = json!({ "code": "NOT_FOUND", "message": "no" });
        let usual = Fault::declined(error.clone());
        let other = Fault::declined(error.clone()).when(ErrorCode::Conflict, "never");
        let fitting = Fault::declined(error).when(ErrorCode::NotFound, "look elsewhere");
        let suggestion = |fault: Fault| fault.response().error.and_then(|told| told.suggestion);
        assert_eq!(suggestion(usual), suggestion(other));
        assert_eq!(suggestion(fitting).as_deref(), Some("look elsewhere"));
    }

    #[test]
    fn a_code_of_a_newer_server_is_some_trouble() {
        assert_eq!(exit(&json!({ "code": "NOVELTY", "message": "no" })), Exit::Trouble);
    }
}
