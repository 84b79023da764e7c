//! What a page of the list is made of, whatever the engine.

use debate_app::arena::DebatePage;
use debate_core::Seq;
use debate_core::arena::{Cursor, Debate, Filter, ListQuery, State};

/// A page out of what was found: one more than asked for, which tells whether there is a next one.
pub(crate) fn page_of(query: &ListQuery, mut found: Vec<Debate>, total: u64) -> DebatePage {
    let asked = usize::try_from(query.limit.count()).unwrap_or(usize::MAX);
    let more = found.len() > asked;
    found.truncate(asked);
    let next = found
        .last()
        .filter(|_| more)
        .map(|last| Cursor { updated_at: last.updated_at, debate: last.id });
    DebatePage { debates: found, total, next }
}

/// A filter as two conditions, each of which may be none.
pub(crate) struct Narrowed {
    pub(crate) state: Option<&'static str>,
    pub(crate) last_seq: Option<u32>,
}

impl Narrowed {
    pub(crate) fn by(filter: Filter) -> Self {
        match filter {
            Filter::Any => Self { state: None, last_seq: None },
            Filter::In(state) => Self { state: Some(state.name()), last_seq: None },
            Filter::PendingFirstOpponent => Self {
                state: Some(State::AwaitingOpponent.name()),
                last_seq: Some(Seq::FIRST.number()),
            },
        }
    }
}
