//! Runs on a worker's behalf: acquire, begin a call, renew the lease, save a step.
//!
//! PostgreSQL takes locks in one order: the run, then the day, then the rows of the day.

use debate_app::runner::{RunTask, StepReport};
use debate_app::{Lease, LeaseRequest, Settlement, StoreError, WorkOffer};
use debate_core::runner::{
    Acquired, BeginCall, BeginCallError, Call, CallResult, CallStatus, Charge, RunRecord,
    StepResult, Turn, UnknownOutcomePolicy,
};
use debate_core::{CallId, RunId, TurnId};
use jiff::{SignedDuration, Timestamp};

use super::rows;
use super::rows::{lock_run, run_by_id};
use super::statements::{
    CALL, CALLS_AT, LAST_TURN, LOCK_DAY, OPEN_CALLS, SEQ_OF_TURN, SPENT_ON, TURNS,
};
use super::writes::{DayCharge, RunWrites, day_number};
use crate::lease::statements::RUNS;
use crate::lease::{self, WorkItem, postpone};
use crate::sql::{Commit, Group, Handle, Operation, Sql, Statement, undecodable};

/// Acquires the run that has been due for longest. The calls that its last holder left
/// in flight become unknown.
pub(super) fn acquire(
    (request, on_unknown): &(LeaseRequest, UnknownOutcomePolicy),
) -> Operation<'_, Commit<WorkOffer<RunTask>>> {
    lease::acquire(&RUNS, request.at, move |id| {
        let mut group = Group::default();
        let record = group.push(run_by_id(RunId::new(id)), rows::record);
        let open = group.push(Statement::new(OPEN_CALLS, vec![id.into()]), rows::call);
        let turns = group.push(Statement::new(TURNS, vec![id.into()]), rows::turn);
        group.finish(move |rows| {
            let loaded = || -> Result<_, StoreError> {
                let record = rows.first(&record)?;
                let record = record.ok_or_else(|| undecodable("due run not found"))?;
                Ok((record, rows.all(&open)?, rows.all(&turns)?))
            };
            Ok(match loaded() {
                Ok((record, open, turns)) => {
                    acquire_loaded(request, *on_unknown, &record, open, turns)
                }
                Err(problem) => postpone(&RUNS, id, request.at, &problem),
            })
        })
    })
}

fn acquire_loaded(
    request: &LeaseRequest,
    on_unknown: UnknownOutcomePolicy,
    record: &RunRecord,
    open: Vec<Call>,
    turns: Vec<Turn>,
) -> Commit<WorkOffer<RunTask>> {
    let mut writes = RunWrites::default();
    let interrupted = u32::try_from(open.len()).unwrap_or(u32::MAX);
    for call in open {
        writes.save_call(&Call { status: CallStatus::Unknown, ..call });
    }
    let offer = match record.acquire(interrupted, on_unknown, request.at, request.duration) {
        Acquired::Step(record) => {
            if interrupted > 0 {
                writes.notify(&record);
            }
            writes.save_run(&record, Some(&request.holder));
            WorkOffer::Task(RunTask { record, turns })
        }
        Acquired::Cleaned(record) => {
            writes.notify(&record);
            writes.save_run(&record, None);
            WorkOffer::Cleaned
        }
    };
    Commit::new(offer, writes.finish())
}

/// A call of a run, if there is one with this id.
fn push_call(group: &mut Group<'_>, run: RunId, call: Option<CallId>) -> Handle<Call> {
    let call = call.map(CallId::uuid);
    group.push(Statement::new(CALL, vec![call.into(), run.uuid().into()]), rows::call)
}

/// Records a call that is about to be made.
pub(super) fn begin_call(
    (run, begin): &(RunId, BeginCall),
) -> Operation<'_, Commit<Result<Call, BeginCallError>>> {
    let (run, draft) = (*run, &begin.call);
    let cursor = vec![
        run.uuid().into(),
        draft.cursor.round.number().into(),
        draft.cursor.actor.name().into(),
    ];
    let day = day_number(draft.at);
    let mut group = Group::default();
    let record = lock_run(&mut group, run);
    let known = push_call(&mut group, run, Some(draft.id));
    let previous = push_call(&mut group, run, begin.after.map(|end| end.call));
    let calls = group.push(Statement::new(CALLS_AT, cursor), |row| row.count("calls"));
    let is_limited = vec![begin.is_limited().into()];
    group.push_exists(Statement::new(Sql::PostgresOnly(LOCK_DAY), is_limited));
    let charged = group.push(Statement::new(SPENT_ON, vec![day.into()]), rows::day_charge);
    group.finish(move |rows| {
        let Some(mut record) = rows.first(&record)? else {
            return Ok(Commit::refuse(BeginCallError::Lost));
        };
        let (known, previous) = (rows.first(&known)?, rows.first(&previous)?);
        let mut writes = RunWrites::default();
        let end = begin.after.as_ref();
        let is_paid = finish_call(&mut record, previous.as_ref(), end, draft.at, &mut writes);
        let is_held = record.renew(begin.fencing_token, draft.at, SignedDuration::ZERO).is_some();
        let begun = match known {
            Some(call) if is_held => Ok((None, call)),
            Some(_) => Err(BeginCallError::Lost),
            None => {
                let charged = rows.first(&charged)?.unwrap_or_default();
                let charged = charged.plus(writes.charge_for(day)).to_charge();
                let calls = rows.first(&calls)?.unwrap_or_default();
                record.begin_call(begin, charged, calls).map(|(record, call)| (Some(record), call))
            }
        };
        if let Ok((Some(after), call)) = &begun {
            if after.run.cursor != record.run.cursor {
                writes.notify(after);
            }
            writes.save_run(after, None);
            writes.add_call(call);
            writes.charge(day, DayCharge::between(Charge::default(), call.charge()));
        } else if is_paid {
            writes.save_run(&record, None);
        }
        Ok(Commit::new(begun.map(|(_, call)| call), writes.finish()))
    })
}

