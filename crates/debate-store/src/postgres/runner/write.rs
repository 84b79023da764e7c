//! The runner's writes: lock and load, ask, keep and commit.
//!
//! Locks are taken in one order: the debate, then the day, then the day's rows.

use debate_app::runner::{
    CommandRequest, Create, Created, Found, Renew, RunnerError, Settle, Settlement, Take,
};
use debate_app::{Cause, StoreError};
use debate_core::RunId;
use debate_core::runner::{Begin, Call, NotBegun, Record, Run, Standing, Turn};
use tokio_postgres::Row;
use uuid::Uuid;

use super::super::columns::params;
use super::super::connection::Query;
use super::super::fault::Fault;
use super::super::flight::Failed;
use super::super::writers::{Writers, Writing};
use super::read::{all, first};
use crate::runner::statements::{
    CALL, CALLS_AT, LAST_TURN, NEXT_DUE, OPEN_CALLS, PLACE_OF_TURN, RUN, RUN_OF_KEY, SPENT_ON,
    TURNS,
};
use crate::runner::{
    self, Beginning, Columns, DayChange, Earlier, Settling, Value, Writes, day_of, nothing_due,
};

/// What is read after it is what those who held the lock before have left.
const LOCK: &str = "select id from runs where id = $1 for update";

/// The one that has been due for longest, of those that nobody else has just locked.
const DUE: &str = "select id from runs where due <= $1 order by due, id limit 1
     for update skip locked";

/// Whoever must not exceed a day's tokens is alone with them until it has committed. ("tokens")
const LOCK_DAY: &str = "select pg_advisory_xact_lock(128021892001395) where $1::boolean";

/// A connection has a row of its own, unless another has the same remainder.
pub(super) const CHARGE: &str =
    "insert into run_days (day, slot, spent, cost) values ($1, pg_backend_pid() % 64, $2, $3)
     on conflict (day, slot) do update
     set spent = run_days.spent + excluded.spent, cost = run_days.cost + excluded.cost";

/// A decision that is no failure of the store must not spoil its connection, so it is kept apart.
pub(super) type Decided<T> = Result<T, RunnerError>;

pub(super) async fn create(writers: &Writers, create: &Create) -> Result<Decided<Created>, Failed> {
    let key = create.key.as_ref().map(|(key, _)| key.as_str());
    let (writing, found) = writers.begin(&[(RUN_OF_KEY, &[&key])]).await?;
    let decided = runner::create(create, first(&found, 0, earlier)?);
    keep_decided(writing, decided).await
}

fn earlier(row: &Row) -> Result<Earlier, Fault> {
    let fingerprint = runner::keyed(row)?.map(|(_, fingerprint)| fingerprint);
    Ok(Earlier { record: runner::record(row)?, fingerprint })
}

pub(super) async fn command(
    writers: &Writers,
    request: &CommandRequest,
) -> Result<Decided<Run>, Failed> {
    let (writing, record) = locked(writers, request.run).await?;
    let decided = runner::command(request, record.as_ref());
    keep_decided(writing, decided).await
}

pub(super) async fn delete(writers: &Writers, run: RunId) -> Result<Decided<()>, Failed> {
    let (writing, record) = locked(writers, run).await?;
    let decided = runner::delete(run, record.as_ref()).map(|writes| ((), writes));
    keep_decided(writing, decided).await
}

pub(super) async fn take(writers: &Writers, take: &Take) -> Result<Found, Failed> {
    let at = take.at.as_microsecond();
    let (writing, found) = writers.begin(&[(DUE, &[&at]), (NEXT_DUE, &[])]).await?;
    let due: Option<Uuid> = first(&found, 0, |row| row.id("id"))?;
    let Some(id) = due else {
        let earliest = first(&found, 1, |row| row.time("due"))?;
        keep(writing, Writes::default()).await?;
        return Ok(nothing_due(earliest, take.at));
    };
    let found = writing.ask(&[(RUN, &[&id]), (OPEN_CALLS, &[&id]), (TURNS, &[&id])]).await?;
    let (found, writes) = match whole(&found) {
        Ok((record, open, turns)) => runner::take(take, &record, open, turns),
        Err(Fault(err)) => runner::put_off(take, RunId::new(id), &err),
    };
    keep(writing, writes).await?;
    Ok(found)
}

/// A debate that is there, the calls that are open in it, and its turns.
fn whole(found: &[Vec<Row>]) -> Result<(Record, Vec<Call>, Vec<Turn>), Fault> {
    let record = first(found, 0, runner::record)?
        .ok_or_else(|| Fault::undecodable("locked run not found"))?;
    Ok((record, all(found, 1, runner::call)?, all(found, 2, runner::turn)?))
}

