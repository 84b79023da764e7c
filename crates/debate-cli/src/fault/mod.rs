//! The errors of commands. Each has a code, a message, a suggestion, and an exit code.

mod exit;
mod forum;

use std::io;
use std::path::{Path, PathBuf};

use debate_wire::ErrorCode;
use debate_wire::agent::{Item, Problem, Response};
use serde_json::{Value, json};

pub(crate) use self::exit::Exit;
use crate::shell;

const FIND_A_SERVER: &str = "\
start a server with `aw debate services start` or `aw serve`, or set --server or \
DEBATE_SERVER_URL to the URL of a running server";

const KEEP_THE_KEY: &str = "\
standard error shows the key, this one time; save it in a file that only you can read, and pass \
that file with --key-file";

/// Why a command failed.
#[derive(Debug, thiserror::Error)]
pub(crate) enum Fault {
    /// The server said no; its whole error object.
    #[error("{}", text(.0, "message"))]
    Refused(Value),
    /// The forum said no; its whole error object, and what to do next.
    #[error("{}", text(error, "message"))]
    Declined {
        /// What it said.
        error: Value,
        /// What to do next.
        advice: Option<String>,
    },
    /// Only someone who is known may do this, and nothing says who calls.
    #[error("{message}")]
    Nameless {
        /// What is missing.
        code: &'static str,
        /// The same in words.
        message: String,
        /// Where it could come from.
        suggestion: String,
    },
    /// A new key could not be kept; it was shown instead.
    #[error("cannot write the new key to {}: {cause}", path.display())]
    KeyUnsaved {
        /// Where it was to be.
        path: PathBuf,
        /// Why it is not there.
        cause: io::Error,
    },
    /// Something the caller gave can't be used.
    #[error("{message}")]
    Input {
        /// What is wrong.
        message: String,
        /// What would be right.
        suggestion: String,
    },
    /// The content has more bytes than any server takes.
    #[error("the content has more than {most} bytes")]
    TooLarge {
        /// The most that is read.
        most: u64,
    },
    /// A file that was named is not there.
    #[error("file {} not found", .0.display())]
    NoFile(PathBuf),
    /// A file that was named can't be used.
    #[error("cannot access {}: {cause}", path.display())]
    File {
        /// Which.
        path: PathBuf,
        /// Why.
        cause: io::Error,
    },
    /// Nobody answered, however often it was tried.
    #[error("cannot reach {url}: {cause}")]
    Unreachable {
        /// Who was asked.
        url: String,
        /// What the last try came to.
        cause: String,
        /// What to run once it can be reached.
        again: Option<String>,
    },
    /// A write that may or may not have happened.
    #[error("{cause}")]
    Open {
        /// The request id under which to send it again.
        key: String,
        /// What kept the answer away.
        cause: Box<Self>,
    },
    /// Someone answered, but not a server of ours.
    #[error("{url} is not an aweave server: {what}")]
    Stranger {
        /// Who was asked.
        url: String,
        /// What came instead.
        what: String,
    },
    /// A server on this machine did not prove that it has the token.
    #[error("the server at {url} did not prove that it has the token; the token was not sent")]
    Unproven {
        /// The server's address.
        url: String,
    },
    /// A server was to be started here, and something else has its port.
    #[error("port {port} is in use by {who}, which is not an aweave server")]
    PortTaken {
        /// The port.
        port: u16,
        /// Who has it.
        who: String,
    },
    /// A server was started and did not come up.
    #[error("the server did not start: {0}")]
    NoStart(String),
    /// The background server can't be stopped from here.
    #[error("{0}")]
    NoStop(String),
    /// Following a debate ended otherwise than with the debate's own end.
    #[error("{message}")]
    Halted {
        /// In which way.
        how: Halt,
        /// The same in words.
        message: String,
        /// What to run to go on.
        again: String,
    },
    /// This program can't do its own work.
    #[error("{0}")]
    Local(String),
}

impl Fault {
    pub(crate) fn input(message: impl Into<String>, suggestion: impl Into<String>) -> Self {
        Self::Input { message: message.into(), suggestion: suggestion.into() }
    }

