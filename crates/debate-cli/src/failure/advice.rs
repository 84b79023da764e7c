//! Advice of the command line for errors of the arena and the runner.
//!
//! The server's own suggestions are for programs that call the API: they name headers and routes.
//! A person at a terminal, or an agent that runs `aw`, needs a command or a flag instead.

use debate_wire::ErrorCode;
use debate_wire::arena::{Action, Role};
use serde_json::Value;

use super::{Failure, error_code, text};
use crate::shell;

impl Failure {
    /// The failure for an error object of the arena or the runner.
    pub(crate) fn from_server(mut error: Value) -> Self {
        let advice = error_code(&error).and_then(|code| arena_advice(code, &error));
        if let (Some(advice), Some(fields)) = (advice, error.as_object_mut()) {
            fields.insert("suggestion".to_owned(), advice.into());
        }
        Self::Rejected(error)
    }

    /// Replaces the advice if the error of the arena has this code.
    pub(crate) fn with_advice(mut self, code: ErrorCode, advice: &str) -> Self {
        if let Self::Rejected(error) = &mut self
            && error_code(error) == Some(code)
            && let Some(fields) = error.as_object_mut()
        {
            fields.insert("suggestion".to_owned(), advice.into());
        }
        self
    }

    /// The same failure with the advice for a run, whose errors share codes with the arena.
    pub(crate) fn about_run(mut self) -> Self {
        let failure = if let Self::OutcomeUnknown { cause, .. } = &mut self {
            cause.as_mut()
        } else {
            &mut self
        };
        if let Self::Rejected(error) = failure
            && error_code(error) == Some(ErrorCode::DebateNotFound)
            && let Some(fields) = error.as_object_mut()
        {
            fields.insert("suggestion".to_owned(), "list the runs with `aw run list`".into());
        }
        self
    }
}

/// The advice for a code; none if the server's own suggestion fits a command line.
fn arena_advice(code: ErrorCode, error: &Value) -> Option<String> {
    let advice = match code {
        ErrorCode::DebateNotFound => "list the debates with `aw debate list`",
        ErrorCode::ArgumentNotFound => {
            "list the arguments with `aw debate get-context --debate-id ID`"
        }
        ErrorCode::ActionNotAllowed => return turn_advice(error),
        ErrorCode::DebateExists | ErrorCode::DebateDeleted => {
            "leave out --debate-id, or pass a new ID"
        }
        ErrorCode::IdempotencyConflict => {
            "leave out --client-request-id, or pass a new idempotency key"
        }
        ErrorCode::SeatRequired | ErrorCode::SeatInvalid => return Some(seat_advice(code, error)),
        ErrorCode::InviteRequired => {
            "ask the creator of the debate for its invite, save it in a file that only you can \
             read, and pass the file with --invite FILE"
        }
        ErrorCode::SeatTaken => {
            "follow the debate with `aw debate watch`; the arbitrator can take the seat over with \
             `aw debate join SLUG --as ROLE --take-over`"
        }
        ErrorCode::SeatConflict => {
            "join from another session: each side needs a terminal or an agent of its own"
        }
        ErrorCode::NotSeated => "play without a seat: this debate was created without seats",
        ErrorCode::SeatsNotConfigured => {
            "set DEBATE_ARBITRATOR_TOKEN_FILE for the server and restart it, or create a debate \
             without seats with `aw debate create`"
        }
        ErrorCode::InvalidInput => return input_advice(error),
        ErrorCode::AuthFailed => {
            "set DEBATE_AUTH_TOKEN to the server's token, or pass a file with --token-file"
        }
        ErrorCode::RequestTimeout | ErrorCode::Overloaded => "run the command again later",
        ErrorCode::InternalError => {
            "tell the operator of the server; the server's log has the details"
        }
        ErrorCode::NotFound
        | ErrorCode::MethodNotAllowed
        | ErrorCode::UnsupportedMediaType
        | ErrorCode::UpgradeRequired => {
            "the server and this aw have different versions; update the older one"
        }
        // The server's suggestions name settings, files and the disk.
        ErrorCode::ContentTooLarge
        | ErrorCode::Forbidden
        | ErrorCode::RateLimited
        | ErrorCode::StorageFull => return None,
        ErrorCode::StorageUnavailable => return storage_advice(error),
    };
    Some(advice.to_owned())
}

