//! What a list of debates is asked for.

use jiff::Timestamp;

use super::rules::State;
use crate::{DebateId, Limit, Offset, SearchText, Seq};

/// Which debates are wanted.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Filter {
    /// All of them.
    Any,
    /// Those in one state.
    In(State),
    /// Those nobody has opposed yet: only the motion is there, and the opponent is awaited.
    PendingFirstOpponent,
}

impl Filter {
    /// Every filter.
    pub const ALL: [Self; 7] = [
        Self::Any,
        Self::In(State::AwaitingOpponent),
        Self::In(State::AwaitingProposer),
        Self::In(State::AwaitingArbitrator),
        Self::In(State::InterventionPending),
        Self::In(State::Closed),
        Self::PendingFirstOpponent,
    ];

    /// Whether a debate that stands there is among those wanted.
    #[must_use]
    pub fn shows(self, state: State, last_seq: Seq) -> bool {
        match self {
            Self::Any => true,
            Self::In(wanted) => state == wanted,
            Self::PendingFirstOpponent => {
                state == State::AwaitingOpponent && last_seq == Seq::FIRST
            }
        }
    }
}

/// A place in the list, newest first: after the debate that was last seen there.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Cursor {
    /// When that debate was last changed, as seen then.
    pub updated_at: Timestamp,
    /// Which it was; settles the order of debates changed in the same instant.
    pub debate: DebateId,
}

/// Where the page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum Start {
    /// After so many.
    At(Offset),
    /// After the last one of an earlier page; costs the same however deep.
    After(Cursor),
}

/// A page of the list.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// Which debates.
    pub filter: Filter,
    /// Only those that contain this.
    pub search: Option<SearchText>,
    /// From where.
    pub start: Start,
    /// How many.
    pub limit: Limit,
}
