//! The runner's reads, each one snapshot.

use debate_app::runner::{RunNews, RunPage, RunnerError, Since, Story};
use debate_core::runner::{Call, Record, RunQuery};
use debate_core::{RunId, Seq};
use tokio_postgres::Row;
use tokio_postgres::types::ToSql;

use super::super::columns::params;
use super::super::fault::Fault;
use super::super::readers::{Readers, Snapshot};
use crate::runner::statements::{CALLS, COSTS, PLACE_OF_TURN, RUN, TURNS, TURNS_AFTER};
use crate::runner::{self, Bounds, PAGE_BYTES_MAX, PAGE_TURNS_MAX, page_of};

/// Everything the statement of this number found, read.
pub(super) fn all<T>(
    found: &[Vec<Row>],
    number: usize,
    read: impl Fn(&Row) -> Result<T, Fault>,
) -> Result<Vec<T>, Fault> {
    found.get(number).into_iter().flatten().map(read).collect()
}

/// The first that the statement of this number found, if it did.
pub(super) fn first<T>(
    found: &[Vec<Row>],
    number: usize,
    read: impl Fn(&Row) -> Result<T, Fault>,
) -> Result<Option<T>, Fault> {
    found.get(number).and_then(|rows| rows.first()).map(read).transpose()
}

fn run_of(found: &[Vec<Row>], run: RunId) -> Result<Record, RunnerError> {
    first(found, 0, runner::record)?.ok_or(RunnerError::NoSuchRun(run))
}

pub(super) async fn story(readers: &Readers, run: RunId) -> Result<Story, RunnerError> {
    let id = run.uuid();
    let found = readers.once(&[(RUN, &[&id]), (TURNS, &[&id]), (COSTS, &[&id])]).await?;
    let record = run_of(&found, run)?;
    let (turns, costs) = (all(&found, 1, runner::turn)?, all(&found, 2, runner::cost)?);
    Ok(Story { run: record.run, turns, costs })
}

pub(super) async fn calls(readers: &Readers, run: RunId) -> Result<Vec<Call>, RunnerError> {
    let id = run.uuid();
    let found = readers.once(&[(RUN, &[&id]), (CALLS, &[&id])]).await?;
    run_of(&found, run)?;
    Ok(all(&found, 1, runner::call)?)
}

pub(super) async fn newer_than(
    readers: &Readers,
    run: RunId,
    since: Since,
) -> Result<RunNews, RunnerError> {
    let id = run.uuid();
    let turn = match since {
        Since::Turn(turn) => Some(turn.uuid()),
        Since::Start | Since::Seq(_) => None,
    };
    // Without a turn the second finds nothing, which costs less than another flight.
    let asked = readers.begin(&[(RUN, &[&id]), (PLACE_OF_TURN, &[&turn, &id])]).await?;
    let (snapshot, found) = asked;
    let (record, seen) = match position(&found, run, since) {
        Ok(known) => known,
        Err(err) => return Err(ended(snapshot, err).await),
    };
    let after = i64::from(seen.number());
    let bounds: [&(dyn ToSql + Sync); 4] = [&id, &after, &PAGE_TURNS_MAX, &PAGE_BYTES_MAX];
    let found = snapshot.end(&[(TURNS_AFTER, &bounds)]).await?;
    let newer = all(&found, 0, runner::turn)?;
    Ok(RunNews { run: record.run, seen, newer, last: record.last_seq })
}

fn position(found: &[Vec<Row>], run: RunId, since: Since) -> Result<(Record, Seq), RunnerError> {
    let record = run_of(found, run)?;
    let seen = match since {
        Since::Start => Seq::START,
        Since::Seq(seq) => seq,
        Since::Turn(_) => first(found, 1, runner::seq)?.ok_or(RunnerError::UnknownPosition(run))?,
    };
    Ok((record, seen))
}

/// Ends a read that found nothing: its connection is as good as before.
async fn ended(snapshot: Snapshot, err: RunnerError) -> RunnerError {
    match snapshot.end(&[]).await {
        Ok(_) => err,
        Err(fault) => fault.into(),
    }
}

pub(super) async fn list(readers: &Readers, query: &RunQuery) -> Result<RunPage, RunnerError> {
    let Bounds { statement, values } = Bounds::of(query);
    let found = readers.once(&[(statement, &params(&values))]).await?;
    Ok(page_of(query, all(&found, 0, runner::record)?))
}
