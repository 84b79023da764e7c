//! The new turns after every position of a run.

use debate_app::StreamPosition;
use debate_app::runner::{NewTurns, RunnerError};
use debate_core::runner::{Actor, AfterTurn, Cursor, StepResult, Turn, TurnDraft};
use debate_core::{Seq, TurnId};

use super::fixture::{run_id, turn_draft, turn_id};
use crate::engine::Engine;

async fn read_new_turns(on: &Engine, number: u32, since: StreamPosition<TurnId>) -> NewTurns {
    on.runs.newer_than(run_id(number), since).await.expect("the position is known")
}

fn seq_numbers(turns: &[Turn]) -> Vec<u32> {
    turns.iter().map(|turn| turn.seq.number()).collect()
}

/// All pages from the beginning.
async fn read_all_turns(on: &Engine, number: u32) -> Vec<Vec<u32>> {
    let mut pages = Vec::new();
    let mut since = StreamPosition::Start;
    loop {
        let page = read_new_turns(on, number, since).await;
        let Some(last) = page.newer.last() else { return pages };
        since = StreamPosition::Item(last.id);
        pages.push(seq_numbers(&page.newer));
    }
}

/// A run with turns of these sizes.
async fn spoken(on: &Engine, number: u32, sizes: &[usize]) {
    on.start_run(number, 0).await;
    let mut cursor = Cursor::START;
    for (turn, size) in (1..).zip(sizes) {
        let task = on.acquire_run_task(turn).await;
        let content = "ä".repeat(size / 2);
        let said = TurnDraft { content, ..turn_draft(1000 * number + turn, cursor) };
        on.settle_run(
            &task,
            None,
            StepResult::Turn { draft: said, then: AfterTurn::Continue },
            turn,
        )
        .await;
        cursor = on.run(number).await.cursor;
    }
    on.command_run_ok(number, debate_core::runner::Command::Stop, 9999).await;
}

pub(crate) async fn turns_after_every_position_are_new(on: &Engine) {
    spoken(on, 1, &[4; 6]).await;
    let all = on.story(1).await.turns;
    let first = read_new_turns(on, 1, StreamPosition::Start).await;
    assert_eq!((first.seen, first.last, &first.newer), (Seq::START, Seq::new(6), &all));
    assert_eq!(first.run, on.run(1).await);
    for (place, turn) in (1..).zip(&all) {
        for since in [StreamPosition::Item(turn.id), StreamPosition::Seq(turn.seq)] {
            let rest = read_new_turns(on, 1, since).await;
            assert_eq!((rest.seen, rest.last), (turn.seq, Seq::new(6)));
            assert_eq!(
                rest.newer.iter().collect::<Vec<_>>(),
                all.iter().skip(place).collect::<Vec<_>>()
            );
        }
    }
    assert_eq!(read_new_turns(on, 1, StreamPosition::Seq(Seq::START)).await.newer, all);
}

pub(crate) async fn position_beyond_the_end_has_no_new_entries(on: &Engine) {
    spoken(on, 1, &[4; 2]).await;
    let beyond = read_new_turns(on, 1, StreamPosition::Seq(Seq::new(u32::MAX))).await;
    assert_eq!((beyond.seen, beyond.last), (Seq::new(u32::MAX), Seq::new(2)));
    assert!(beyond.newer.is_empty());
    on.create_run(2).await;
    let nothing = read_new_turns(on, 2, StreamPosition::Start).await;
    assert_eq!((nothing.seen, nothing.last, nothing.newer), (Seq::START, Seq::START, vec![]));
}

pub(crate) async fn position_of_another_run_is_refused(on: &Engine) {
    spoken(on, 1, &[4; 2]).await;
    spoken(on, 2, &[4; 2]).await;
    for turn in [turn_id(404), turn_id(2001)] {
        let refused = on.runs.newer_than(run_id(1), StreamPosition::Item(turn)).await;
        let names_it = |run| run == run_id(1);
        assert!(matches!(refused, Err(RunnerError::UnknownPosition(run)) if names_it(run)));
    }
    let none = on.runs.newer_than(run_id(3), StreamPosition::Item(turn_id(2001))).await;
    assert!(matches!(none, Err(RunnerError::UnknownRun(_))), "{none:?}");
}

pub(crate) async fn pages_of_many_entries_join_without_a_gap(on: &Engine) {
    spoken(on, 1, &[2; 120]).await;
    let pages = read_all_turns(on, 1).await;
    assert_eq!(pages.iter().map(Vec::len).collect::<Vec<_>>(), [50, 50, 20]);
    assert_eq!(pages.concat(), (1..=120).collect::<Vec<_>>());
}

/// A page ends with the turn that makes it a mebibyte; larger than that is a turn of its own.
pub(crate) async fn pages_of_large_entries_join_without_a_gap(on: &Engine) {
    const MIB: usize = 1 << 20;
    spoken(on, 1, &[MIB - 2, 2, 2, 600_000, 600_000, 2, 3 * MIB, 2]).await;
    let pages = read_all_turns(on, 1).await;
    assert_eq!(pages, [vec![1, 2], vec![3, 4, 5], vec![6, 7], vec![8]]);
}

pub(crate) async fn changes_after_a_position_contain_no_earlier_turns_and_calls(on: &Engine) {
    on.start_run(1, 0).await;
    for turn in 1..=7 {
        on.execute_step(turn, turn).await;
    }
    let (story, calls) = (on.story(1).await, on.calls(1).await);
    let is_judge = |turn: &&Turn| turn.cursor.actor == Actor::Judge;
    let judge_turns: Vec<Turn> = story.turns.iter().filter(is_judge).cloned().collect();
    assert_eq!(seq_numbers(&judge_turns), [3, 6]);
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
    assert!(matches!(refused, Err(RunnerError::UnknownRun(run)) if run == run_id(404)));
}