pub(super) async fn begin(
    writers: &Writers,
    run: RunId,
    begin: &Begin,
) -> Result<Result<Call, NotBegun>, Failed> {
    let draft = &begin.call;
    let (id, call) = (run.uuid(), draft.id.uuid());
    let after = begin.after.map(|end| end.call.uuid());
    let (round, actor) = (i64::from(draft.place.round.number()), draft.place.actor.name());
    let day = day_of(draft.at);
    let is_limited = begin.is_limited();
    let (writing, found) = writers
        .begin(&[
            (LOCK, &[&id]),
            (RUN, &[&id]),
            (CALL, &[&call, &id]),
            (CALL, &[&after, &id]),
            (CALLS_AT, &[&id, &round, &actor]),
            (LOCK_DAY, &[&is_limited]),
            (SPENT_ON, &[&day]),
        ])
        .await?;
    let loaded = Beginning {
        record: first(&found, 1, runner::record)?,
        known: first(&found, 2, runner::call)?,
        after: first(&found, 3, runner::call)?,
        earlier: first(&found, 4, |row| row.count("calls"))?.unwrap_or_default(),
        today: first(&found, 6, runner::booked)?.unwrap_or_default(),
    };
    let (begun, writes) = runner::begin(begin, loaded);
    keep(writing, writes).await?;
    Ok(begun)
}

pub(super) async fn renew(writers: &Writers, renew: &Renew) -> Result<Option<Standing>, Failed> {
    let (writing, record) = locked(writers, renew.run).await?;
    let (standing, writes) = runner::renew(renew, record.as_ref());
    keep(writing, writes).await?;
    Ok(standing)
}

pub(super) async fn settle(writers: &Writers, settle: &Settle) -> Result<Settlement, Failed> {
    let id = settle.run.uuid();
    let call = settle.call.map(|end| end.call.uuid());
    let turn = runner::said(&settle.end).map(debate_core::TurnId::uuid);
    let (writing, found) = writers
        .begin(&[
            (LOCK, &[&id]),
            (RUN, &[&id]),
            (CALL, &[&call, &id]),
            (LAST_TURN, &[&id]),
            (PLACE_OF_TURN, &[&turn, &id]),
        ])
        .await?;
    let loaded = Settling {
        record: first(&found, 1, runner::record)?,
        call: first(&found, 2, runner::call)?,
        last: first(&found, 3, |row| Ok((runner::cursor(row)?, runner::seq(row)?)))?,
        is_kept: first(&found, 4, runner::seq)?.is_some(),
    };
    let (settlement, writes) = runner::settle(settle, loaded);
    keep(writing, writes).await?;
    Ok(settlement)
}

/// The debate, which nobody else writes to until this is over.
async fn locked(writers: &Writers, run: RunId) -> Result<(Writing, Option<Record>), Failed> {
    let id = run.uuid();
    let (writing, found) = writers.begin(&[(LOCK, &[&id]), (RUN, &[&id])]).await?;
    let record = first(&found, 1, runner::record)?;
    Ok((writing, record))
}

async fn keep_decided<T>(
    writing: Writing,
    decided: Result<(T, Writes), RunnerError>,
) -> Result<Decided<T>, Failed> {
    let (decided, writes) = match decided {
        Ok((done, writes)) => (Ok(done), writes),
        Err(refusal) => (Err(refusal), Writes::default()),
    };
    keep(writing, writes).await?;
    Ok(decided)
}

/// In a task of its own: whoever asked may leave, and what is committed must be rung for.
async fn keep(writing: Writing, writes: Writes) -> Result<(), Failed> {
    tokio::spawn(save(writing, writes))
        .await
        .unwrap_or_else(|err| Err(Fault(StoreError::Unexpected(Cause::new(err))).into()))
}

async fn save(writing: Writing, writes: Writes) -> Result<(), Failed> {
    let Writes { changes, charges, rings } = &writes;
    let bound = changes.iter().map(runner::Change::bound).collect::<Result<Vec<_>, _>>();
    let mut bound = bound.map_err(Fault::from)?;
    let charge = |(day, change): (&i64, &DayChange)| {
        (CHARGE, [*day, change.tokens, change.cost].map(Value::Number).to_vec())
    };
    bound.extend(charges.iter().map(charge));
    let params: Vec<_> = bound.iter().map(|(_, values)| params(values)).collect();
    let queries: Vec<Query<'_>> = bound
        .iter()
        .zip(&params)
        .map(|((statement, _), params)| (*statement, params.as_slice()))
        .collect();
    writing.save(&queries, rings).await
}