/// The advice for an action that the state of the debate does not allow.
fn turn_advice(error: &Value) -> Option<String> {
    let own = text(error, "suggestion");
    let debate = error.get("debate_id").and_then(Value::as_str);
    let debate = debate.map_or_else(|| "ID".to_owned(), shell::quote);
    let turns: Vec<Role> = serde_json::from_value(error.get("allowed_roles")?.clone()).ok()?;
    // Without a turn the debate is closed, and the server's suggestion says so.
    let turn = turns.first().map(debate_render::wire_name)?;
    if own.contains("/events") {
        let watch = format!("aw debate watch --debate-id {debate}");
        return Some(format!("it is the {turn}'s turn; follow the debate with `{watch}`"));
    }
    if own.contains("/wait") {
        let wait = format!("aw debate wait --debate-id {debate} --role YOUR_ROLE");
        return Some(format!("it is the {turn}'s turn; wait for it with `{wait}`"));
    }
    let actions: Vec<Action> =
        serde_json::from_value(error.get("available_actions")?.clone()).ok()?;
    let actions: Vec<_> = actions.iter().map(debate_render::wire_name).collect();
    Some(format!("it is your turn, but only for: {}", actions.join(", ")))
}

/// The advice for a write without the right to the role.
fn seat_advice(code: ErrorCode, error: &Value) -> String {
    let role = error.get("role").and_then(Value::as_str);
    if role == Some("arbitrator") {
        return ARBITRATOR_ADVICE.to_owned();
    }
    let role = role.unwrap_or("ROLE");
    match (code, error.get("holder").and_then(Value::as_str)) {
        (ErrorCode::SeatInvalid, Some(holder)) => format!(
            "{} holds the seat of the {role} now; stop, or ask the arbitrator to give it back",
            debate_render::visible::line(holder)
        ),
        (_, _) => format!("take the seat with `aw debate join SLUG --as {role}`"),
    }
}

/// The advice for a write that only the arbitrator may make.
pub(crate) const ARBITRATOR_ADVICE: &str = "\
only the person who runs the server rules: run `aw rule` on a terminal of the server's machine, or \
pass --arbitrator-token-file FILE";

/// The advice for an invalid value, by the flag that carries it.
fn input_advice(error: &Value) -> Option<String> {
    let own = error.get("suggestion").and_then(Value::as_str);
    match error.get("field")?.as_str()? {
        "argument_id" => Some("leave out --argument-id to start from the motion".to_owned()),
        "debate_id" if own.is_some_and(|own| own.contains("GET /")) => {
            Some("pass a slug or an ID; `aw debate list` shows the debates".to_owned())
        }
        "Host" => Some("use the address that the server printed at its start".to_owned()),
        field => {
            let flag = flag_for(field)?;
            Some(match (own, accepted_values(error, field)) {
                (Some(own), _) => format!("correct {flag}: {own}"),
                (None, Some(accepted)) => format!("correct {flag}: {accepted} is accepted"),
                (None, None) => format!("correct {flag}"),
            })
        }
    }
}

/// The accepted values in the server's message, such as `a whole number from 0 to 500`.
fn accepted_values<'e>(error: &'e Value, field: &str) -> Option<&'e str> {
    let rest = text(error, "message").strip_prefix(&format!("`{field}` must be "))?;
    Some(rest.trim_end_matches('.'))
}

