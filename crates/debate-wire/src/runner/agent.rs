//! What an agent is handed by `aw run`: the data inside the envelope of [`crate::agent`].
//!
//! Small on purpose, as there: an agent pays for every word it reads.

use serde::{Deserialize, Serialize};

use super::{Attempt, Cost, Debate, Delta, ListedDebate, Status, StatusEvent, StopReason, Turn};

/// A debate that was made.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Started {
    /// Which one.
    pub debate_id: String,
    /// Where it stands.
    pub status: Status,
    /// Whether it runs because of this command.
    pub enqueued: bool,
    /// Whether all that speaks in it is the built-in demo.
    pub demo: bool,
    /// The client's name for the write.
    pub client_request_id: String,
}

/// A debate after something was asked of it.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Moved {
    /// Which one.
    pub debate_id: String,
    /// Where it stands.
    pub status: Status,
    /// Why it does not run any more.
    pub stop_reason: Option<StopReason>,
    /// What went wrong last, until something goes well.
    pub last_error: Option<String>,
}

impl From<Debate> for Moved {
    fn from(debate: Debate) -> Self {
        let Debate { id: debate_id, status, stop_reason, last_error, .. } = debate;
        Self { debate_id, status, stop_reason, last_error }
    }
}

/// A page of the list.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Debates {
    /// The debates, last changed first.
    pub debates: Vec<ListedDebate>,
    /// Where the next page begins; null on the last one.
    pub next_cursor: Option<String>,
}

/// Every call to a provider that was made for a debate.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Attempts {
    /// Which debate.
    pub debate_id: String,
    /// The calls, oldest first.
    pub attempts: Vec<Attempt>,
}

/// A transcript in a file.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Exported {
    /// Which file.
    pub path: String,
    /// How much is in it.
    pub bytes: u64,
    /// How many turns that is.
    pub turns: u64,
}

/// One line of a debate that is followed.
#[derive(Debug, Clone, Serialize, Deserialize)]
#[serde(tag = "event", rename_all = "snake_case")]
pub enum Moment {
    /// The debate as it stood when following began.
    Debate(Box<Debate>),
    /// What was said.
    Turn(Box<Turn>),
    /// Where the debate stands, when that has changed.
    Status(StatusEvent),
    /// More of an answer that is being given.
    Delta(Delta),
    /// No more will come for now.
    End(Box<Ended>),
}

/// How a debate that was followed stands, and what it has cost.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Ended {
    /// The debate as it stands.
    pub debate: Debate,
    /// What all calls to providers cost, whatever came of them.
    pub cost: Cost,
}
