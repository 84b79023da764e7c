//! The runner's debates in SQLite, all of them.

use async_trait::async_trait;
use debate_app::runner::{
    Chronicle, DaySpent, RunArchiveError, RunDestination, RunRows, RunSource,
};
use debate_core::RunId;
use rusqlite::{Connection, params_from_iter};

use super::super::archive::SqliteArchive;
use super::super::fault::Fault;
use super::read::{all, one};
use super::write::CHARGE;
use crate::runner::statements::{CALLS, DAYS, FIRST_RUN, ROWS, RUN, TURNS};
use crate::runner::{self, Columns, Value};
use crate::survey::first_after;

#[async_trait]
impl RunSource for SqliteArchive {
    async fn next_run(
        &mut self,
        after: Option<RunId>,
    ) -> Result<Option<Chronicle>, RunArchiveError> {
        let Some(first) = first_after(after.map(RunId::uuid)) else { return Ok(None) };
        let found = one(&self.conn, FIRST_RUN, &[Value::Id(first)], |row| row.id("id"));
        let Some(run) = found.map_err(fault)?.map(RunId::new) else { return Ok(None) };
        chronicle(&self.conn, run).map_err(|Fault(err)| runner::unreadable(run, err))
    }

    async fn days(&mut self) -> Result<Vec<DaySpent>, RunArchiveError> {
        all(&self.conn, DAYS, &[], |row| runner::day(row)).map_err(fault)
    }

    async fn rows(&mut self) -> Result<RunRows, RunArchiveError> {
        let counted = one(&self.conn, ROWS, &[], |row| runner::counted(row)).map_err(fault)?;
        Ok(counted.unwrap_or_default())
    }
}

#[async_trait]
impl RunDestination for SqliteArchive {
    async fn add_run(&mut self, chronicle: &Chronicle) -> Result<(), RunArchiveError> {
        add(&self.conn, chronicle).map_err(fault)
    }

    async fn add_days(&mut self, days: &[DaySpent]) -> Result<(), RunArchiveError> {
        add_days(&self.conn, days).map_err(fault)
    }
}

fn chronicle(conn: &Connection, run: RunId) -> Result<Option<Chronicle>, Fault> {
    let id = [Value::Id(run.uuid())];
    let kept = |row: &rusqlite::Row<'_>| Ok((runner::record(row)?, runner::keyed(row)?));
    let Some((record, key)) = one(conn, RUN, &id, kept)? else { return Ok(None) };
    let turns = all(conn, TURNS, &id, |row| runner::turn(row))?;
    let calls = all(conn, CALLS, &id, |row| runner::call(row))?;
    Ok(Some(Chronicle { record, key, turns, calls }))
}

fn add(conn: &Connection, chronicle: &Chronicle) -> Result<(), Fault> {
    for change in runner::all_of(chronicle) {
        let (statement, values) = change.bound()?;
        conn.prepare_cached(statement)?.execute(params_from_iter(values))?;
    }
    Ok(())
}

fn add_days(conn: &Connection, days: &[DaySpent]) -> Result<(), Fault> {
    for DaySpent { day, booked } in days {
        conn.prepare_cached(CHARGE)?.execute((day, booked.tokens, booked.cost.nanos()))?;
    }
    Ok(())
}

fn fault(Fault(err): Fault) -> RunArchiveError {
    err.into()
}
