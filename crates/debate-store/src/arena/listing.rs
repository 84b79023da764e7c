//! What a page of the list is made of, whatever the engine.

use debate_app::arena::DebatePage;
use debate_core::Seq;
use debate_core::arena::{Debate, ListFilter, ListPosition, ListQuery, State};

/// A row that a page's statement found.
pub(crate) struct ListedRow {
    /// Where the row is in the list; absent where that cannot be decoded.
    pub(crate) place: Option<ListPosition>,
    /// Absent where the debate cannot be decoded.
    pub(crate) debate: Option<Debate>,
}

/// The page that rows make. There is one row more than asked for if there is a next page.
pub(crate) fn page_of(query: &ListQuery, mut rows: Vec<ListedRow>, total: u64) -> DebatePage {
    let asked = usize::try_from(query.limit.count()).unwrap_or(usize::MAX);
    let has_more = rows.len() > asked;
    rows.truncate(asked);
    let next = rows.iter().rev().find_map(|row| row.place).filter(|_| has_more);
    let debates = rows.into_iter().filter_map(|row| row.debate).collect();
    DebatePage { debates, total, next }
}

/// A filter as two conditions, each of which may be none.
pub(crate) struct Narrowed {
    pub(crate) state: Option<&'static str>,
    pub(crate) last_seq: Option<u32>,
}

impl Narrowed {
    pub(crate) fn by(filter: ListFilter) -> Self {
        match filter {
            ListFilter::Any => Self { state: None, last_seq: None },
            ListFilter::In(state) => Self { state: Some(state.name()), last_seq: None },
            ListFilter::PendingFirstOpponent => Self {
                state: Some(State::AwaitingOpponent.name()),
                last_seq: Some(Seq::FIRST.number()),
            },
        }
    }
}
