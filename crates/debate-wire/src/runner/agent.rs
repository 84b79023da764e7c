//! JSON output of `aw run`, inside the envelope of [`crate::agent`].
//!
//! Kept small: an agent pays for every token it reads.

use serde::{Deserialize, Serialize};

use super::{Attempt, Cost, Debate, Delta, ListedDebate, Status, StatusEvent, StopReason, Turn};

/// A run that the command created.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Started {
    /// UUID of the run.
    pub debate_id: String,
    /// Current status of the run.
    pub status: Status,
    /// Whether this command started the run.
    pub enqueued: bool,
    /// Whether the built-in demo plays every role, without calls to a model.
    pub demo: bool,
    /// Idempotency key of the creation.
    pub client_request_id: String,
}

/// A run after a command such as stop or resume.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct StatusChange {
    /// UUID of the run.
    pub debate_id: String,
    /// Current status of the run.
    pub status: Status,
    /// Reason why the run ended or paused. Null while it can proceed.
    pub stop_reason: Option<StopReason>,
    /// Message of the latest failure. Null after a success.
    pub last_error: Option<String>,
}

impl From<Debate> for StatusChange {
    fn from(debate: Debate) -> Self {
        let Debate { id: debate_id, status, stop_reason, last_error, .. } = debate;
        Self { debate_id, status, stop_reason, last_error }
    }
}

/// A page of runs.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Debates {
    /// Runs on this page, most recently changed first.
    pub debates: Vec<ListedDebate>,
    /// `--cursor` of the next page. Null on the last page.
    pub next_cursor: Option<String>,
}

/// All calls to providers that a run has made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Attempts {
    /// UUID of the run.
    pub debate_id: String,
    /// The calls, oldest first.
    pub attempts: Vec<Attempt>,
}

/// A transcript written to a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Exported {
    /// Path of the file.
    pub path: String,
    /// Size of the file in bytes.
    pub bytes: u64,
    /// Number of turns in the file.
    pub turns: u64,
}

/// One line of `aw run follow --format json`.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Moment {
    /// The run when following started.
    Debate(Box<Debate>),
    /// A turn was added.
    Turn(Box<Turn>),
    /// The status of the run changed.
    Status(StatusEvent),
    /// The next part of an answer in progress.
    Delta(Delta),
    /// The last line: the run has ended or paused.
    End(Box<RunEnd>),
}

/// A run at the end of following, and its cost.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct RunEnd {
    /// The run in its current status.
    pub debate: Debate,
    /// Cost of all calls, including failed ones.
    pub cost: Cost,
}
