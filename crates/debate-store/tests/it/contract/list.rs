//! The list of debates: its order, its filters, its pages and its totals.

use std::cell::Cell;

use debate_app::arena::DebateListPage;
use debate_core::arena::{Debate, ListFilter, ListPosition, ListQuery, ListStart, Move, State};
use debate_core::{DebateId, Limit, Offset};

use crate::contract::append::WAYS;
use crate::engine::Engine;
use crate::support::{CLOSE, OPPOSE, PROPOSE, RULE, debate_id, open, opening};

pub(crate) fn limit(count: u32) -> Limit {
    Limit::new(count).expect("tests ask for little")
}

pub(crate) const FILTERS: [ListFilter; 7] = [
    ListFilter::Any,
    ListFilter::PendingFirstOpponent,
    ListFilter::In(State::AwaitingOpponent),
    ListFilter::In(State::AwaitingProposer),
    ListFilter::In(State::AwaitingArbitrator),
    ListFilter::In(State::InterventionPending),
    ListFilter::In(State::Closed),
];

/// The first page under a filter.
pub(crate) fn query(filter: ListFilter, count: u32) -> ListQuery {
    let start = ListStart::At(Offset::default());
    ListQuery { filter, search: None, name: None, start, limit: limit(count) }
}

pub(crate) async fn listed(on: &Engine, query: ListQuery) -> DebateListPage {
    on.store.list(query).await.expect("a list is always there")
}

pub(crate) async fn everything(on: &Engine, limit: Limit) -> DebateListPage {
    listed(on, query(ListFilter::Any, limit.count())).await
}

pub(crate) fn ids(debates: &[Debate]) -> Vec<DebateId> {
    debates.iter().map(|debate| debate.id).collect()
}

/// More pages than any test has, so that a loop ends.
const PAGES_MAX: usize = 100;

/// All pages to the end, by cursor.
pub(crate) async fn list_all(on: &Engine, mut query: ListQuery) -> Vec<Debate> {
    let mut debates = Vec::new();
    for _ in 0..PAGES_MAX {
        let page = listed(on, query.clone()).await;
        let last = page.debates.last().map(|last| (last.updated_at, last.id));
        debates.extend(page.debates);
        let Some(next) = page.next else { return debates };
        assert_eq!(last, Some((next.updated_at, next.debate)), "the cursor is the last one seen");
        query.start = ListStart::After(next);
    }
    panic!("the walk does not end");
}

/// The totals of all filters, as the store counts them.
#[derive(Debug, PartialEq, Eq)]
pub(crate) struct Totals {
    pub(crate) any: u64,
    pub(crate) unopposed: u64,
    pub(crate) by_state: [u64; 5],
}

pub(crate) async fn totals(on: &Engine) -> Totals {
    let mut by_state = [0; 5];
    for (total, state) in by_state.iter_mut().zip(State::ALL) {
        *total = listed(on, query(ListFilter::In(state), 0)).await.total;
    }
    Totals {
        any: listed(on, query(ListFilter::Any, 0)).await.total,
        unopposed: listed(on, query(ListFilter::PendingFirstOpponent, 0)).await.total,
        by_state,
    }
}

/// Seven debates with the same time, two of them in each of two states.
async fn of_one_instant(on: &Engine) {
    for number in 1..=7 {
        on.store.open(open(opening(number), 5)).await.expect("the id is free");
    }
}

pub(crate) async fn list_is_ordered_by_last_change(on: &Engine) {
    for (number, second) in [(1, 30), (2, 10), (3, 20)] {
        on.store.open(open(opening(number), second)).await.expect("the id is free");
    }
    let page = everything(on, Limit::DEFAULT).await;
    assert_eq!(ids(&page.debates), [1, 3, 2].map(debate_id));

    on.add_argument(debate_id(2), 40, OPPOSE).await;
    let page = everything(on, Limit::DEFAULT).await;
    assert_eq!(ids(&page.debates), [2, 1, 3].map(debate_id));
    assert_eq!((page.total, page.next), (3, None));
}

