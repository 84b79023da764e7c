//! The runner's debates in PostgreSQL, all of them.

use async_trait::async_trait;
use debate_app::runner::{
    Chronicle, DaySpent, RunArchiveError, RunDestination, RunRows, RunSource,
};
use debate_core::RunId;
use tokio_postgres::Row;

use super::super::archive::PostgresArchive;
use super::super::columns::params;
use super::super::connection::Query;
use super::super::fault::Fault;
use super::read::{all, first};
use super::write::CHARGE;
use crate::runner::statements::{CALLS, DAYS, FIRST_RUN, ROWS, RUN, TURNS};
use crate::runner::{self, Columns, Value};
use crate::survey::first_after;

#[async_trait]
impl RunSource for PostgresArchive {
    async fn next_run(
        &mut self,
        after: Option<RunId>,
    ) -> Result<Option<Chronicle>, RunArchiveError> {
        let Some(from) = first_after(after.map(RunId::uuid)) else { return Ok(None) };
        let found = self.flight(&[(FIRST_RUN, &[&from])]).await.map_err(fault)?;
        let Some(id) = first(&found, 0, |row| row.id("id")).map_err(fault)? else {
            return Ok(None);
        };
        let found = self.flight(&[(RUN, &[&id]), (TURNS, &[&id]), (CALLS, &[&id])]).await;
        chronicle(&found.map_err(fault)?)
            .map_err(|Fault(err)| runner::unreadable(RunId::new(id), err))
    }

    async fn days(&mut self) -> Result<Vec<DaySpent>, RunArchiveError> {
        let found = self.flight(&[(DAYS, &[])]).await.map_err(fault)?;
        all(&found, 0, runner::day).map_err(fault)
    }

    async fn rows(&mut self) -> Result<RunRows, RunArchiveError> {
        let found = self.flight(&[(ROWS, &[])]).await.map_err(fault)?;
        Ok(first(&found, 0, runner::counted).map_err(fault)?.unwrap_or_default())
    }
}

#[async_trait]
impl RunDestination for PostgresArchive {
    async fn add_run(&mut self, chronicle: &Chronicle) -> Result<(), RunArchiveError> {
        let changes = runner::all_of(chronicle);
        let bound = changes.iter().map(runner::Change::bound).collect::<Result<Vec<_>, _>>();
        let bound = bound.map_err(|misfit| fault(misfit.into()))?;
        if bound.iter().flat_map(|(_, values)| values).any(Value::has_nul) {
            return Err(RunArchiveError::Nul(chronicle.record.run.id));
        }
        let params: Vec<_> = bound.iter().map(|(_, values)| params(values)).collect();
        let queries: Vec<Query<'_>> = bound
            .iter()
            .zip(&params)
            .map(|((statement, _), params)| (*statement, params.as_slice()))
            .collect();
        self.flight(&queries).await.map_err(fault)?;
        Ok(())
    }

    async fn add_days(&mut self, days: &[DaySpent]) -> Result<(), RunArchiveError> {
        for DaySpent { day, booked } in days {
            let tokens = i64::try_from(booked.tokens).unwrap_or(i64::MAX);
            let cost = i64::try_from(booked.cost.nanos()).unwrap_or(i64::MAX);
            self.flight(&[(CHARGE, &[day, &tokens, &cost])]).await.map_err(fault)?;
        }
        Ok(())
    }
}

fn chronicle(found: &[Vec<Row>]) -> Result<Option<Chronicle>, Fault> {
    let kept = |row: &Row| Ok((runner::record(row)?, runner::keyed(row)?));
    let Some((record, key)) = first(found, 0, kept)? else { return Ok(None) };
    let (turns, calls) = (all(found, 1, runner::turn)?, all(found, 2, runner::call)?);
    Ok(Some(Chronicle { record, key, turns, calls }))
}

fn fault(Fault(err): Fault) -> RunArchiveError {
    err.into()
}
