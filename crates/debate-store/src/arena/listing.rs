//! Pages of the list of debates, once for both engines.

use debate_app::arena::DebateListPage;
use debate_core::Seq;
use debate_core::arena::{
    Debate, ListFilter, ListPosition, ListQuery, ListStart, NameFilter, State,
};
use uuid::Uuid;

/// Whether the cost of a query grows with the number of debates, so that it must not delay other
/// lists. Many debates may share the first digits of their ids, because ids may begin with a time.
pub(crate) const fn reads_many_debates(query: &ListQuery) -> bool {
    let has_prefix = match &query.name {
        Some(NameFilter::IdPrefix(_)) => true,
        Some(NameFilter::Slug(_)) | None => false,
    };
    query.search.is_some() || has_prefix
}

/// A row of a page statement.
pub(crate) struct ListedRow {
    /// The position of the row in the list; none if it cannot be decoded.
    pub(crate) position: Option<ListPosition>,
    /// None if the debate cannot be decoded.
    pub(crate) debate: Option<Debate>,
}

/// Builds a page from its rows, which are one more than its limit if there is a next page.
pub(crate) fn build_page(
    query: &ListQuery,
    mut rows: Vec<ListedRow>,
    total: u64,
) -> DebateListPage {
    let limit = usize::try_from(query.limit.count()).unwrap_or(usize::MAX);
    let has_more = rows.len() > limit;
    rows.truncate(limit);
    let next = rows.iter().rev().find_map(|row| row.position).filter(|_| has_more);
    let debates = rows.into_iter().filter_map(|row| row.debate).collect();
    DebateListPage { debates, total, next }
}

/// The parameters of every page statement: the position before which the page begins, the number of
/// rows, and the number of rows to skip.
pub(crate) struct PageBounds {
    pub(crate) updated_at: i64,
    pub(crate) id: Uuid,
    pub(crate) limit: i64,
    pub(crate) offset: i64,
}

impl PageBounds {
    pub(crate) fn new(query: &ListQuery) -> Self {
        // One row more than the page holds shows whether there is a next page.
        let limit = i64::from(query.limit.count()) + 1;
        match query.start {
            // Later than every debate.
            ListStart::At(offset) => {
                let offset = i64::from(offset.count());
                Self { updated_at: i64::MAX, id: Uuid::nil(), limit, offset }
            }
            ListStart::After(ListPosition { updated_at, debate }) => {
                let (updated_at, id) = (updated_at.as_microsecond(), debate.uuid());
                Self { updated_at, id, limit, offset: 0 }
            }
        }
    }
}

/// A filter as conditions on two columns. `None` selects every value of the column.
pub(crate) struct FilterColumns {
    pub(crate) state: Option<&'static str>,
    pub(crate) last_seq: Option<u32>,
}

impl FilterColumns {
    pub(crate) fn new(filter: ListFilter) -> Self {
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