pub(crate) async fn list_shows_the_current_state_of_each_debate(on: &Engine) {
    let debate = on.play_moves(1, &[OPPOSE, PROPOSE, OPPOSE, Move::Appeal]).await;
    let page = everything(on, Limit::DEFAULT).await;
    assert_eq!(page.debates, [on.transcript(debate).await.debate]);
}

pub(crate) async fn each_filter_lists_and_counts_its_debates(on: &Engine) {
    // The number of debates in each state, and each way back to the opponent's turn.
    let mut number = 0;
    for (many, (_, way)) in (1..).zip(WAYS) {
        for _ in 0..many {
            number += 1;
            on.play_moves(number, way).await;
        }
    }
    let back: [&[Move]; 2] = [&[OPPOSE, PROPOSE], &[Move::Intervene, RULE, PROPOSE]];
    for way in back {
        number += 1;
        on.play_moves(number, way).await;
    }
    assert_eq!(totals(on).await, Totals { any: 17, unopposed: 1, by_state: [3, 2, 3, 4, 5] });
    for state in State::ALL {
        let page = listed(on, query(ListFilter::In(state), 500)).await;
        assert!(page.debates.iter().all(|debate| debate.state == state), "{state}");
        assert_eq!(u64::try_from(page.debates.len()), Ok(page.total), "{state}");
    }
    let unopposed = listed(on, query(ListFilter::PendingFirstOpponent, 500)).await;
    assert_eq!(ids(&unopposed.debates), [debate_id(1)]);
}

/// A debate with only its motion that waits for the opponent; an intervention ends that too.
pub(crate) async fn debate_is_unopposed_until_its_second_argument(on: &Engine) {
    for (number, mv) in [(1, OPPOSE), (2, Move::Intervene)] {
        let debate = on.open_debate(number).await;
        assert_eq!(totals(on).await.unopposed, 1);
        on.add_argument(debate, number, mv).await;
        assert_eq!(totals(on).await.unopposed, 0);
        assert!(listed(on, query(ListFilter::PendingFirstOpponent, 9)).await.debates.is_empty());
    }
    let deleted = on.open_debate(3).await;
    on.delete(deleted).await.expect("it exists");
    assert_eq!(totals(on).await.unopposed, 0);
}

pub(crate) async fn totals_follow_every_move_and_delete(on: &Engine) {
    let counted = |any, unopposed, by_state| Totals { any, unopposed, by_state };
    let debate = on.open_debate(1).await;
    assert_eq!(totals(on).await, counted(1, 1, [1, 0, 0, 0, 0]));
    on.add_argument(debate, 1, OPPOSE).await;
    assert_eq!(totals(on).await, counted(1, 0, [0, 1, 0, 0, 0]));
    on.add_argument(debate, 2, PROPOSE).await;
    assert_eq!(totals(on).await, counted(1, 0, [1, 0, 0, 0, 0]));
    on.add_argument(debate, 3, Move::Intervene).await;
    assert_eq!(totals(on).await, counted(1, 0, [0, 0, 0, 1, 0]));
    on.add_argument(debate, 4, RULE).await;
    on.add_argument(debate, 5, Move::Appeal).await;
    assert_eq!(totals(on).await, counted(1, 0, [0, 0, 1, 0, 0]));
    on.add_argument(debate, 6, CLOSE).await;
    assert_eq!(totals(on).await, counted(1, 0, [0, 0, 0, 0, 1]));
    on.delete(debate).await.expect("it exists");
    assert_eq!(totals(on).await, counted(0, 0, [0; 5]));
}

/// Debates that changed at the same time have one order in every read.
pub(crate) async fn order_of_debates_with_equal_times_is_stable(on: &Engine) {
    of_one_instant(on).await;
    let whole = ids(&everything(on, Limit::DEFAULT).await.debates);
    assert_eq!(whole.len(), 7);
    for _ in 0..3 {
        assert_eq!(ids(&everything(on, Limit::DEFAULT).await.debates), whole);
    }
    for filter in [ListFilter::In(State::AwaitingOpponent), ListFilter::PendingFirstOpponent] {
        assert_eq!(ids(&listed(on, query(filter, 50)).await.debates), whole, "{filter:?}");
    }
}