    /// A file that could not be used.
    pub(crate) fn of_file(path: &Path, cause: io::Error) -> Self {
        let path = path.to_owned();
        let is_missing = cause.kind() == io::ErrorKind::NotFound;
        if is_missing { Self::NoFile(path) } else { Self::File { path, cause } }
    }

    /// Whether the server gave this answer.
    pub(crate) fn is(&self, code: ErrorCode) -> bool {
        matches!(self, Self::Refused(error) if decoded(error) == Some(code))
    }

    /// The same, when it kept the answer to a write away: the request id makes a retry safe.
    pub(crate) fn leaving_open(self, key: &str) -> Self {
        match self.exit() {
            Exit::Trouble => Self::Open { key: key.to_owned(), cause: Box::new(self) },
            Exit::Ok
            | Exit::Missing
            | Exit::Input
            | Exit::Forbidden
            | Exit::Unauthorized
            | Exit::Interrupted => self,
        }
    }

    /// The same, with what to run once the server is back.
    pub(crate) fn then_run(self, command: String) -> Self {
        if let Self::Unreachable { url, cause, .. } = self {
            return Self::Unreachable { url, cause, again: Some(command) };
        }
        self
    }

    fn code(&self) -> &str {
        match self {
            Self::Open { cause, .. } => cause.code(),
            Self::Refused(error) => text(error, "code"),
            Self::Declined { error, .. } => text(error, "code"),
            Self::Nameless { code, .. } => code,
            Self::KeyUnsaved { .. } => "KEY_NOT_SAVED",
            Self::Input { .. } => "INVALID_INPUT",
            Self::TooLarge { .. } => "CONTENT_TOO_LARGE",
            Self::NoFile(_) => "FILE_NOT_FOUND",
            Self::File { .. } => "FILE_ERROR",
            Self::Unreachable { .. } => "SERVER_UNREACHABLE",
            Self::Stranger { .. } => "NOT_AN_AWEAVE_SERVER",
            Self::Unproven { .. } => "SERVER_NOT_PROVEN",
            Self::PortTaken { .. } => "PORT_TAKEN",
            Self::NoStart(_) => "SERVER_NOT_STARTED",
            Self::NoStop(_) => "SERVER_NOT_STOPPED",
            Self::Halted { how, .. } => how.code(),
            Self::Local(_) => "INTERNAL_ERROR",
        }
    }

