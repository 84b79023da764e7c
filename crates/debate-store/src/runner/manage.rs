//! Runs on a client's behalf: create, command, delete.

use debate_app::runner::{CreateRun, CreatedRun, RunCommand, RunnerError};
use debate_core::runner::{Run, create_run};
use debate_core::{Fingerprint, RunId};

use super::rows::lock_run;
use super::statements::RUN_OF_KEY;
use super::writes::RunWrites;
use super::{RunnerWrite, rows};
use crate::sql::{Commit, Group, Statement, Writes};

/// Creates a run, unless the same request did before.
pub(super) fn create(create: &CreateRun) -> RunnerWrite<'_, CreatedRun> {
    let mut group = Group::default();
    let key = create.key.as_ref().map(|(key, _)| key.as_str());
    let earlier = group.push(Statement::new(RUN_OF_KEY, vec![key.into()]), |row| {
        let fingerprint = rows::idempotency_key(row)?.map(|(_, fingerprint)| fingerprint);
        Ok((rows::record(row)?.run, fingerprint))
    });
    group.finish(move |rows| {
        Ok(Commit::from_decision(match rows.first(&earlier)? {
            Some((run, fingerprint)) => replay(create, run, fingerprint),
            None => Ok(create_fresh(create)),
        }))
    })
}

fn replay(
    create: &CreateRun,
    run: Run,
    fingerprint: Option<Fingerprint>,
) -> Result<(CreatedRun, Writes), RunnerError> {
    let requested = create.key.as_ref().map(|(_, fingerprint)| *fingerprint);
    if fingerprint == requested {
        Ok((CreatedRun::Replayed(run), Writes::default()))
    } else {
        Err(RunnerError::KeyReused)
    }
}

fn create_fresh(create: &CreateRun) -> (CreatedRun, Writes) {
    let record = create_run(&create.opening, create.at);
    let mut writes = RunWrites::default();
    writes.notify(&record);
    writes.add_run(&record, create.key.as_ref());
    (CreatedRun::Fresh(record.run), writes.finish())
}

/// Executes a client's command.
pub(super) fn command(request: &RunCommand) -> RunnerWrite<'_, Run> {
    let RunCommand { run, order, budget, at } = request;
    let mut group = Group::default();
    let record = lock_run(&mut group, *run);
    group.finish(move |rows| {
        let Some(record) = rows.first(&record)? else {
            return Ok(Commit::refuse(RunnerError::UnknownRun(*run)));
        };
        let after = match record.apply_request(order, budget, *at) {
            Ok(after) => after,
            Err(refusal) => return Ok(Commit::refuse(refusal)),
        };
        let mut writes = RunWrites::default();
        writes.notify(&after);
        writes.save_run(&after, None);
        Ok(Commit::new(Ok(after.run), writes.finish()))
    })
}

/// Deletes a run. The charge for its calls stays.
pub(super) fn delete(run: &RunId) -> RunnerWrite<'_, ()> {
    let run = *run;
    let mut group = Group::default();
    let record = lock_run(&mut group, run);
    group.finish(move |rows| {
        if rows.first(&record)?.is_none() {
            return Ok(Commit::refuse(RunnerError::UnknownRun(run)));
        }
        let mut writes = RunWrites::default();
        writes.delete_run(run);
        Ok(Commit::new(Ok(()), writes.finish()))
    })
}
