//! Slugs of debates, and lists by slug and by the first digits of ids.

use std::collections::HashMap;

use debate_core::arena::{
    IdPrefix, ListFilter, ListQuery, NameFilter, NewDebate, State, is_slug, slug_candidates,
};
use debate_core::{DebateId, SearchText};
use futures_util::future::join_all;
use uuid::Uuid;

use crate::contract::list::{ids, list_all, listed, query};
use crate::engine::Engine;
use crate::support::{OPPOSE, draft, motion_id, open, opening, title};

/// Several openings with one title whose first slugs are equal. Slugs depend on title and id only,
/// so ids are tried until enough agree.
pub(crate) fn colliding_openings(count: usize) -> Vec<NewDebate> {
    let mut by_slug: HashMap<String, Vec<u128>> = HashMap::new();
    for number in 0x51u128 << 64.. {
        let slug = slug_candidates("On the plan", DebateId::new(Uuid::from_u128(number))).remove(0);
        let found = by_slug.entry(slug).or_default();
        found.push(number);
        if found.len() == count {
            return (1..).zip(found.clone()).map(|(index, id)| plan(index, id)).collect();
        }
    }
    unreachable!("there are more ids than slugs")
}

fn plan(index: u32, id: u128) -> NewDebate {
    let debate = DebateId::new(Uuid::from_u128(id));
    NewDebate { debate, title: title("On the plan"), motion_id: motion_id(index), ..opening(index) }
}

fn named(name: NameFilter) -> ListQuery {
    ListQuery { name: Some(name), ..query(ListFilter::Any, 10) }
}

fn prefix(text: &str) -> NameFilter {
    NameFilter::IdPrefix(IdPrefix::new(text).expect("it begins like a UUID"))
}

pub(crate) async fn debate_gets_a_slug_of_its_title_and_is_found_by_it(on: &Engine) {
    let opening = NewDebate { title: title("Cache the Index!"), ..opening(1) };
    let opened = on.open_debate_as(opening.clone()).await.debate;
    assert!(opened.slug.starts_with("cache-the-index-") && is_slug(&opened.slug));
    assert_eq!(opened.slug, slug_candidates("Cache the Index!", opened.id).remove(0));
    let again = on.store.open(open(opening, 9)).await.expect("a retry is welcome");
    assert_eq!(again.debate.slug, opened.slug);
    let answered = on.add_argument(opened.id, 1, OPPOSE).await;
    assert_eq!(answered.debate.slug, opened.slug);
    assert_eq!(on.transcript(opened.id).await.debate.slug, opened.slug);
    let found = on.store.debate_by_slug(&opened.slug).await.expect("it can be asked");
    assert_eq!(found, Some(opened.id));
    for other in ["cache-the-index-0000", "", &opened.slug.to_uppercase()] {
        let found = on.store.debate_by_slug(other).await.expect("it can be asked");
        assert_eq!(found, None, "{other:?}");
    }
}

pub(crate) async fn two_debates_with_the_same_first_slug_get_different_ones(on: &Engine) {
    let [first, second] = colliding_openings(2).try_into().expect("there are two");
    let first = on.open_debate_as(first).await.debate;
    let second = on.open_debate_as(second).await.debate;
    assert!(second.slug.starts_with(&first.slug) && second.slug.len() > first.slug.len());
    for debate in [first, second] {
        let found = on.store.debate_by_slug(&debate.slug).await.expect("it can be asked");
        assert_eq!(found, Some(debate.id));
    }
}

pub(crate) async fn slug_of_a_deleted_debate_is_not_used_again(on: &Engine) {
    let [first, second] = colliding_openings(2).try_into().expect("there are two");
    let first = on.open_debate_as(first).await.debate;
    on.delete(first.id).await.expect("it is there");
    let found = on.store.debate_by_slug(&first.slug).await.expect("it can be asked");
    assert_eq!(found, None, "a deleted debate has no slug");
    let second = on.open_debate_as(second).await.debate;
    assert!(second.slug.starts_with(&first.slug) && second.slug.len() > first.slug.len());
}

pub(crate) async fn parallel_opens_with_the_same_first_slug_all_succeed(on: &Engine) {
    let openings = colliding_openings(3);
    let opens = openings.into_iter().map(|opening| on.store.open(open(opening, 0)));
    let mut slugs = Vec::new();
    for opened in join_all(opens).await {
        slugs.push(opened.expect("the id is free").debate.slug);
    }
    slugs.sort_unstable();
    slugs.dedup();
    assert_eq!(slugs.len(), 3, "{slugs:?}");
}

