//! The errors of commands. Each has a code, a message, a suggestion, and an exit code.

mod advice;
mod exit_status;
mod forum;

pub(crate) use advice::ARBITRATOR_ADVICE;
pub(crate) use exit_status::ExitStatus;

use std::io;
use std::path::{Path, PathBuf};

use debate_net::BaseUrl;
use debate_wire::ErrorCode;
use debate_wire::agent::{CommandError, Item, Response};
use serde_json::{Value, json};

use crate::client::ProofPurpose;
use crate::shell;

const FIND_A_SERVER: &str = "\
start a server with `aw serve`, or with `aw open` in the background, or set --server or \
DEBATE_SERVER_URL to the URL of a running server";

const KEEP_THE_KEY: &str = "\
standard error shows the key, this one time; save it in a file that only you can read, and pass \
that file with --key-file";

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Failure {
    /// The error object of the arena or the runner.
    #[error("{}", text(.0, "message"))]
    Rejected(Value),
    /// The error object of the forum, whose API sends no suggestions.
    #[error("{}", text(error, "message"))]
    ForumRejected { error: Value, advice: Option<String> },
    /// The command needs a key or a token, and none is configured.
    #[error("{message}")]
    MissingCredential { code: &'static str, message: String, suggestion: String },
    /// A new key could not be saved. It was printed to standard error.
    #[error("cannot write the new key to {}: {cause}", path.display())]
    KeyNotSaved { path: PathBuf, cause: io::Error },
    /// An argument, a variable or the content is invalid.
    #[error("{message}")]
    Input { message: String, suggestion: String },
    /// The content is larger than any server accepts.
    #[error("the content has more than {bytes_max} bytes")]
    TooLarge { bytes_max: u64 },
    #[error("file {} not found", .0.display())]
    FileNotFound(PathBuf),
    /// A file cannot be read or written.
    #[error("cannot access {}: {cause}", path.display())]
    File { path: PathBuf, cause: io::Error },
    /// No attempt got a response before the deadline.
    #[error("cannot reach {url}: {cause}")]
    Unreachable {
        url: String,
        /// The result of the last attempt.
        cause: String,
        /// The command to run when the server is reachable.
        again: Option<String>,
    },
    /// A write without a response, which may have succeeded.
    #[error("{cause}")]
    OutcomeUnknown {
        /// The idempotency key with which the write can be repeated.
        key: String,
        cause: Box<Self>,
    },
    /// The response did not come from an aweave server.
    #[error("{url} is not an aweave server: {what}")]
    NotAnAweaveServer {
        url: String,
        /// The response, for the message.
        what: String,
    },
    /// A server on this machine did not prove that it has the secret.
    #[error("the server at {url} did not prove that it has {purpose}; {purpose} was not sent")]
    ServerNotProven { url: String, purpose: ProofPurpose },
    /// No kept seat fits, or several fit.
    #[error("{message}")]
    RoleAmbiguous {
        message: String,
        suggestion: &'static str,
        /// The kept seats, for the message and for programs.
        seats: Vec<String>,
    },
    /// Another program uses the port of the server to start.
    #[error("port {port} is in use by {who}, which is not an aweave server")]
    PortTaken {
        port: u16,
        /// The program that uses the port.
        who: String,
    },
    /// The background server was started and does not respond.
    #[error("the server did not start: {0}")]
    ServerNotStarted(String),
    /// The server was not started in the background by this program.
    #[error("{0}")]
    ServerNotStopped(String),
    /// A restart would change settings of the background server.
    #[error("the server (process {pid}) was started with other settings: {changes}")]
    SettingsDiffer { pid: u32, changes: String, suggestion: String },
    /// Following a run or a thread ended before its completion.
    #[error("{message}")]
    FollowEnded {
        how: FollowEnd,
        message: String,
        /// The command that continues.
        again: String,
    },
    /// An error of this program or its system.
    #[error("{0}")]
    Local(String),
}

impl Failure {
    pub(crate) fn input(message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::Input { message: message.into(), suggestion: suggestion.into() }
    }

    /// The failure of stopping a server that `aw` did not start in the background.
    pub(crate) fn not_background(url: &BaseUrl) -> Self {
        let message = format!("the server at {url} was not started in the background by `aw`");
        Self::ServerNotStopped(message)
    }

    pub(crate) fn from_file(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        let is_missing = cause.kind() == io::ErrorKind::NotFound;
        if is_missing { Self::FileNotFound(path) } else { Self::File { path, cause } }
    }

    /// Whether the error of the arena or the runner has this code.
    pub(crate) fn has_code(&self, code: ErrorCode) -> bool {
        matches!(self, Self::Rejected(error) if error_code(error) == Some(code))
    }

    /// The failure of a write. A network or server error becomes `OutcomeUnknown`, because the
    /// idempotency key makes a retry safe.
    pub(crate) fn with_unknown_outcome(self, key: &str) -> Self {
        match self.exit() {
            ExitStatus::Error => {
                Self::OutcomeUnknown { key: key.to_owned(), cause: Box::new(self) }
            }
            ExitStatus::Ok
            | ExitStatus::Missing
            | ExitStatus::Input
            | ExitStatus::Forbidden
            | ExitStatus::Unauthorized
            | ExitStatus::Interrupted => self,
        }
    }

    /// Adds the command to run when the server is reachable again.
    pub(crate) fn then_run(self, command: String) -> Self {
        if let Self::Unreachable { url, cause, .. } = self {
            return Self::Unreachable { url, cause, again: Some(command) };
        }
        self
    }

    fn code(&self) -> &str {
        match self {
            Self::OutcomeUnknown { cause, .. } => cause.code(),
            Self::Rejected(error) => text(error, "code"),
            Self::ForumRejected { error, .. } => text(error, "code"),
            Self::MissingCredential { code, .. } => code,
            Self::KeyNotSaved { .. } => "KEY_NOT_SAVED",
            Self::Input { .. } => "INVALID_INPUT",
            Self::TooLarge { .. } => "CONTENT_TOO_LARGE",
            Self::FileNotFound(_) => "FILE_NOT_FOUND",
            Self::File { .. } => "FILE_ERROR",
            Self::Unreachable { .. } => "SERVER_UNREACHABLE",
            Self::NotAnAweaveServer { .. } => "NOT_AN_AWEAVE_SERVER",
            Self::ServerNotProven { .. } => "SERVER_NOT_PROVEN",
            Self::RoleAmbiguous { .. } => "ROLE_AMBIGUOUS",
            Self::PortTaken { .. } => "PORT_TAKEN",
            Self::ServerNotStarted(_) => "SERVER_NOT_STARTED",
            Self::ServerNotStopped(_) => "SERVER_NOT_STOPPED",
            Self::SettingsDiffer { .. } => "SETTINGS_DIFFER",
            Self::FollowEnded { how, .. } => how.code(),
            Self::Local(_) => "INTERNAL_ERROR",
        }
    }

    fn suggestion(&self) -> Option<String> {
        let suggestion = match self {
            Self::Rejected(error) => return error.get("suggestion")?.as_str().map(str::to_owned),
            Self::ForumRejected { advice, .. } => return advice.clone(),
            Self::KeyNotSaved { .. } => KEEP_THE_KEY,
            Self::Input { suggestion, .. }
            | Self::MissingCredential { suggestion, .. }
            | Self::SettingsDiffer { suggestion, .. } => suggestion,
            Self::TooLarge { .. } => {
                "shorten the content, or put long material into a file that the other side can \
                 read, and refer to it"
            }
            Self::FileNotFound(_) => "check the path, or pass the text with --content or --stdin",
            Self::File { .. } => "check the path and its permissions",
            Self::OutcomeUnknown { key, cause } => {
                let known = cause.suggestion();
                // The suggestion of the server is unchanged; the metadata has the key.
                if known.is_some() && cause.server_error().is_some() {
                    return known;
                }
                let known = known.map(|words| format!("{words}; ")).unwrap_or_default();
                return Some(format!(
                    "{known}to retry, run the same command with --client-request-id {}; this key \
                     prevents a second write",
                    shell::quote(key)
                ));
            }
            Self::Unreachable { again, .. } => {
                let again = again.as_ref().map(|command| format!("; then run: {command}"));
                return Some(format!("{FIND_A_SERVER}{}", again.unwrap_or_default()));
            }
            Self::NotAnAweaveServer { .. } => {
                "set --server or DEBATE_SERVER_URL to the URL of an aweave server"
            }
            Self::ServerNotProven { purpose: ProofPurpose::Arbitrator, .. } => {
                "check that this user started the server and that it listens on the port of the \
                 URL; for another server pass its token with --arbitrator-token-file FILE"
            }
            Self::RoleAmbiguous { suggestion, .. } => suggestion,
            Self::ServerNotProven { purpose: ProofPurpose::Server, .. } => {
                "check that DEBATE_AUTH_TOKEN or --token-file has the server's token, and that the \
                 server listens on the port of the URL; restart a server of an earlier version"
            }
            Self::PortTaken { .. } => {
                "stop that program, or choose another port with --server or DEBATE_SERVER_URL, \
                 such as http://127.0.0.1:3457"
            }
            Self::ServerNotStarted(_) => {
                "run `aw serve` to see the error, or read the log in ~/.aweave/run"
            }
            Self::ServerNotStopped(_) => "stop the server in the way it was started",
            Self::FollowEnded { again, .. } => again,
            Self::Local(_) => return None,
        };
        Some(suggestion.to_owned())
    }

    /// The exit code for scripts.
    pub(crate) fn exit(&self) -> ExitStatus {
        match self {
            // A code of a newer server counts as a server error.
            Self::Rejected(error) => {
                error_code(error).map_or(ExitStatus::Error, exit_status::exit_status_for)
            }
            Self::Input { .. }
            | Self::RoleAmbiguous { .. }
            | Self::TooLarge { .. }
            | Self::FileNotFound(_)
            | Self::File { .. } => ExitStatus::Input,
            Self::ForumRejected { error, .. } => forum::exit(error),
            Self::MissingCredential { .. } | Self::ServerNotProven { .. } => {
                ExitStatus::Unauthorized
            }
            Self::SettingsDiffer { .. } => ExitStatus::Forbidden,
            Self::FollowEnded { how, .. } => how.exit(),
            Self::KeyNotSaved { .. }
            | Self::Unreachable { .. }
            | Self::OutcomeUnknown { .. }
            | Self::NotAnAweaveServer { .. }
            | Self::PortTaken { .. }
            | Self::ServerNotStarted(_)
            | Self::ServerNotStopped(_)
            | Self::Local(_) => ExitStatus::Error,
        }
    }

    /// The error object of the server, if there is one.
    fn server_error(&self) -> Option<&Value> {
        let failure = if let Self::OutcomeUnknown { cause, .. } = self { cause } else { self };
        if let Self::Rejected(error) | Self::ForumRejected { error, .. } = failure {
            return Some(error);
        }
        None
    }

    pub(crate) fn response(&self) -> Response {
        let details = self.server_error().map(details);
        let mut content = details.map(|error| Item::Json(json!({ "server_error": error })));
        if let Self::RoleAmbiguous { seats, .. } = self {
            content = Some(Item::Json(json!({ "seats": seats })));
        }
        let problem = CommandError {
            code: self.code().to_owned(),
            message: self.to_string(),
            suggestion: self.suggestion(),
        };
        let response = Response::failure(problem, content);
        if let Self::OutcomeUnknown { key, .. } = self {
            return response.with_metadata("client_request_id", key.as_str());
        }
        response
    }
}

/// Why following a run ended before the run was completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FollowEnd {
    /// The run ended with an error.
    Failed,
    /// The run was stopped.
    Stopped,
    /// The run was cancelled.
    Canceled,
    /// The user pressed Ctrl-C; the run continues.
    Interrupted,
}

impl FollowEnd {
    const fn code(self) -> &'static str {
        match self {
            Self::Failed => "DEBATE_FAILED",
            Self::Stopped => "DEBATE_STOPPED",
            Self::Canceled => "DEBATE_CANCELED",
            Self::Interrupted => "INTERRUPTED",
        }
    }

    const fn exit(self) -> ExitStatus {
        match self {
            Self::Failed => ExitStatus::Error,
            Self::Stopped | Self::Canceled => ExitStatus::Forbidden,
            Self::Interrupted => ExitStatus::Interrupted,
        }
    }
}

/// An error object without the texts that the envelope's `error` already has.
fn details(error: &Value) -> Value {
    let mut details = error.clone();
    if let Some(fields) = details.as_object_mut() {
        fields.retain(|name, _| name != "message" && name != "suggestion");
    }
    details
}

fn error_code(error: &Value) -> Option<ErrorCode> {
    serde_json::from_value(error.get("code")?.clone()).ok()
}

fn text<'e>(error: &'e Value, field: &str) -> &'e str {
    error.get(field).and_then(Value::as_str).unwrap_or("?")
}
