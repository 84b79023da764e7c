//! What was said.

use jiff::Timestamp;

use super::cursor::Cursor;
use super::verdict::Judgement;
use crate::{RunId, Seq, TurnId, Usage};

/// Whether a turn is what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Outcome {
    /// A whole answer.
    Ok,
    /// The model declined.
    Refused,
    /// The answer was cut off.
    Truncated,
}

impl Outcome {
    /// Every outcome.
    pub const ALL: [Self; 3] = [Self::Ok, Self::Refused, Self::Truncated];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Ok => "ok",
            Self::Refused => "refused",
            Self::Truncated => "truncated",
        }
    }

    /// The outcome of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|outcome| outcome.name() == name)
    }
}

/// What is known of a turn beside its words.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Metadata {
    /// Whether it is what was asked for.
    pub outcome: Outcome,
    /// What the judge decided; only a judge's turn has one.
    pub judgement: Option<Judgement>,
    /// How many milliseconds the call took whose answer became the turn. None for turns of releases
    /// that did not record it.
    pub duration_ms: Option<u64>,
}

/// One turn, as it was kept. It never changes.
#[derive(Clone, PartialEq, Eq)]
pub struct Turn {
    /// Which one.
    pub id: TurnId,
    /// Where it belongs.
    pub debate: RunId,
    /// Its place among all turns.
    pub seq: Seq,
    /// Its round, and who spoke.
    pub place: Cursor,
    /// What was said.
    pub content: String,
    /// Who said it, as the provider names it.
    pub model: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// What else is known.
    pub metadata: Metadata,
    /// When it was kept.
    pub created_at: Timestamp,
}

/// Leaves out what was said: content never reaches a log.
impl std::fmt::Debug for Turn {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.debug_struct("Turn")
            .field("id", &self.id)
            .field("debate", &self.debate)
            .field("seq", &self.seq)
            .field("place", &self.place)
            .finish_non_exhaustive()
    }
}
