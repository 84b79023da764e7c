//! The list of runs: last changed first, in pages.

use debate_app::runner::RunListPage;
use debate_core::runner::{Command, ListPosition, Run, RunQuery, RunState, Status, StepResult};
use debate_core::{Limit, RunId};

use super::fixture::run_id;
use crate::engine::Engine;
use crate::support::{instant, micros};

fn query(status: Option<Status>, count: u32) -> RunQuery {
    RunQuery { status, after: None, limit: Limit::new(count).expect("tests ask for little") }
}

async fn listed(on: &Engine, query: RunQuery) -> RunListPage {
    on.runs.list(query).await.expect("a list is always there")
}

fn ids(runs: &[Run]) -> Vec<RunId> {
    runs.iter().map(|run| run.id).collect()
}

/// All pages to the end; `between` is executed after each.
async fn list_all(on: &Engine, mut query: RunQuery, between: impl AsyncFn(u32)) -> Vec<RunId> {
    let mut seen = Vec::new();
    for page in 0..1000 {
        let RunListPage { runs, next } = listed(on, query).await;
        seen.extend(ids(&runs));
        let Some(next) = next else { return seen };
        let last = runs.last().map(|run| ListPosition { updated_at: run.updated_at, run: run.id });
        assert_eq!(Some(next), last);
        query.after = Some(next);
        between(page).await;
    }
    panic!("the walk does not end");
}

pub(crate) async fn list_is_ordered_by_last_change(on: &Engine) {
    for number in 1..=4 {
        on.create_run(number).await;
    }
    // The four runs have the same time, so they are ordered by their ids.
    let all = listed(on, query(None, 10)).await;
    assert_eq!(ids(&all.runs), [4, 3, 2, 1].map(run_id));
    on.command_run_ok(2, Command::Start, 5).await;
    on.command_run_ok(4, Command::Cancel, 3).await;
    let all = listed(on, query(None, 10)).await;
    assert_eq!(ids(&all.runs), [2, 4, 3, 1].map(run_id));
    for run in &all.runs {
        assert_eq!(*run, on.runs.story(run.id).await.expect("it is there").run);
    }
    on.delete_run(4).await;
    assert_eq!(ids(&listed(on, query(None, 10)).await.runs), [2, 3, 1].map(run_id));
}

pub(crate) async fn each_status_lists_its_runs(on: &Engine) {
    let counts = |status: Status| match status {
        Status::Created => 1,
        Status::Running => 2,
        Status::Stopped => 3,
        Status::Canceled => 4,
        Status::Failed => 1,
        Status::Stopping | Status::Completed => 0,
    };
    let mut number = 0;
    for status in Status::ALL {
        for _ in 0..counts(status) {
            number += 1;
            on.create_run(number).await;
            match status {
                Status::Created | Status::Stopping | Status::Completed => {}
                Status::Running => drop(on.command_run_ok(number, Command::Start, number).await),
                Status::Stopped => {
                    on.command_run_ok(number, Command::Start, number).await;
                    on.command_run_ok(number, Command::Stop, number).await;
                }
                Status::Canceled => drop(on.command_run_ok(number, Command::Cancel, number).await),
                Status::Failed => {
                    on.command_run_ok(number, Command::Start, 0).await;
                    let task = on.acquire_run_task(0).await;
                    let end = StepResult::Failed { error: "no".to_owned() };
                    on.settle_run(&task, None, end, number).await;
                }
            }
        }
    }
    for status in Status::ALL {
        let whole = listed(on, query(Some(status), 100)).await;
        assert_eq!(whole.runs.len(), counts(status), "{status}");
        assert!(whole.runs.iter().all(|run| run.state.status() == status));
        let times: Vec<_> = whole.runs.iter().map(|run| run.updated_at).collect();
        assert!(times.is_sorted_by(|newer, older| newer >= older), "{status}");
        let by_two = list_all(on, query(Some(status), 2), async |_| {}).await;
        assert_eq!(by_two, ids(&whole.runs), "{status}");
    }
}

pub(crate) async fn next_page_is_announced_only_if_it_has_entries(on: &Engine) {
    for number in 1..=4 {
        on.create_run(number).await;
    }
    assert_eq!(listed(on, query(None, 4)).await.next, None);
    assert_eq!(listed(on, query(None, 5)).await.next, None);
    let nothing = listed(on, query(None, 0)).await;
    assert_eq!((nothing.runs.len(), nothing.next), (0, None));
    let first = listed(on, query(None, 3)).await;
    assert_eq!(first.next, Some(ListPosition { updated_at: instant(0), run: run_id(2) }));
    // The position of a deleted run is valid, and the end of the list is an empty page.
    on.delete_run(2).await;
    let rest = listed(on, RunQuery { after: first.next, ..query(None, 3) }).await;
    assert_eq!(ids(&rest.runs), [run_id(1)]);
    let end = Some(ListPosition { updated_at: micros(-1), run: run_id(1) });
    let beyond = listed(on, RunQuery { after: end, ..query(None, 3) }).await;
    assert_eq!((beyond.runs.len(), beyond.next), (0, None));
}

/// A run that does not change while pages are read is listed once.
pub(crate) async fn pages_during_writes_miss_no_run(on: &Engine) {
    for number in 1..=30 {
        on.create_run(number).await;
    }
    let busy = async |page| {
        let odd = 2 * (page % 15) + 1;
        let runs = on.run(odd).await.state == RunState::Running;
        let command = if runs { Command::Stop } else { Command::Start };
        on.command_run_ok(odd, command, 100 + page).await;
        on.create_run(1000 + page).await;
    };
    let seen = list_all(on, query(None, 3), busy).await;
    let evens: Vec<_> = (1..=15).rev().map(|half| run_id(2 * half)).collect();
    let mut even_seen = seen;
    even_seen.retain(|run| evens.contains(run));
    assert_eq!(even_seen, evens);
}
