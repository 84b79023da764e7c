//! Reads of one debate: limits, and pages of a long one.

use std::cell::Cell;

use debate_app::StreamPosition;
use debate_app::arena::{ArenaError, ArgumentSelection, TranscriptLimit};
use debate_core::arena::{Argument, ArgumentType, Draft};
use debate_core::{DebateId, Seq};

use crate::engine::{Engine, missing_debate, seqs_up_to, turn};
use crate::support::{OPPOSE, content, debate_id, draft};

fn seqs(arguments: &[Argument]) -> Vec<Seq> {
    arguments.iter().map(|argument| argument.seq).collect()
}

pub(crate) async fn transcript_has_the_motion_and_the_newest_arguments_oldest_first(on: &Engine) {
    let debate = on.open_long_debate(5).await;
    let log = on.arguments(debate).await;
    let (motion, answers) = log.split_first().expect("the motion is there");
    for count in [0, 1, 2, 4, 5, 6, 500, u32::MAX] {
        let seen =
            on.store.transcript(debate, TranscriptLimit::Newest(count)).await.expect("it exists");
        let asked = usize::try_from(count).expect("a u32 fits");
        let skipped = answers.len().saturating_sub(asked);
        assert_eq!(&seen.motion, motion, "{count}");
        assert_eq!(
            seen.arguments,
            answers.iter().skip(skipped).cloned().collect::<Vec<_>>(),
            "{count}"
        );
        assert_eq!((seen.through, seen.rest()), (Seq::new(6), None), "{count}");
    }
}

pub(crate) async fn transcript_without_a_limit_has_every_argument(on: &Engine) {
    let debate = on.open_long_debate(5).await;
    let seen = on.transcript(debate).await;
    assert_eq!(seen.motion.kind, ArgumentType::Motion);
    assert_eq!(seqs(&seen.arguments), seqs_up_to(6).split_off(1));
    assert_eq!((seen.through, seen.rest()), (Seq::new(6), None));
}

pub(crate) async fn transcript_of_a_new_debate_has_only_the_motion(on: &Engine) {
    let debate = on.open_debate(1).await;
    for newest in [
        TranscriptLimit::All,
        TranscriptLimit::Newest(0),
        TranscriptLimit::Newest(1),
        TranscriptLimit::Newest(9),
    ] {
        let seen = on.store.transcript(debate, newest).await.expect("it exists");
        assert_eq!(seen.motion.seq, Seq::FIRST);
        assert!(seen.arguments.is_empty());
        assert_eq!((seen.through, seen.rest()), (Seq::FIRST, None));
    }
}

pub(crate) async fn transcript_of_a_missing_debate_fails(on: &Engine) {
    on.open_debate(1).await;
    for newest in [TranscriptLimit::All, TranscriptLimit::Newest(0)] {
        let outcome = on.store.transcript(missing_debate(), newest).await;
        assert!(
            matches!(outcome, Err(ArenaError::UnknownDebate(id)) if id == missing_debate()),
            "{outcome:?}"
        );
    }
    let outcome = on.store.page(missing_debate(), Seq::START, Seq::new(9)).await;
    assert!(matches!(outcome, Err(ArenaError::UnknownDebate(_))), "{outcome:?}");
}

pub(crate) async fn pages_of_many_entries_join_without_a_gap(on: &Engine) {
    let debate = on.open_long_debate(600).await;
    let first = on.transcript(debate).await;
    assert!(first.arguments.len() < 600, "a page has a bound");
    assert_eq!(first.rest(), first.arguments.last().map(|argument| argument.seq));
    assert_eq!(seqs(&on.arguments(debate).await), seqs_up_to(601));
}

pub(crate) async fn pages_of_large_entries_join_without_a_gap(on: &Engine) {
    let debate = on.open_debate(1).await;
    let much = "ä".repeat(10_000);
    for number in 1..=60 {
        let draft = Draft { content: content(&much), ..draft(number, turn(number)) };
        on.add_draft(debate, draft, number).await;
    }
    let first = on.transcript(debate).await;
    assert!(first.arguments.len() < 60, "a page has a bound in bytes too");
    let log = on.arguments(debate).await;
    assert_eq!(seqs(&log), seqs_up_to(61));
    assert!(log.iter().skip(1).all(|argument| argument.content == much));
}

/// An argument of any size is a page of its own, and the next page follows it.
pub(crate) async fn argument_larger_than_a_page_is_a_single_page(on: &Engine) {
    let debate = on.open_debate(1).await;
    let huge = "x".repeat(600_000);
    for number in 1..=3 {
        let draft = Draft { content: content(&huge), ..draft(number, turn(number)) };
        on.add_draft(debate, draft, number).await;
    }
    assert_eq!(seqs(&on.arguments(debate).await), seqs_up_to(4));
    let seen = on.store.transcript(debate, TranscriptLimit::Newest(2)).await.expect("it exists");
    assert_eq!(seqs(&seen.arguments).first(), Some(&Seq::new(3)));
    assert_eq!(seen.through, Seq::new(4));
}

