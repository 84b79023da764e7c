//! Turns of a run.

use jiff::Timestamp;

use super::cursor::Cursor;
use super::verdict::Judgement;
use crate::{RunId, Seq, TurnId, Usage};

/// Whether the model gave a usable answer.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// The answer is complete.
    Ok,
    /// The model refused to answer.
    Refused,
    /// The answer was cut off.
    Truncated,
}

impl Outcome {
    /// All outcomes, in declaration order.
    pub const ALL: [Self; 3] = [Self::Ok, Self::Refused, Self::Truncated];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::Truncated => "truncated",
        }
    }

    /// The outcome with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// Facts about a turn besides its text.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// Whether the model gave a usable answer.
    pub outcome: Outcome,
    /// The judge's verdict; only in a judge's turn.
    pub judgement: Option<Judgement>,
    /// The duration in milliseconds of the call whose answer became the turn. None for turns of
    /// releases that did not record it.
    pub duration_ms: Option<u64>,
}

/// A stored turn. It never changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Turn {
    /// The id of the turn.
    pub id: TurnId,
    /// The run that it belongs to.
    pub run: RunId,
    /// The position among all turns of the run.
    pub seq: Seq,
    /// The round and the actor.
    pub cursor: Cursor,
    /// The text as Markdown, unchanged.
    pub content: String,
    /// The model, as the provider reported it.
    pub model: Option<String>,
    /// The tokens that it used.
    pub usage: Usage,
    /// Outcome, verdict and duration.
    pub metadata: Metadata,
    /// The time of its commit.
    pub created_at: Timestamp,
}

/// Leaves the text out: content must not reach a log.
impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn")
            .field("id", &self.id)
            .field("run", &self.run)
            .field("seq", &self.seq)
            .field("cursor", &self.cursor)
            .finish_non_exhaustive()
    }
}
