//! Queries of the list of debates.

use jiff::Timestamp;

use super::rules::State;
use crate::{DebateId, Limit, Offset, SearchText, Seq};

/// A filter by state.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListFilter {
    /// All debates, in any state.
    Any,
    /// Debates in one state.
    In(State),
    /// Debates that only have their motion and wait for the opponent.
    PendingFirstOpponent,
}

impl ListFilter {
    /// All filters, in declaration order.
    pub const ALL: [Self; 7] = [
        Self::Any,
        Self::In(State::AwaitingOpponent),
        Self::In(State::AwaitingProposer),
        Self::In(State::AwaitingArbitrator),
        Self::In(State::InterventionPending),
        Self::In(State::Closed),
        Self::PendingFirstOpponent,
    ];

    /// Whether a debate with this state and newest position matches the filter.
    #[must_use]
    pub fn matches(self, state: State, last_seq: Seq) -> bool {
        match self {
            Self::Any => true,
            Self::In(wanted) => state == wanted,
            Self::PendingFirstOpponent => {
                state == State::AwaitingOpponent && last_seq == Seq::FIRST
            }
        }
    }
}

/// A position in the list, last changed first: behind the last debate of a page.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct ListPosition {
    /// The time of that debate's last change when the page was read.
    pub updated_at: Timestamp,
    /// The id of that debate, which orders debates that changed at the same time.
    pub debate: DebateId,
}

/// The position at which a page begins.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum ListStart {
    /// After this number of debates.
    At(Offset),
    /// After the last debate of an earlier page. The cost does not depend on the position.
    After(ListPosition),
}

/// The first digits of a debate's id.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct IdPrefix {
    /// The smallest id with these digits.
    pub first: DebateId,
    /// The largest id with these digits.
    pub last: DebateId,
}

impl IdPrefix {
    /// Parses 4 to 36 characters that a hyphenated UUID may begin with.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        const FORM: &str = "00000000-0000-0000-0000-000000000000";
        if !(4..=FORM.len()).contains(&text.len()) || !text.is_ascii() {
            return None;
        }
        let fill = |digit: &str| {
            let rest = FORM.get(text.len()..)?.replace('0', digit);
            format!("{text}{rest}").parse().ok()
        };
        Some(Self { first: fill("0")?, last: fill("f")? })
    }
}

/// A filter by the name of a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum NameFilter {
    /// The debate with this slug.
    Slug(String),
    /// Debates whose id begins like this.
    IdPrefix(IdPrefix),
}

/// A query of one page of the list.
#[derive(Debug, Clone)]
pub struct ListQuery {
    /// The filter by state.
    pub filter: ListFilter,
    /// A text that title or motion must contain.
    pub search: Option<SearchText>,
    /// The name that debates must have.
    pub name: Option<NameFilter>,
    /// The position at which the page begins.
    pub start: ListStart,
    /// The maximum number of debates.
    pub limit: Limit,
}
