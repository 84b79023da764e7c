//! Reads of runs, each one group and therefore one snapshot.

use debate_app::StreamPosition;
use debate_app::runner::{NewTurns, RunChanges, RunListPage, RunnerError, Story};
use debate_core::runner::{Call, ListPosition, Run, RunQuery};
use debate_core::{RunId, Seq, TurnId};
use uuid::Uuid;

use super::rows::run_by_id;
use super::statements::{
    CALLS, CALLS_FROM, COSTS, JUDGE_TURNS, PAGE, PAGE_OF_STATUS, SEQ_OF_TURN, TURNS, TURNS_AFTER,
};
use super::{RunnerRead, rows};
use crate::sql::{Group, Statement, Value};

/// A page of new turns ends after this number of turns or bytes of content.
const PAGE_TURNS_MAX: i64 = 50;
const PAGE_BYTES_MAX: i64 = 1024 * 1024;

pub(super) fn story(run: &RunId) -> RunnerRead<'_, Story> {
    let run = *run;
    let id = Value::from(run.uuid());
    let mut group = Group::default();
    let record = group.push(run_by_id(run), rows::record);
    let turns = group.push(Statement::new(TURNS, vec![id.clone()]), rows::turn);
    let costs = group.push(Statement::new(COSTS, vec![id]), rows::cost);
    group.finish(move |rows| {
        let Some(record) = rows.first(&record)? else {
            return Ok(Err(RunnerError::UnknownRun(run)));
        };
        let (turns, costs) = (rows.all(&turns)?, rows.all(&costs)?);
        Ok(Ok(Story { run: record.run, turns, costs }))
    })
}

pub(super) fn calls(run: &RunId) -> RunnerRead<'_, Vec<Call>> {
    let run = *run;
    let mut group = Group::default();
    let record = group.push(run_by_id(run), rows::record);
    let calls = group.push(Statement::new(CALLS, vec![run.uuid().into()]), rows::call);
    group.finish(move |rows| {
        if rows.first(&record)?.is_none() {
            return Ok(Err(RunnerError::UnknownRun(run)));
        }
        Ok(Ok(rows.all(&calls)?))
    })
}

pub(super) fn newer_than(
    (run, since): &(RunId, StreamPosition<TurnId>),
) -> RunnerRead<'_, NewTurns> {
    let (run, since) = (*run, *since);
    let (turn, after) = match since {
        StreamPosition::Start => (None, Seq::START),
        StreamPosition::Seq(seq) => (None, seq),
        StreamPosition::Item(turn) => (Some(turn.uuid()), Seq::START),
    };
    let mut group = Group::default();
    let record = group.push(run_by_id(run), rows::record);
    let known = Statement::new(SEQ_OF_TURN, vec![turn.into(), run.uuid().into()]);
    let known = group.push(known, rows::seq);
    let newer = group.push(turns_after(run, turn, after), rows::turn);
    group.finish(move |rows| {
        let Some(record) = rows.first(&record)? else {
            return Ok(Err(RunnerError::UnknownRun(run)));
        };
        let seen = match (since, rows.first(&known)?) {
            (StreamPosition::Start | StreamPosition::Seq(_), _) => after,
            (StreamPosition::Item(_), Some(seq)) => seq,
            (StreamPosition::Item(_), None) => return Ok(Err(RunnerError::UnknownPosition(run))),
        };
        let newer = rows.all(&newer)?;
        Ok(Ok(NewTurns { run: record.run, seen, newer, last: record.last_seq }))
    })
}

pub(super) fn changes((run, after): &(RunId, Seq)) -> RunnerRead<'_, RunChanges> {
    let (run, after) = (*run, *after);
    let position = || vec![Value::from(run.uuid()), after.number().into()];
    let mut group = Group::default();
    let record = group.push(run_by_id(run), rows::record);
    let newer = group.push(turns_after(run, None, after), rows::turn);
    let judge_turns = group.push(Statement::new(JUDGE_TURNS, position()), rows::turn);
    let calls = group.push(Statement::new(CALLS_FROM, position()), rows::call);
    let costs = group.push(Statement::new(COSTS, vec![run.uuid().into()]), rows::cost);
    group.finish(move |rows| {
        let Some(record) = rows.first(&record)? else {
            return Ok(Err(RunnerError::UnknownRun(run)));
        };
        let (newer, last) = (rows.all(&newer)?, record.last_seq);
        Ok(Ok(RunChanges {
            turns: NewTurns { run: record.run, seen: after, newer, last },
            judge_turns: rows.all(&judge_turns)?,
            calls: rows.all(&calls)?,
            costs: rows.all(&costs)?,
        }))
    })
}

/// A page of the turns after `turn`, or after a sequence number without one.
fn turns_after(run: RunId, turn: Option<Uuid>, after: Seq) -> Statement<'static> {
    let limits = [PAGE_TURNS_MAX.into(), PAGE_BYTES_MAX.into()];
    let position = [run.uuid().into(), turn.into(), after.number().into()];
    Statement::new(TURNS_AFTER, position.into_iter().chain(limits).collect())
}

/// A page of runs, last changed first.
pub(super) fn list(query: &RunQuery) -> RunnerRead<'_, RunListPage> {
    let (updated_at, id) = match query.after {
        Some(ListPosition { updated_at, run }) => (updated_at.as_microsecond(), run.uuid()),
        // Later than every run.
        None => (i64::MAX, Uuid::nil()),
    };
    // One row more than the page holds shows whether there is a next page.
    let limit = i64::from(query.limit.count()) + 1;
    let start = [updated_at.into(), id.into(), limit.into()];
    let statement = match query.status {
        None => Statement::new(PAGE, start.into()),
        Some(status) => {
            let values = std::iter::once(status.name().into()).chain(start);
            Statement::new(PAGE_OF_STATUS, values.collect())
        }
    };
    let mut group = Group::default();
    let records = group.push(statement, rows::record);
    group.finish(move |rows| {
        let records = rows.all(&records)?;
        let count = usize::try_from(query.limit.count()).unwrap_or(usize::MAX);
        let has_more = records.len() > count;
        let runs: Vec<Run> = records.into_iter().take(count).map(|record| record.run).collect();
        let next = runs.last().filter(|_| has_more);
        let next = next.map(|last| ListPosition { updated_at: last.updated_at, run: last.id });
        Ok(Ok(RunListPage { runs, next }))
    })
}
