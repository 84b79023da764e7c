//! The arena's part of the home page.

use debate_app::arena::{Arena, ArenaError, DebateListPage};
use debate_core::arena::{Debate, ListFilter, ListQuery, ListStart, State};
use debate_core::{Limit, Offset};

use super::view::Row;

/// The number of debates in each list.
const SHOWN: u32 = 8;

/// Debates that need a ruling, active debates and closed debates.
pub(crate) struct Overview {
    /// Those that wait for a ruling, longest first.
    pub(crate) needs_you: Vec<Row>,
    pub(crate) needs_you_total: u64,
    /// Those where a side is to speak, last changed first.
    pub(crate) going_on: Vec<Row>,
    /// The last ones to end.
    pub(crate) closed: Vec<Row>,
    pub(crate) is_empty: bool,
}

impl Overview {
    pub(crate) fn has_more(&self) -> bool {
        u64::try_from(self.needs_you.len()).is_ok_and(|shown| shown < self.needs_you_total)
    }
}

/// Reads it, a few rows a state.
pub(in crate::pages) async fn overview(arena: &Arena) -> Result<Overview, ArenaError> {
    let asked = in_state(arena, State::AwaitingArbitrator).await?;
    let stopped = in_state(arena, State::InterventionPending).await?;
    let opponents = in_state(arena, State::AwaitingOpponent).await?;
    let proposers = in_state(arena, State::AwaitingProposer).await?;
    let closed = in_state(arena, State::Closed).await?;
    let pages = [&asked, &stopped, &opponents, &proposers, &closed];
    let is_empty = pages.iter().all(|page| page.total == 0);
    let needs_you_total = asked.total + stopped.total;
    let mut needs_you = last_changed(asked, stopped);
    needs_you.reverse();
    Ok(Overview {
        needs_you: needs_you.into_iter().map(Row::from).collect(),
        needs_you_total,
        going_on: last_changed(opponents, proposers).into_iter().map(Row::from).collect(),
        closed: closed.debates.into_iter().map(Row::from).collect(),
        is_empty,
    })
}

async fn in_state(arena: &Arena, state: State) -> Result<DebateListPage, ArenaError> {
    let limit = Limit::new(SHOWN).unwrap_or(Limit::DEFAULT);
    let start = ListStart::At(Offset::default());
    arena.list(ListQuery { filter: ListFilter::In(state), search: None, start, limit }).await
}

fn last_changed(one: DebateListPage, other: DebateListPage) -> Vec<Debate> {
    let mut both: Vec<Debate> = one.debates.into_iter().chain(other.debates).collect();
    both.sort_by_key(|debate| std::cmp::Reverse(debate.updated_at));
    both.truncate(usize::try_from(SHOWN).unwrap_or(usize::MAX));
    both
}
