//! The arena's part of the home page.

use debate_app::arena::{Arena, ArenaError, DebateListPage};
use debate_core::arena::{Debate, ListFilter, ListQuery, ListStart, State};
use debate_core::{Limit, Offset};

use super::rights::RightsHint;
use super::seats::read_rows;
use super::view::DebateRow;
use crate::frame::PageRequest;

/// The number of debates in each list.
const ROWS_MAX: u32 = 8;

/// The newest debates of each kind, for the home page.
#[derive(Debug)]
pub struct DebateOverview {
    /// Debates that need a ruling, longest waiting first.
    pub(crate) needs_ruling: Vec<RulingCard>,
    pub(crate) needs_ruling_total: u64,
    /// Debates that wait for a side, last changed first.
    pub(crate) active: Vec<DebateRow>,
    pub(crate) closed: Vec<DebateRow>,
    pub(crate) is_empty: bool,
}

/// A debate that needs a ruling.
#[derive(Debug)]
pub(crate) struct RulingCard {
    pub(crate) row: DebateRow,
    /// The way to arbitrator rights, if this browser cannot rule.
    pub(crate) hint: Option<RightsHint>,
}

impl DebateOverview {
    pub(crate) fn has_more(&self) -> bool {
        u64::try_from(self.needs_ruling.len()).is_ok_and(|shown| shown < self.needs_ruling_total)
    }
}

/// Reads at most eight debates of each state.
pub async fn overview(arena: &Arena, request: &PageRequest) -> Result<DebateOverview, ArenaError> {
    let unruled = list_in_state(arena, State::AwaitingArbitrator).await?;
    let paused = list_in_state(arena, State::InterventionPending).await?;
    let opponents = list_in_state(arena, State::AwaitingOpponent).await?;
    let proposers = list_in_state(arena, State::AwaitingProposer).await?;
    let closed = list_in_state(arena, State::Closed).await?;
    let pages = [&unruled, &paused, &opponents, &proposers, &closed];
    let is_empty = pages.iter().all(|page| page.total == 0);
    let needs_ruling_total = unruled.total + paused.total;
    let mut needs_ruling = merge_by_change(unruled, paused);
    needs_ruling.reverse();
    Ok(DebateOverview {
        needs_ruling: ruling_cards(arena, request, needs_ruling).await?,
        needs_ruling_total,
        active: read_rows(arena, merge_by_change(opponents, proposers)).await?,
        closed: read_rows(arena, closed.debates).await?,
        is_empty,
    })
}

async fn ruling_cards(
    arena: &Arena,
    request: &PageRequest,
    debates: Vec<Debate>,
) -> Result<Vec<RulingCard>, ArenaError> {
    let hints: Vec<_> = debates.iter().map(|debate| RightsHint::new(request, debate)).collect();
    let rows = read_rows(arena, debates).await?;
    Ok(rows.into_iter().zip(hints).map(|(row, hint)| RulingCard { row, hint }).collect())
}

async fn list_in_state(arena: &Arena, state: State) -> Result<DebateListPage, ArenaError> {
    let limit = Limit::new(ROWS_MAX).unwrap_or(Limit::DEFAULT);
    let start = ListStart::At(Offset::default());
    let filter = ListFilter::In(state);
    arena.list(ListQuery { filter, search: None, name: None, start, limit }).await
}

fn merge_by_change(one: DebateListPage, other: DebateListPage) -> Vec<Debate> {
    let mut both: Vec<Debate> = one.debates.into_iter().chain(other.debates).collect();
    both.sort_by_key(|debate| std::cmp::Reverse(debate.updated_at));
    both.truncate(usize::try_from(ROWS_MAX).unwrap_or(usize::MAX));
    both
}