/// The flag or argument for a field of the API.
pub(super) fn flag_for(field: &str) -> Option<&'static str> {
    Some(match field {
        "title" => "--title",
        "holder" => "--holder",
        "content" | "motion_content" => "the content",
        "debate_type" => "--type",
        "debate_id" => "--debate-id",
        "target_id" => "--target-id",
        "client_request_id" | "Idempotency-Key" => "--client-request-id",
        "role" => "--role",
        "limit" => "--limit",
        "offset" => "--offset",
        "cursor" => "--cursor",
        "state" => "--state",
        "status" => "--status",
        "topic" => "the topic",
        "debater_a_side" => "--side",
        "output_language" => "--language",
        "judge_mode" => "--judge-mode",
        "max_rounds" => "--rounds",
        "max_runtime_seconds" => "--max-seconds",
        "max_total_output_tokens" => "--max-tokens",
        "max_tokens_debater" => "--max-tokens-debater",
        "max_tokens_judge" => "--max-tokens-judge",
        "model_debater" => "--model",
        "model_debater_a" => "--model-a",
        "model_debater_b" => "--model-b",
        "model_judge" => "--judge",
        "prompt_version" => "--prompt-version",
        _ => return None,
    })
}

/// The advice for a storage failure: the server's own unless it names a header.
fn storage_advice(error: &Value) -> Option<String> {
    let own = text(error, "suggestion");
    own.contains("Retry-After").then(|| "run the command again later".to_owned())
}

#[cfg(test)]
mod tests {
    use serde_json::json;

    use super::*;

    /// Words of HTTP that advice for a command line must not contain.
    const HTTP_WORDS: [&str; 8] = [
        "GET /",
        "POST /",
        "header",
        "Bearer",
        "Retry-After",
        "X-Request-Id",
        "/debates",
        "Key for",
    ];

    #[test]
    fn advice_names_commands_and_no_headers_or_routes() {
        let suggestions = [
            ("DEBATE_NOT_FOUND", "list the debates with GET /debates"),
            ("ARGUMENT_NOT_FOUND", "list the arguments with GET /debates/{id}"),
            ("ACTION_NOT_ALLOWED", "wait for the proposer with GET /debates/{id}/wait"),
            ("ACTION_NOT_ALLOWED", "follow the debate with GET /debates/{id}/events"),
            ("IDEMPOTENCY_CONFLICT", "use a new Idempotency-Key for a new request"),
            ("AUTH_FAILED", "send the header Authorization: Bearer <token>"),
            ("OVERLOADED", "send the same request again after the seconds in Retry-After"),
            ("STORAGE_UNAVAILABLE", "send the same request after the seconds in Retry-After"),
            ("INTERNAL_ERROR", "report the X-Request-Id of this response to the operator"),
            ("NOT_FOUND", "GET /openapi.json lists all paths"),
            ("METHOD_NOT_ALLOWED", "the Allow header lists the supported methods"),
            ("UNSUPPORTED_MEDIA_TYPE", "send the header Content-Type: application/json"),
        ];
        for (code, suggestion) in suggestions {
            let error = json!({
                "code": code, "message": "no", "suggestion": suggestion,
                "allowed_roles": ["proposer"],
            });
            let advice = Failure::from_server(error).suggestion().expect("it has advice");
            let found = HTTP_WORDS.iter().find(|word| advice.contains(**word));
            assert_eq!(found, None, "{code}: {advice}");
        }
    }

    #[test]
    fn missing_run_is_looked_up_with_the_list_of_runs() {
        let error = json!({ "code": "DEBATE_NOT_FOUND", "message": "no" });
        let advice = Failure::from_server(error).about_run().suggestion();
        assert_eq!(advice.as_deref(), Some("list the runs with `aw run list`"));
    }

    #[test]
    fn unknown_code_keeps_the_suggestion_of_the_server() {
        let error = json!({ "code": "NOVELTY", "message": "no", "suggestion": "do this" });
        assert_eq!(Failure::from_server(error).suggestion().as_deref(), Some("do this"));
    }
}
