//! Searches in titles and motions: any case, every character literal.

use debate_core::arena::{Draft, ListFilter, ListQuery, ListStart, NewDebate, State};
use debate_core::{DebateId, Offset, SearchText};

use crate::contract::list::{FILTERS, ids, list_all, listed, query};
use crate::engine::Engine;
use crate::support::{OPPOSE, PROPOSE, content, debate_id, draft, opening, title};

fn search(text: &str, filter: ListFilter, count: u32) -> ListQuery {
    let search = Some(SearchText::new(text).expect("tests search for little"));
    ListQuery { search, ..query(filter, count) }
}

/// The debates that a search finds, in the order of their numbers.
async fn search_ids(on: &Engine, text: &str) -> Vec<DebateId> {
    let page = listed(on, search(text, ListFilter::Any, 500)).await;
    assert_eq!(u64::try_from(page.debates.len()), Ok(page.total), "{text}");
    let mut found = ids(&page.debates);
    found.sort();
    found
}

async fn titled(on: &Engine, number: u32, text: &str, motion: &str) {
    on.open_debate_as(NewDebate { title: title(text), motion: content(motion), ..opening(number) })
        .await;
}

pub(crate) async fn search_matches_titles_and_motions_in_any_case(on: &Engine) {
    titled(on, 1, "Tabs or SPACES", "We use tabs.").await;
    titled(on, 2, "Indentation", "Spaces it is, four of them.").await;
    titled(on, 3, "Line ends", "LF.").await;
    assert_eq!(search_ids(on, "spaces").await, [1, 2].map(debate_id));
    assert_eq!(search_ids(on, "SpAcEs").await, [1, 2].map(debate_id));
    assert_eq!(search_ids(on, "tabs").await, [debate_id(1)]);
    assert_eq!(search_ids(on, "four OF").await, [debate_id(2)]);
    assert_eq!(search_ids(on, "lf").await, [debate_id(3)]);
    assert_eq!(search_ids(on, "crlf").await, []);
}

pub(crate) async fn search_ignores_case_in_other_alphabets(on: &Engine) {
    titled(on, 1, "ÜBER ÄNDERUNGEN", "Straße").await;
    titled(on, 2, "Привет", "МИР").await;
    titled(on, 3, "ΚΑΛΗΜΕΡΑ", "Ժամանակ").await;
    titled(on, 4, "漢字", "ﷺ🦀").await;
    for (number, texts) in [
        (1, ["über", "ÄNDERUNG", "STRAßE"]),
        (2, ["ПРИВЕТ", "мир", "привет"]),
        (3, ["καλημερα", "ԺԱՄԱՆԱԿ", "Καλημ"]),
        (4, ["漢", "🦀", "ﷺ"]),
    ] {
        for text in texts {
            assert_eq!(search_ids(on, text).await, [debate_id(number)], "{text}");
        }
    }
}

/// No character of a search is a wildcard of the engine.
pub(crate) async fn search_treats_every_character_literally(on: &Engine) {
    let texts = [
        "100% sure",
        "snake_case",
        r"back\slash",
        "st*r",
        "what?",
        "[class]",
        "^caret$",
        "a.b",
        "(paren)",
        "it's",
        "say \"so\"",
        "a|b",
        "{1,2}",
        "a+b",
        "semi;colon",
        "dash--dash",
    ];
    titled(on, 99, "abcdefghijklmnopqrstuvwxyz 0123456789", "plain words and nothing else").await;
    for (number, text) in (1..).zip(texts) {
        titled(on, number, text, "motion").await;
    }
    for (number, text) in (1..).zip(texts) {
        assert_eq!(search_ids(on, text).await, [debate_id(number)], "{text}");
    }
    assert_eq!(search_ids(on, "%").await, [debate_id(1)]);
    assert_eq!(search_ids(on, "_").await, [debate_id(2)]);
    assert_eq!(search_ids(on, r"\").await, [debate_id(3)]);
    assert_eq!(search_ids(on, "*").await, [debate_id(4)]);
    assert_eq!(search_ids(on, ".").await, [debate_id(8)]);
    assert_eq!(search_ids(on, "sn%case").await, []);
    assert_eq!(search_ids(on, "st.r").await, []);
}

pub(crate) async fn search_does_not_match_later_arguments(on: &Engine) {
    let debate = on.open_debate(1).await;
    let draft = Draft { content: content("a needle"), ..draft(1, OPPOSE) };
    on.add_draft(debate, draft, 1).await;
    assert_eq!(search_ids(on, "needle").await, []);
    assert_eq!(search_ids(on, "motion 1").await, [debate]);
}

pub(crate) async fn search_does_not_find_a_deleted_debate(on: &Engine) {
    let debate = on.open_debate(1).await;
    assert_eq!(search_ids(on, "debate").await, [debate]);
    on.delete(debate).await.expect("it exists");
    assert_eq!(search_ids(on, "debate").await, []);
}

pub(crate) async fn search_is_combined_with_the_filter(on: &Engine) {
    for number in 1..=12 {
        let motion = if number % 2 == 0 { "an even one" } else { "an odd one" };
        titled(on, number, "Numbers", motion).await;
        if number % 3 == 0 {
            on.add_argument(debate_id(number), number, OPPOSE).await;
        }
        if number % 6 == 0 {
            on.add_argument(debate_id(number), 100 + number, PROPOSE).await;
        }
    }
    let expected: [(ListFilter, &[u32]); 4] = [
        (ListFilter::Any, &[2, 4, 6, 8, 10, 12]),
        (ListFilter::In(State::AwaitingProposer), &[]),
        (ListFilter::In(State::AwaitingOpponent), &[2, 4, 6, 8, 10, 12]),
        (ListFilter::PendingFirstOpponent, &[2, 4, 8, 10]),
    ];
    for (filter, numbers) in expected {
        let page = listed(on, search("EVEN", filter, 500)).await;
        let mut found = ids(&page.debates);
        found.sort();
        assert_eq!(found, numbers.iter().copied().map(debate_id).collect::<Vec<_>>());
        assert_eq!(u64::try_from(numbers.len()), Ok(page.total), "{filter:?}");
    }
    let odd = listed(on, search("odd", ListFilter::In(State::AwaitingProposer), 500)).await;
    assert_eq!(ids(&odd.debates), [9, 3].map(debate_id));
}

pub(crate) async fn pages_of_a_search_join_without_a_gap(on: &Engine) {
    for number in 1..=20 {
        let text = if number % 2 == 0 { "even" } else { "odd" };
        titled(on, number, text, "motion").await;
    }
    for filter in FILTERS {
        let whole = listed(on, search("even", filter, 500)).await;
        for count in [1, 3, 10] {
            let walk = list_all(on, search("even", filter, count)).await;
            assert_eq!(walk, whole.debates, "{filter:?}, {count} at a time");
        }
    }
    let whole = ids(&listed(on, search("even", ListFilter::Any, 500)).await.debates);
    let start = ListStart::At(Offset::new(4).expect("it is in range"));
    let page = listed(on, ListQuery { start, ..search("even", ListFilter::Any, 3) }).await;
    assert_eq!(ids(&page.debates), whole.get(4..7).expect("there are ten"));
    assert_eq!((page.total, page.next.is_some()), (10, true));
    let none = listed(on, search("even", ListFilter::Any, 0)).await;
    assert!(none.debates.is_empty());
    assert_eq!((none.total, none.next), (10, None));
}
