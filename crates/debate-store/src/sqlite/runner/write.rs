//! The runner's writes: load, ask, keep, in the writer's transaction.

use debate_app::StoreError;
use debate_app::runner::{
    CommandRequest, Create, Created, Found, Renew, RunnerError, Settle, Settlement, Take,
};
use debate_core::runner::{Begin, Call, NotBegun, Record, Run, Standing, Turn};
use debate_core::{CallId, RunId};
use rusqlite::{Connection, Row, params_from_iter};

use super::super::fault::Fault;
use super::super::job::Tx;
use super::read::{all, one, place_of, record_of};
use crate::runner::statements::{
    CALL, CALLS_AT, LAST_TURN, NEXT_DUE, OPEN_CALLS, RUN_OF_KEY, SPENT_ON, TURNS,
};
use crate::runner::{
    self, Beginning, Columns, DayChange, Earlier, Settling, Value, Writes, day_of, nothing_due,
};

/// The one that has been due for longest.
const DUE: &str = "select id from runs where due <= $1 order by due, id limit 1";

pub(super) const CHARGE: &str = "insert into run_days (day, spent, cost) values ($1, $2, $3)
     on conflict (day) do update
     set spent = spent + excluded.spent, cost = cost + excluded.cost";

pub(super) fn create(tx: &mut Tx<'_>, create: &Create) -> Result<Created, RunnerError> {
    let earlier = match &create.key {
        Some((key, _)) => one(tx.conn, RUN_OF_KEY, &[Value::from(key.as_str())], earlier)?,
        None => None,
    };
    let (created, writes) = runner::create(create, earlier)?;
    keep(tx, writes)?;
    Ok(created)
}

fn earlier(row: &Row<'_>) -> Result<Earlier, Fault> {
    let fingerprint = runner::keyed(row)?.map(|(_, fingerprint)| fingerprint);
    Ok(Earlier { record: runner::record(row)?, fingerprint })
}

pub(super) fn command(tx: &mut Tx<'_>, request: &CommandRequest) -> Result<Run, RunnerError> {
    let record = record_of(tx.conn, request.run)?;
    let (run, writes) = runner::command(request, record.as_ref())?;
    keep(tx, writes)?;
    Ok(run)
}

pub(super) fn delete(tx: &mut Tx<'_>, run: RunId) -> Result<(), RunnerError> {
    let record = record_of(tx.conn, run)?;
    let writes = runner::delete(run, record.as_ref())?;
    Ok(keep(tx, writes)?)
}

pub(super) fn take(tx: &mut Tx<'_>, take: &Take) -> Result<Found, StoreError> {
    let at = Value::Number(take.at.as_microsecond());
    let due = one(tx.conn, DUE, &[at], |row| Ok(RunId::new(row.id("id")?)))?;
    let Some(run) = due else {
        let earliest = one(tx.conn, NEXT_DUE, &[], |row| row.time("due"))?;
        return Ok(nothing_due(earliest, take.at));
    };
    let (found, writes) = match whole(tx.conn, run) {
        Ok((record, open, turns)) => runner::take(take, &record, open, turns),
        Err(Fault(err @ (StoreError::Undecodable(_) | StoreError::Unexpected(_)))) => {
            runner::put_off(take, run, &err)
        }
        Err(fault) => return Err(fault.into()),
    };
    keep(tx, writes)?;
    Ok(found)
}

/// A debate that is there, the calls that are open in it, and its turns.
fn whole(conn: &Connection, run: RunId) -> Result<(Record, Vec<Call>, Vec<Turn>), Fault> {
    let id = [Value::Id(run.uuid())];
    let record = record_of(conn, run)?.ok_or_else(|| Fault::undecodable("due run not found"))?;
    let open = all(conn, OPEN_CALLS, &id, |row| runner::call(row))?;
    let turns = all(conn, TURNS, &id, |row| runner::turn(row))?;
    Ok((record, open, turns))
}

pub(super) fn begin(
    tx: &mut Tx<'_>,
    run: RunId,
    begin: &Begin,
) -> Result<Result<Call, NotBegun>, StoreError> {
    let draft = &begin.call;
    let place = [
        Value::Id(run.uuid()),
        Value::from(draft.place.round.number()),
        Value::from(draft.place.actor.name()),
    ];
    let day = [Value::Number(day_of(draft.at))];
    let loaded = Beginning {
        record: record_of(tx.conn, run)?,
        known: call_of(tx.conn, run, Some(draft.id))?,
        after: call_of(tx.conn, run, begin.after.map(|end| end.call))?,
        earlier: one(tx.conn, CALLS_AT, &place, |row| row.count("calls"))?.unwrap_or_default(),
        today: one(tx.conn, SPENT_ON, &day, |row| runner::booked(row))?.unwrap_or_default(),
    };
    let (begun, writes) = runner::begin(begin, loaded);
    keep(tx, writes)?;
    Ok(begun)
}

pub(super) fn renew(tx: &mut Tx<'_>, renew: &Renew) -> Result<Option<Standing>, StoreError> {
    let record = record_of(tx.conn, renew.run)?;
    let (standing, writes) = runner::renew(renew, record.as_ref());
    keep(tx, writes)?;
    Ok(standing)
}

pub(super) fn settle(tx: &mut Tx<'_>, settle: &Settle) -> Result<Settlement, StoreError> {
    let run = settle.run;
    let last = one(tx.conn, LAST_TURN, &[Value::Id(run.uuid())], |row| {
        Ok((runner::cursor(row)?, runner::seq(row)?))
    })?;
    let is_kept = match runner::said(&settle.end) {
        Some(turn) => place_of(tx.conn, run, turn)?.is_some(),
        None => false,
    };
    let loaded = Settling {
        record: record_of(tx.conn, run)?,
        call: call_of(tx.conn, run, settle.call.map(|end| end.call))?,
        last,
        is_kept,
    };
    let (settlement, writes) = runner::settle(settle, loaded);
    keep(tx, writes)?;
    Ok(settlement)
}

fn call_of(conn: &Connection, run: RunId, call: Option<CallId>) -> Result<Option<Call>, Fault> {
    let Some(call) = call else { return Ok(None) };
    one(conn, CALL, &[Value::Id(call.uuid()), Value::Id(run.uuid())], |row| runner::call(row))
}

fn keep(tx: &mut Tx<'_>, writes: Writes) -> Result<(), Fault> {
    let Writes { changes, charges, rings } = writes;
    for change in &changes {
        let (statement, values) = change.bound()?;
        tx.conn.prepare_cached(statement)?.execute(params_from_iter(values))?;
    }
    for (day, DayChange { tokens, cost }) in charges {
        tx.conn.prepare_cached(CHARGE)?.execute([day, tokens, cost])?;
    }
    for &subject in rings.subjects() {
        tx.rings.moved(subject);
    }
    Ok(())
}
