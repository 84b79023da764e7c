//! New arguments after a position.

use std::cell::Cell;

use debate_app::StreamPosition;
use debate_app::arena::{ArenaError, ArgumentSelection};
use debate_core::Seq;
use debate_core::arena::State;

use crate::engine::{Engine, missing_debate, turn};
use crate::support::{OPPOSE, argument_id, motion_id};

pub(crate) async fn every_argument_is_new_from_the_start_position(on: &Engine) {
    let debate = on.open_long_debate(3).await;
    let news = on
        .store
        .newer_than(debate, StreamPosition::Start, ArgumentSelection::Newest(500))
        .await
        .expect("it exists");
    assert_eq!(news.newer, on.arguments(debate).await);
    assert_eq!((news.seen, news.omitted), (Seq::START, 0));
    assert_eq!(news.debate.state, State::AwaitingProposer);
}

pub(crate) async fn arguments_after_a_position_are_new(on: &Engine) {
    let debate = on.open_long_debate(3).await;
    let log = on.arguments(debate).await;
    let positions = [motion_id(1), argument_id(1), argument_id(2), argument_id(3)];
    for (position, seen) in positions.into_iter().zip(1..) {
        let by_id = on
            .store
            .newer_than(debate, StreamPosition::Item(position), ArgumentSelection::Newest(500))
            .await;
        let by_place = on
            .store
            .newer_than(debate, StreamPosition::Seq(Seq::new(seen)), ArgumentSelection::Newest(500))
            .await;
        for news in [by_id, by_place] {
            let news = news.expect("the position is one of this debate");
            let newer: Vec<_> =
                log.iter().filter(|argument| argument.seq > Seq::new(seen)).cloned().collect();
            assert_eq!(news.newer, newer);
            assert_eq!((news.seen, news.omitted), (Seq::new(seen), 0));
            assert_eq!(news.debate.state, State::AwaitingProposer);
        }
    }
}

pub(crate) async fn position_beyond_the_end_has_no_new_entries(on: &Engine) {
    let debate = on.open_long_debate(3).await;
    for place in [4, 5, 1000, u32::MAX] {
        let since = StreamPosition::Seq(Seq::new(place));
        let news = on
            .store
            .newer_than(debate, since, ArgumentSelection::Newest(500))
            .await
            .expect("it exists");
        assert!(news.newer.is_empty());
        assert_eq!((news.seen, news.omitted), (Seq::new(place), 0));
    }
}

pub(crate) async fn position_of_another_debate_is_refused(on: &Engine) {
    let debate = on.open_debate(1).await;
    let other = on.open_debate(2).await;
    on.add_argument(other, 1, OPPOSE).await;
    for position in [motion_id(2), argument_id(1), argument_id(404)] {
        let outcome = on
            .store
            .newer_than(debate, StreamPosition::Item(position), ArgumentSelection::Newest(500))
            .await;
        let Err(ArenaError::UnknownPosition { argument, debate: meant }) = outcome else {
            panic!("{outcome:?}");
        };
        assert_eq!((argument, meant), (position, debate));
    }
}

pub(crate) async fn new_arguments_of_a_missing_debate_fail(on: &Engine) {
    on.open_debate(1).await;
    for since in
        [StreamPosition::Start, StreamPosition::Item(motion_id(1)), StreamPosition::Seq(Seq::FIRST)]
    {
        let outcome =
            on.store.newer_than(missing_debate(), since, ArgumentSelection::Newest(500)).await;
        assert!(
            matches!(outcome, Err(ArenaError::UnknownDebate(id)) if id == missing_debate()),
            "{outcome:?}"
        );
    }
}

/// Counts around every internal limit of a store, none of which may be visible.
pub(crate) async fn new_arguments_over_the_limit_are_counted_as_omitted(on: &Engine) {
    let last = 81;
    let debate = on.open_long_debate(last - 1).await;
    let log = on.arguments(debate).await;
    for seen in [0, 1, 40, 47, 48, 49, 50, 79, 80, 81] {
        for most in [0, 1, 2, 31, 32, 33, 34, 49, 80, 81, 82, 500, u32::MAX] {
            let since = StreamPosition::Seq(Seq::new(seen));
            let news = on
                .store
                .newer_than(debate, since, ArgumentSelection::Newest(most))
                .await
                .expect("it exists");
            let unseen = last - seen;
            let omitted = unseen.saturating_sub(most);
            let expected: Vec<_> = log
                .iter()
                .filter(|argument| argument.seq > Seq::new(seen + omitted))
                .cloned()
                .collect();
            assert_eq!(news.newer, expected, "at most {most} after {seen}");
            assert_eq!((news.seen, news.omitted), (Seq::new(seen), omitted), "{most} {seen}");
        }
    }
}

/// The state and the arguments are one snapshot during writes.
pub(crate) async fn new_arguments_are_consistent_during_writes(on: &Engine) {
    let debate = on.open_debate(1).await;
    let writing = Cell::new(true);
    let write = async {
        for number in 1..=200 {
            on.add_argument(debate, number, turn(number)).await;
        }
        writing.set(false);
    };
    let read = async {
        let mut seen = Seq::START;
        while writing.get() {
            let news = on
                .store
                .newer_than(debate, StreamPosition::Seq(seen), ArgumentSelection::Newest(500))
                .await
                .expect("it exists");
            if let Some(newest) = news.newer.last() {
                assert_eq!(newest.state_after, news.debate.state);
                assert_eq!(newest.seq.since(seen), u32::try_from(news.newer.len()).unwrap_or(0));
                seen = newest.seq;
            }
            tokio::task::yield_now().await;
        }
    };
    tokio::join!(write, read);
}

pub(crate) async fn pages_of_new_arguments_join_without_a_gap(on: &Engine) {
    let debate = on.open_long_debate(600).await;
    let log = on.arguments(debate).await;
    let (mut since, mut followed, mut pages) = (StreamPosition::Start, Vec::new(), 0);
    loop {
        let news =
            on.store.newer_than(debate, since, ArgumentSelection::Page).await.expect("it exists");
        assert_eq!((news.omitted, news.last), (0, Seq::new(601)));
        let Some(newest) = news.newer.last() else { break };
        since = StreamPosition::Seq(newest.seq);
        followed.extend(news.newer);
        pages += 1;
    }
    assert_eq!(followed, log);
    assert!(pages > 1, "it takes more than one");
}

pub(crate) async fn new_arguments_include_the_state_at_the_position(on: &Engine) {
    let debate = on.open_long_debate(3).await;
    let log = on.arguments(debate).await;
    for take in
        [ArgumentSelection::Newest(0), ArgumentSelection::Newest(500), ArgumentSelection::Page]
    {
        let start =
            on.store.newer_than(debate, StreamPosition::Start, take).await.expect("it exists");
        assert_eq!(start.before, None, "before the motion there is no state");
        for argument in &log {
            let since = StreamPosition::Item(argument.id);
            let news = on.store.newer_than(debate, since, take).await.expect("it exists");
            assert_eq!(news.before, Some(argument.state_after));
            assert_eq!(news.last, Seq::new(4));
        }
    }
}
