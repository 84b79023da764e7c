//! What is new to a reader, from any position.

use debate_app::StreamPosition;
use debate_app::runner::{NewTurns, RunnerError};
use debate_core::runner::{Actor, AfterTurn, Cursor, StepResult, Turn, TurnDraft};
use debate_core::{Seq, TurnId};

use super::stage::{run_id, said, turn_id};
use crate::engine::Engine;

async fn news(on: &Engine, number: u32, since: StreamPosition<TurnId>) -> NewTurns {
    on.runs.newer_than(run_id(number), since).await.expect("the position is known")
}

fn places(turns: &[Turn]) -> Vec<u32> {
    turns.iter().map(|turn| turn.seq.number()).collect()
}

/// Page after page from the beginning.
async fn walked(on: &Engine, number: u32) -> Vec<Vec<u32>> {
    let mut pages = Vec::new();
    let mut since = StreamPosition::Start;
    loop {
        let page = news(on, number, since).await;
        let Some(last) = page.newer.last() else { return pages };
        since = StreamPosition::Item(last.id);
        pages.push(places(&page.newer));
    }
}

/// A debate with turns of these sizes.
async fn spoken(on: &Engine, number: u32, sizes: &[usize]) {
    on.started(number, 0).await;
    let mut cursor = Cursor::START;
    for (turn, size) in (1..).zip(sizes) {
        let task = on.taken(turn).await;
        let content = "ä".repeat(size / 2);
        let said = TurnDraft { content, ..said(1000 * number + turn, cursor) };
        on.settled(&task, None, StepResult::Turn { draft: said, then: AfterTurn::Continue }, turn)
            .await;
        cursor = on.run(number).await.cursor;
    }
    on.told(number, debate_core::runner::Command::Stop, 9999).await;
}

pub(crate) async fn from_every_position_the_rest_is_new(on: &Engine) {
    spoken(on, 1, &[4; 6]).await;
    let all = on.story(1).await.turns;
    let first = news(on, 1, StreamPosition::Start).await;
    assert_eq!((first.seen, first.last, &first.newer), (Seq::START, Seq::new(6), &all));
    assert_eq!(first.run, on.run(1).await);
    for (place, turn) in (1..).zip(&all) {
        for since in [StreamPosition::Item(turn.id), StreamPosition::Seq(turn.seq)] {
            let rest = news(on, 1, since).await;
            assert_eq!((rest.seen, rest.last), (turn.seq, Seq::new(6)));
            assert_eq!(
                rest.newer.iter().collect::<Vec<_>>(),
                all.iter().skip(place).collect::<Vec<_>>()
            );
        }
    }
    assert_eq!(news(on, 1, StreamPosition::Seq(Seq::START)).await.newer, all);
}

pub(crate) async fn a_place_beyond_the_end_has_nothing_newer(on: &Engine) {
    spoken(on, 1, &[4; 2]).await;
    let beyond = news(on, 1, StreamPosition::Seq(Seq::new(u32::MAX))).await;
    assert_eq!((beyond.seen, beyond.last), (Seq::new(u32::MAX), Seq::new(2)));
    assert!(beyond.newer.is_empty());
    on.created(2).await;
    let nothing = news(on, 2, StreamPosition::Start).await;
    assert_eq!((nothing.seen, nothing.last, nothing.newer), (Seq::START, Seq::START, vec![]));
}

pub(crate) async fn a_position_that_is_no_turn_of_the_debate_is_refused(on: &Engine) {
    spoken(on, 1, &[4; 2]).await;
    spoken(on, 2, &[4; 2]).await;
    for turn in [turn_id(404), turn_id(2001)] {
        let refused = on.runs.newer_than(run_id(1), StreamPosition::Item(turn)).await;
        let names_it = |run| run == run_id(1);
        assert!(matches!(refused, Err(RunnerError::UnknownPosition(run)) if names_it(run)));
    }
    let none = on.runs.newer_than(run_id(3), StreamPosition::Item(turn_id(2001))).await;
    assert!(matches!(none, Err(RunnerError::NoSuchRun(_))), "{none:?}");
}

pub(crate) async fn the_pages_of_a_long_debate_join_without_a_gap(on: &Engine) {
    spoken(on, 1, &[2; 120]).await;
    let pages = walked(on, 1).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [50, 50, 20]);
    assert_eq!(pages.concat(), (1..=120).collect::<Vec<_>>());
}

/// A page ends with the turn that makes it a mebibyte; larger than that is a turn of its own.
pub(crate) async fn the_pages_of_a_debate_with_much_to_say_join_without_a_gap(on: &Engine) {
    const MIB: usize = 1 << 20;
    spoken(on, 1, &[MIB - 2, 2, 2, 600_000, 600_000, 2, 3 * MIB, 2]).await;
    let pages = walked(on, 1).await;
    assert_eq!(pages, [vec![1, 2], vec![3, 4, 5], vec![6, 7], vec![8]]);
}

pub(crate) async fn changes_after_a_position_contain_no_earlier_turns_and_calls(on: &Engine) {
    on.started(1, 0).await;
    for turn in 1..=7 {
        on.stepped(turn, turn).await;
    }
    let (story, calls) = (on.story(1).await, on.calls(1).await);
    let is_judge = |turn: &&Turn| turn.cursor.actor == Actor::Judge;
    let judge_turns: Vec<Turn> = story.turns.iter().filter(is_judge).cloned().collect();
    assert_eq!(places(&judge_turns), [3, 6]);
    for after in 0..=7 {
        let changes = on.runs.changes(run_id(1), Seq::new(after)).await.expect("the run exists");
        let NewTurns { run, seen, newer, last } = changes.turns;
        assert_eq!((run, seen, last), (story.run.clone(), Seq::new(after), Seq::new(7)));
        let is_newer = |turn: &&Turn| turn.seq > seen;
        assert_eq!(newer, story.turns.iter().filter(is_newer).cloned().collect::<Vec<_>>());
        let judged = if after < 6 { judge_turns.clone() } else { Vec::new() };
        assert_eq!(changes.judge_turns, judged, "after {after}");
        let position = story.turns.iter().find(|turn| turn.seq == seen);
        let from = position.map_or(Cursor::START.round, |turn| turn.cursor.round);
        let in_rounds = calls.iter().filter(|call| call.cursor.round >= from).cloned();
        assert_eq!(changes.calls, in_rounds.collect::<Vec<_>>(), "after {after}");
        assert_eq!(changes.costs, story.costs);
    }
}

pub(crate) async fn changes_of_an_unknown_run_are_refused(on: &Engine) {
    let refused = on.runs.changes(run_id(404), Seq::START).await;
    assert!(matches!(refused, Err(RunnerError::NoSuchRun(run)) if run == run_id(404)));
}