pub(crate) async fn slug_filter_lists_the_debate_with_the_slug(on: &Engine) {
    let (one, _) = (on.open_debate(1).await, on.open_debate(2).await);
    let debate = on.transcript(one).await.debate;
    let page = listed(on, named(NameFilter::Slug(debate.slug.clone()))).await;
    assert_eq!((page.total, page.next), (1, None));
    assert_eq!(page.debates, [debate]);
    let page = listed(on, named(NameFilter::Slug("debate-1-0000".to_owned()))).await;
    assert_eq!((page.total, page.debates.len()), (0, 0));
}

/// Debates with these ids, opened one after the other.
async fn open_with_ids<const COUNT: usize>(on: &Engine, ids: [&str; COUNT]) -> [DebateId; COUNT] {
    let debates = ids.map(|id| id.parse().expect("it is a UUID"));
    for (number, debate) in (1..).zip(debates) {
        let opening = NewDebate { debate, ..opening(number) };
        on.store.open(open(opening, number)).await.expect("the id is free");
    }
    debates
}

const IDS: [&str; 5] = [
    "01890a5c-ffff-ffff-ffff-ffffffffffff",
    "01890a5d-0000-0000-0000-000000000000",
    "01890a5d-ac96-774b-bcce-b302099a8057",
    "01890a5d-ffff-ffff-ffff-ffffffffffff",
    "01890a5e-0000-0000-0000-000000000000",
];

pub(crate) async fn id_prefix_filter_lists_and_counts_the_debates_of_its_range(on: &Engine) {
    let all = open_with_ids(on, IDS).await;
    // The last changed is the first in the list.
    for (text, expected) in [
        ("01890a5d", vec![3, 2, 1]),
        ("01890A5D", vec![3, 2, 1]),
        ("0189", vec![4, 3, 2, 1, 0]),
        ("01890a5d-ac96", vec![2]),
        (IDS[2], vec![2]),
        ("01890a5f", vec![]),
        ("ffff", vec![]),
    ] {
        let page = listed(on, named(prefix(text))).await;
        let expected: Vec<_> = expected.into_iter().filter_map(|index| all.get(index)).collect();
        assert_eq!(ids(&page.debates).iter().collect::<Vec<_>>(), expected, "{text}");
        assert_eq!(page.total, u64::try_from(expected.len()).expect("it is small"), "{text}");
    }
}

pub(crate) async fn pages_of_an_id_prefix_join_without_a_gap(on: &Engine) {
    let all = open_with_ids(on, IDS).await;
    let pages = ListQuery { name: Some(prefix("01890a5d")), ..query(ListFilter::Any, 1) };
    let page = listed(on, pages.clone()).await;
    assert_eq!((page.total, page.debates.len()), (3, 1));
    assert_eq!(ids(&list_all(on, pages).await), [all[3], all[2], all[1]]);
}

pub(crate) async fn name_filters_are_combined_with_the_other_filters(on: &Engine) {
    let all = open_with_ids(on, IDS).await;
    on.add_draft(all[2], draft(50, OPPOSE), 50).await;
    let slug = on.transcript(all[2]).await.debate.slug;
    let waiting = ListFilter::In(State::AwaitingProposer);
    let search = |text| Some(SearchText::new(text).expect("it is not blank"));
    for (name, filter, search, expected) in [
        (prefix("01890a5d"), waiting, None, vec![all[2]]),
        (prefix("01890a5d"), ListFilter::PendingFirstOpponent, None, vec![all[3], all[1]]),
        (prefix("01890a5d"), ListFilter::Any, search("debate 3"), vec![all[2]]),
        (prefix("01890a5d"), ListFilter::Any, search("motion 4"), vec![all[3]]),
        (prefix("01890a5d"), ListFilter::Any, search("debate 5"), vec![]),
        (prefix("01890a5d"), waiting, search("debate 4"), vec![]),
        (NameFilter::Slug(slug.clone()), waiting, search("debate 3"), vec![all[2]]),
        (NameFilter::Slug(slug.clone()), ListFilter::In(State::Closed), None, vec![]),
        (NameFilter::Slug(slug), ListFilter::Any, search("debate 4"), vec![]),
    ] {
        let asked = ListQuery { filter, search, ..named(name) };
        let page = listed(on, asked.clone()).await;
        assert_eq!(ids(&page.debates), expected, "{asked:?}");
        assert_eq!(page.total, u64::try_from(expected.len()).expect("it is small"), "{asked:?}");
    }
}