pub(crate) async fn newest_arguments_of_a_long_debate_are_split_into_pages(on: &Engine) {
    let debate = on.open_long_debate(400).await;
    let seen = on.store.transcript(debate, TranscriptLimit::Newest(300)).await.expect("it exists");
    let mut read = seqs(&seen.arguments);
    let mut rest = seen.rest();
    while let Some(after) = rest {
        let page = on.store.page(debate, after, seen.through).await.expect("it is there");
        read.extend(seqs(&page));
        rest = page.last().map(|argument| argument.seq).filter(|last| *last < seen.through);
    }
    assert_eq!(read, seqs_up_to(401).split_off(101));
}

/// A page ends where its transcript ended, whatever was added since.
pub(crate) async fn pages_show_one_snapshot_while_arguments_are_added(on: &Engine) {
    let debate = on.open_long_debate(520).await;
    let first = on.transcript(debate).await;
    let mut read = seqs(&first.arguments);
    let mut rest = first.rest();
    let mut number = 520;
    while let Some(after) = rest {
        for _ in 0..3 {
            number += 1;
            on.add_argument(debate, number, turn(number)).await;
        }
        let page = on.store.page(debate, after, first.through).await.expect("it is there");
        read.extend(seqs(&page));
        rest = page.last().map(|argument| argument.seq).filter(|last| *last < first.through);
    }
    assert!(number > 520, "the debate went on meanwhile");
    assert_eq!(first.through, Seq::new(521));
    assert_eq!(read, seqs_up_to(521).split_off(1));
    assert_eq!(on.transcript(debate).await.through, Seq::new(number + 1));
}

pub(crate) async fn page_has_the_arguments_between_its_bounds(on: &Engine) {
    let debate = on.open_long_debate(8).await;
    for (after, through) in [(0, 9), (0, 1), (1, 9), (3, 5), (8, 9), (9, 9), (5, 3)] {
        let page = on.store.page(debate, Seq::new(after), Seq::new(through)).await;
        let expected: Vec<Seq> = (after + 1..=through).map(Seq::new).collect();
        assert_eq!(seqs(&page.expect("it exists")), expected, "({after}, {through}]");
    }
}

/// The debate and its arguments are one snapshot during writes.
pub(crate) async fn transcript_is_consistent_during_writes(on: &Engine) {
    let debate = on.open_debate(1).await;
    let writing = Cell::new(true);
    let write = async {
        for number in 1..=200 {
            on.add_argument(debate, number, turn(number)).await;
        }
        writing.set(false);
    };
    let read = async {
        while writing.get() {
            assert_complete(on, debate).await;
            tokio::task::yield_now().await;
        }
    };
    tokio::join!(write, read);
    assert_complete(on, debate).await;
}

/// A read during a deletion returns the whole debate or an error.
pub(crate) async fn read_during_a_delete_returns_all_arguments_or_not_found(on: &Engine) {
    let (writing, newest) = (Cell::new(true), Cell::new(debate_id(1)));
    let write = async {
        for number in 1..=100 {
            newest.set(debate_id(number));
            let debate = on.play_moves(number, &[OPPOSE]).await;
            on.delete(debate).await.expect("it was just opened");
        }
        writing.set(false);
    };
    let read = async {
        while writing.get() {
            match on.store.transcript(newest.get(), TranscriptLimit::All).await {
                Ok(seen) => {
                    assert_eq!(seen.arguments.last().unwrap_or(&seen.motion).seq, seen.through);
                }
                Err(err) => assert!(matches!(err, ArenaError::UnknownDebate(_)), "{err:?}"),
            }
            match on
                .store
                .newer_than(newest.get(), StreamPosition::Start, ArgumentSelection::Newest(10))
                .await
            {
                Ok(news) => assert!(!news.newer.is_empty()),
                Err(err) => assert!(matches!(err, ArenaError::UnknownDebate(_)), "{err:?}"),
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::join!(write, read);
}

async fn assert_complete(on: &Engine, debate: DebateId) {
    let seen = on.store.transcript(debate, TranscriptLimit::Newest(2)).await.expect("it exists");
    let newest = seen.arguments.last().unwrap_or(&seen.motion);
    assert_eq!(newest.seq, seen.through);
    assert_eq!(newest.state_after, seen.debate.state);
    assert_eq!(newest.created_at, seen.debate.updated_at);
}

pub(crate) async fn acknowledged_argument_is_visible_to_the_next_read(on: &Engine) {
    let debate = on.open_debate(1).await;
    let written = on.add_argument(debate, 1, OPPOSE).await;
    let seen = on.transcript(debate).await;
    assert_eq!(seen.arguments, [written.argument]);
    assert_eq!(seen.debate, written.debate);
}