    fn suggestion(&self) -> Option<String> {
        let words = match self {
            Self::Refused(error) => return error.get("suggestion")?.as_str().map(str::to_owned),
            Self::Declined { advice, .. } => return advice.clone(),
            Self::KeyUnsaved { .. } => KEEP_THE_KEY,
            Self::Input { suggestion, .. } | Self::Nameless { suggestion, .. } => suggestion,
            Self::TooLarge { .. } => {
                "shorten the content, or put long material into a file that the other side can \
                 read, and refer to it"
            }
            Self::NoFile(_) => "check the path, or pass the text with --content or --stdin",
            Self::File { .. } => "check the path and its permissions",
            Self::Open { key, cause } => {
                let known = cause.suggestion();
                // The server's own words stay its own; the request id is beside them.
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
            Self::Stranger { .. } => {
                "set --server or DEBATE_SERVER_URL to the URL of an aweave server"
            }
            Self::Unproven { .. } => {
                "check that DEBATE_AUTH_TOKEN or --token-file has the server's token, and that the \
                 server listens on the port of the URL; restart a server of an earlier version"
            }
            Self::PortTaken { .. } => {
                "stop that program, or choose another port with --server or DEBATE_SERVER_URL, \
                 such as http://127.0.0.1:3457"
            }
            Self::NoStart(_) => "run `aw serve` to see the error, or read the log in ~/.aweave/run",
            Self::NoStop(_) => "stop the server in the way it was started",
            Self::Halted { again, .. } => again,
            Self::Local(_) => return None,
        };
        Some(words.to_owned())
    }

    /// What a script switches on.
    pub(crate) fn exit(&self) -> Exit {
        match self {
            // A code of a newer server counts as a server error.
            Self::Refused(error) => decoded(error).map_or(Exit::Trouble, exit_of),
            Self::Input { .. } | Self::TooLarge { .. } | Self::NoFile(_) | Self::File { .. } => {
                Exit::Input
            }
            Self::Declined { error, .. } => forum::exit(error),
            Self::Nameless { .. } | Self::Unproven { .. } => Exit::Unauthorized,
            Self::Halted { how, .. } => how.exit(),
            Self::KeyUnsaved { .. }
            | Self::Unreachable { .. }
            | Self::Open { .. }
            | Self::Stranger { .. }
            | Self::PortTaken { .. }
            | Self::NoStart(_)
            | Self::NoStop(_)
            | Self::Local(_) => Exit::Trouble,
        }
    }

    /// The server's own words, if it was the server.
    fn server_error(&self) -> Option<&Value> {
        let said = if let Self::Open { cause, .. } = self { cause } else { self };
        if let Self::Refused(error) | Self::Declined { error, .. } = said {
            return Some(error);
        }
        None
    }

    pub(crate) fn response(&self) -> Response {
        let details = self.server_error().map(details);
        let content = details.map(|error| Item::Json(json!({ "server_error": error })));
        let problem = Problem {
            code: self.code().to_owned(),
            message: self.to_string(),
            suggestion: self.suggestion(),
        };
        let response = Response::failed(problem, content);
        if let Self::Open { key, .. } = self {
            return response.with("client_request_id", key.as_str());
        }
        response
    }
}

/// Why following a run ended before the run was completed.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Halt {
    /// The run failed.
    Failed,
    /// The run was stopped.
    Stopped,
    /// The run was cancelled.
    Canceled,
    /// The user pressed Ctrl-C; the run continues.
    Left,
}

impl Halt {
    const fn code(self) -> &'static str {
        match self {
            Self::Failed => "DEBATE_FAILED",
            Self::Stopped => "DEBATE_STOPPED",
            Self::Canceled => "DEBATE_CANCELED",
            Self::Left => "INTERRUPTED",
        }
    }

    const fn exit(self) -> Exit {
        match self {
            Self::Failed => Exit::Trouble,
            Self::Stopped | Self::Canceled => Exit::Forbidden,
            Self::Left => Exit::Interrupted,
        }
    }
}

const fn exit_of(code: ErrorCode) -> Exit {
    match code {
        ErrorCode::DebateNotFound | ErrorCode::ArgumentNotFound => Exit::Missing,
        ErrorCode::InvalidInput | ErrorCode::ContentTooLarge => Exit::Input,
        ErrorCode::ActionNotAllowed
        | ErrorCode::DebateExists
        | ErrorCode::DebateDeleted
        | ErrorCode::IdempotencyConflict => Exit::Forbidden,
        ErrorCode::AuthFailed | ErrorCode::Forbidden => Exit::Unauthorized,
        ErrorCode::UnsupportedMediaType
        | ErrorCode::UpgradeRequired
        | ErrorCode::RequestTimeout
        | ErrorCode::RateLimited
        | ErrorCode::NotFound
        | ErrorCode::MethodNotAllowed
        | ErrorCode::Overloaded
        | ErrorCode::StorageUnavailable
        | ErrorCode::StorageFull
        | ErrorCode::InternalError => Exit::Trouble,
    }
}

/// A server's error without the sentences that the envelope's `error` has already.
fn details(error: &Value) -> Value {
    let mut details = error.clone();
    if let Some(fields) = details.as_object_mut() {
        fields.retain(|name, _| name != "message" && name != "suggestion");
    }
    details
}

fn decoded(error: &Value) -> Option<ErrorCode> {
    serde_json::from_value(error.get("code")?.clone()).ok()
}

fn text<'e>(error: &'e Value, field: &str) -> &'e str {
    error.get(field).and_then(Value::as_str).unwrap_or("?")
}
