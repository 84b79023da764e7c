//! A copy has the same content and can be continued.

use debate_app::arena::WriteOutcome;
use debate_core::arena::{Argument, Debate, DebateType, Draft, ListFilter, Move, NewDebate};
use debate_core::{DebateId, SearchText};

use super::{End, copy_to, database, export};
use crate::contract::list::{Totals, ids, listed, query, totals};
use crate::engine::Engine;
use crate::legacy::fixture::{Layout, closed_file, story};
use crate::postgres::store_on;
use crate::sqlite::temp_database::TempDatabase;
use crate::support::{CLOSE, OPPOSE, PROPOSE, RULE, content, debate_id, draft, opening, title};

/// The debates, totals and search results that clients see.
#[derive(Debug, PartialEq)]
struct Visible {
    debates: Vec<(Debate, Vec<Argument>)>,
    totals: Totals,
    found: Vec<DebateId>,
}

async fn visible(on: &Engine) -> Visible {
    let mut debates = Vec::new();
    for number in 1..=8 {
        let id = debate_id(number);
        if number != 6 {
            debates.push((on.transcript(id).await.debate, on.arguments(id).await));
        }
    }
    let mut search = query(ListFilter::Any, 10);
    search.search = Some(SearchText::new("ΣΊΣΥΦΟΣ").expect("it is no blank"));
    Visible { debates, totals: totals(on).await, found: ids(&listed(on, search).await.debates) }
}

/// Every argument type, every state, texts that are hard to copy, and a deleted debate.
async fn fill(on: &Engine) {
    on.play_moves(1, &[OPPOSE, PROPOSE, OPPOSE, Move::Appeal, RULE, PROPOSE]).await;
    on.play_moves(2, &[OPPOSE, Move::Resolve]).await;
    on.play_moves(3, &[Move::Intervene]).await;
    on.play_moves(4, &[Move::Intervene, CLOSE]).await;
    on.play_moves(5, &[OPPOSE, Move::Appeal]).await;
    on.play_moves(6, &[OPPOSE, PROPOSE]).await;
    on.delete(debate_id(6)).await.expect("it is there");
    on.open_debate_as(NewDebate {
        title: title("Ο Σίσυφος\tκαι η πέτρα \u{1F9D7}\u{200D}\u{2642}\u{FE0F} \\N 'x' \"y\""),
        debate_type: DebateType::CodingPlan,
        motion: content(&"ẞ\r\n\u{feff}\u{10ffff}".repeat(700)),
        auto_ruling: Some(false),
        ..opening(7)
    })
    .await;
    let long = Draft { content: content(&"x".repeat(10_240)), ..draft(700, OPPOSE) };
    on.add_draft(debate_id(7), long, 1).await;
    on.add_argument(debate_id(7), 701, Move::Resolve).await;
    on.open_debate_as(NewDebate { auto_ruling: Some(true), ..opening(8) }).await;
}

#[tokio::test]
async fn debates_are_equal_after_a_copy_to_the_other_engine_and_back() {
    let (before, between, after) = (TempDatabase::new(), database(), TempDatabase::new());
    let on = before.engine();
    fill(&on).await;
    let seen = visible(&on).await;
    // Its server keeps the file open.
    let there = copy_to(&End::File(&before), &End::Server(&between)).await.unwrap();
    assert_eq!(there.read.stale_index, None);
    drop(on);
    let on = store_on(between.url()).await;
    assert_eq!(visible(&on).await, seen);
    copy_to(&End::Server(&between), &End::File(&after)).await.unwrap();
    drop(on);
    assert!(export(&before) == export(&after), "the exports differ");
    let on = after.engine();
    assert_eq!(visible(&on).await, seen);

    let again =
        on.try_argument(debate_id(1), draft(100, OPPOSE)).await.expect("it was said before");
    assert_eq!(again.outcome, WriteOutcome::Replayed);
    on.add_argument(debate_id(1), 999, OPPOSE).await;
}

#[tokio::test]
async fn copy_within_one_engine_is_equal() {
    let (before, after) = (TempDatabase::new(), TempDatabase::new());
    fill(&before.engine()).await;
    copy_to(&End::File(&before), &End::File(&after)).await.unwrap();
    assert!(export(&before) == export(&after), "the exports differ");

    let (one, two) = (database(), database());
    copy_to(&End::File(&before), &End::Server(&one)).await.unwrap();
    let copied = copy_to(&End::Server(&one), &End::Server(&two)).await.unwrap();
    assert_eq!(copied.written.digest, End::File(&before).contents().await.digest);
}

#[tokio::test]
async fn copy_of_an_empty_database_is_empty() {
    let (before, between) = (TempDatabase::new(), database());
    drop(before.engine());
    let copied = copy_to(&End::File(&before), &End::Server(&between)).await.unwrap();
    assert_eq!((copied.written.count("debates"), copied.written.count("arguments")), (0, 0));
    assert!(End::Server(&between).is_empty().await);
}

#[tokio::test]
async fn copy_of_a_migrated_original_database_is_equal() {
    for layout in Layout::BOTH {
        let (before, between, after) =
            (closed_file(layout, &story()), database(), TempDatabase::new());
        drop(before.engine());
        copy_to(&End::File(&before), &End::Server(&between)).await.unwrap();
        copy_to(&End::Server(&between), &End::File(&after)).await.unwrap();
        assert!(export(&before) == export(&after), "{layout:?}: the exports differ");
    }
}

#[tokio::test]
async fn copy_corrects_counters_and_search_rows() {
    for damage in [
        "update debate_counts set debates = debates + 1 where bucket = 'CLOSED'",
        "update debate_search set folded = 'nonsense' where rowid = 1",
        "delete from debate_search",
    ] {
        let (before, between) = (TempDatabase::new(), database());
        fill(&before.engine()).await;
        let right = End::File(&before).contents().await;
        before.writable_connection().execute_batch(damage).unwrap();
        let copied = copy_to(&End::File(&before), &End::Server(&between)).await.unwrap();
        assert!(copied.read.stale_index.is_some(), "{damage}");
        assert_eq!(End::Server(&between).contents().await.stale_index, None, "{damage}");
        assert_eq!(copied.written.digest, right.digest, "{damage}");
    }
}