pub(crate) async fn offset_skips_that_number_of_debates(on: &Engine) {
    of_one_instant(on).await;
    let whole = ids(&everything(on, Limit::DEFAULT).await.debates);
    for offset in [0, 1, 3, 6, 7, 8, 1000, Offset::MOST] {
        let start = ListStart::At(Offset::new(offset).expect("it is in range"));
        let page = listed(on, ListQuery { start, ..query(ListFilter::Any, 2) }).await;
        let skipped = usize::try_from(offset).expect("a u32 fits");
        let expected: Vec<_> = whole.iter().skip(skipped).take(2).copied().collect();
        assert_eq!(ids(&page.debates), expected, "{offset}");
        assert_eq!(page.total, 7, "{offset}");
        assert_eq!(page.next.is_some(), skipped.saturating_add(2) < whole.len(), "{offset}");
    }
}

pub(crate) async fn cursors_visit_every_debate_once(on: &Engine) {
    of_one_instant(on).await;
    for (number, (_, way)) in (10..).zip(WAYS.into_iter().cycle().take(15)) {
        on.play_moves(number, way).await;
    }
    for filter in FILTERS {
        let whole = listed(on, query(filter, 500)).await;
        assert_eq!(whole.next, None);
        for count in [1, 2, 3, 7, 500] {
            let walk = list_all(on, query(filter, count)).await;
            assert_eq!(walk, whole.debates, "{filter:?}, {count} at a time");
        }
    }
}

pub(crate) async fn empty_page_has_the_total(on: &Engine) {
    of_one_instant(on).await;
    let page = everything(on, limit(0)).await;
    assert!(page.debates.is_empty());
    assert_eq!((page.total, page.next), (7, None));
}

pub(crate) async fn next_page_is_announced_only_if_it_has_entries(on: &Engine) {
    of_one_instant(on).await;
    assert!(everything(on, limit(6)).await.next.is_some());
    assert_eq!(everything(on, limit(7)).await.next, None);
    assert_eq!(everything(on, limit(8)).await.next, None);
}

/// A page and its total are one snapshot while debates are opened and deleted.
pub(crate) async fn page_and_total_are_consistent_during_writes(on: &Engine) {
    let writing = Cell::new(true);
    let write = async {
        for number in 1..=150 {
            on.open_debate(number).await;
            if number % 3 == 0 {
                on.delete(debate_id(number)).await.expect("it was just opened");
            }
        }
        writing.set(false);
    };
    let read = async {
        while writing.get() {
            let page = everything(on, limit(500)).await;
            assert_eq!(u64::try_from(page.debates.len()), Ok(page.total));
        }
    };
    tokio::join!(write, read);
    assert_eq!(everything(on, limit(0)).await.total, 100);
}

/// A cursor is a position: it is valid after its debate was deleted.
pub(crate) async fn cursor_of_a_deleted_debate_is_valid(on: &Engine) {
    of_one_instant(on).await;
    let whole = ids(&everything(on, Limit::DEFAULT).await.debates);
    let cursor = everything(on, limit(3)).await.next.expect("there are more");
    on.delete(cursor.debate).await.expect("it exists");
    let rest =
        listed(on, ListQuery { start: ListStart::After(cursor), ..query(ListFilter::Any, 50) })
            .await;
    assert_eq!(ids(&rest.debates), whole.get(3..).expect("there are seven"));
    assert_eq!(rest.total, 6);
}

pub(crate) async fn cursor_at_the_end_returns_an_empty_page(on: &Engine) {
    of_one_instant(on).await;
    let page = everything(on, Limit::DEFAULT).await;
    let last = page.debates.last().expect("there are seven");
    let end = ListPosition { updated_at: last.updated_at, debate: last.id };
    let rest =
        listed(on, ListQuery { start: ListStart::After(end), ..query(ListFilter::Any, 50) }).await;
    assert!(rest.debates.is_empty());
    assert_eq!((rest.total, rest.next), (7, None));
}