impl WorkItem<StepReport> for RunId {
    fn renew(
        (lease, at, duration): &(Lease<RunId>, Timestamp, SignedDuration),
    ) -> Operation<'_, Commit<Settlement>> {
        let mut group = Group::default();
        let record = lock_run(&mut group, lease.item);
        group.finish(move |rows| {
            let record = rows.first(&record)?;
            let renewed =
                record.and_then(|record| record.renew(lease.fencing_token, *at, *duration));
            let Some(renewed) = renewed else {
                return Ok(Commit::unchanged(Settlement::Discarded));
            };
            let mut writes = RunWrites::default();
            writes.save_run(&renewed, None);
            Ok(Commit::new(Settlement::Saved, writes.finish()))
        })
    }

    fn settle(
        (lease, report, at): &(Lease<RunId>, StepReport, Timestamp),
    ) -> Operation<'_, Commit<Settlement>> {
        let (run, id) = (lease.item, lease.item.uuid());
        let turn = new_turn(&report.end).map(TurnId::uuid);
        let mut group = Group::default();
        let record = lock_run(&mut group, run);
        let call = push_call(&mut group, run, report.call.map(|end| end.call));
        let last_turn = group.push(Statement::new(LAST_TURN, vec![id.into()]), |row| {
            Ok((rows::cursor(row)?, rows::seq(row)?))
        });
        let saved_turn = Statement::new(SEQ_OF_TURN, vec![turn.into(), id.into()]);
        let saved_turn = group.push_exists(saved_turn);
        group.finish(move |rows| {
            let Some(mut record) = rows.first(&record)? else {
                return Ok(Commit::unchanged(Settlement::Discarded));
            };
            let call = rows.first(&call)?;
            let mut writes = RunWrites::default();
            let is_paid =
                finish_call(&mut record, call.as_ref(), report.call.as_ref(), *at, &mut writes);
            let last_turn = rows.first(&last_turn)?;
            if let Some((after, turn)) =
                record.finish_step(lease.fencing_token, report.end.clone(), last_turn, *at)
            {
                writes.notify(&after);
                writes.save_run(&after, None);
                if let Some(turn) = turn {
                    writes.add_turn(&turn);
                }
                return Ok(Commit::new(Settlement::Saved, writes.finish()));
            }
            if is_paid {
                writes.notify(&record);
                writes.save_run(&record, None);
            }
            // The same result was saved before, and the answer was lost.
            let is_saved = rows.has_any(&saved_turn);
            let settlement = if is_saved { Settlement::Saved } else { Settlement::Discarded };
            Ok(Commit::new(settlement, writes.finish()))
        })
    }
}

/// The turn that a step adds, if it adds one.
const fn new_turn(end: &StepResult) -> Option<TurnId> {
    match end {
        StepResult::Turn { draft, .. } => Some(draft.id),
        StepResult::LimitReached { .. }
        | StepResult::Retry { .. }
        | StepResult::Failed { .. }
        | StepResult::Released => None,
    }
}

/// Saves the result of a call and charges its cost to the day on which it began. Returns whether
/// there was a result to save.
fn finish_call(
    record: &mut RunRecord,
    call: Option<&Call>,
    end: Option<&CallResult>,
    at: Timestamp,
    writes: &mut RunWrites,
) -> bool {
    let (Some(call), Some(end)) = (call, end) else { return false };
    let Some((after, finished)) = record.finish_call(call, end, at) else { return false };
    let change = DayCharge::between(call.charge(), finished.charge());
    writes.charge(day_number(call.started_at), change);
    writes.save_call(&finished);
    *record = after;
    true
}
