//! The runner's reads.

use debate_app::runner::{RunNews, RunPage, RunnerError, Since, Story};
use debate_core::runner::{Call, Record, RunQuery};
use debate_core::{RunId, Seq, TurnId};
use rusqlite::{Connection, Row, params_from_iter};

use super::super::fault::Fault;
use crate::runner::statements::{CALLS, COSTS, PLACE_OF_TURN, RUN, TURNS, TURNS_AFTER};
use crate::runner::{self, Bounds, PAGE_BYTES_MAX, PAGE_TURNS_MAX, Value, page_of};

/// All that a statement finds.
pub(super) fn all<T>(
    conn: &Connection,
    statement: &'static str,
    values: &[Value<'_>],
    read: impl Fn(&Row<'_>) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    let mut statement = conn.prepare_cached(statement)?;
    let mut found = statement.query(params_from_iter(values))?;
    let mut rows = Vec::new();
    while let Some(row) = found.next()? {
        rows.push(read(row)?);
    }
    Ok(rows)
}

/// The one row that a statement finds, if it does.
pub(super) fn one<T>(
    conn: &Connection,
    statement: &'static str,
    values: &[Value<'_>],
    read: impl Fn(&Row<'_>) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    let mut statement = conn.prepare_cached(statement)?;
    let mut found = statement.query(params_from_iter(values))?;
    found.next()?.map(read).transpose()
}

/// The debate as it is kept.
pub(super) fn record_of(conn: &Connection, run: RunId) -> Result<Option<Record>, Fault> {
    one(conn, RUN, &[Value::Id(run.uuid())], |row| runner::record(row))
}

fn found(conn: &Connection, run: RunId) -> Result<Record, RunnerError> {
    record_of(conn, run)?.ok_or(RunnerError::NoSuchRun(run))
}

pub(super) fn story(conn: &Connection, run: RunId) -> Result<Story, RunnerError> {
    let record = found(conn, run)?;
    let id = [Value::Id(run.uuid())];
    let turns = all(conn, TURNS, &id, |row| runner::turn(row))?;
    let costs = all(conn, COSTS, &id, |row| runner::cost(row))?;
    Ok(Story { run: record.run, turns, costs })
}

pub(super) fn calls(conn: &Connection, run: RunId) -> Result<Vec<Call>, RunnerError> {
    found(conn, run)?;
    Ok(all(conn, CALLS, &[Value::Id(run.uuid())], |row| runner::call(row))?)
}

pub(super) fn newer_than(
    conn: &Connection,
    run: RunId,
    since: Since,
) -> Result<RunNews, RunnerError> {
    let record = found(conn, run)?;
    let seen = match since {
        Since::Start => Seq::START,
        Since::Seq(seq) => seq,
        Since::Turn(turn) => place_of(conn, run, turn)?.ok_or(RunnerError::UnknownPosition(run))?,
    };
    let bounds = [
        Value::Id(run.uuid()),
        Value::from(seen.number()),
        Value::Number(PAGE_TURNS_MAX),
        Value::Number(PAGE_BYTES_MAX),
    ];
    let newer = all(conn, TURNS_AFTER, &bounds, |row| runner::turn(row))?;
    Ok(RunNews { run: record.run, seen, newer, last: record.last_seq })
}

/// A turn's place, if it is one of this debate.
pub(super) fn place_of(conn: &Connection, run: RunId, turn: TurnId) -> Result<Option<Seq>, Fault> {
    let ids = [Value::Id(turn.uuid()), Value::Id(run.uuid())];
    one(conn, PLACE_OF_TURN, &ids, |row| runner::seq(row))
}

pub(super) fn list(conn: &Connection, query: &RunQuery) -> Result<RunPage, RunnerError> {
    let Bounds { statement, values } = Bounds::of(query);
    Ok(page_of(query, all(conn, statement, &values, |row| runner::record(row))?))
}
