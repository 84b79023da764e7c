//! Runs on a client's behalf: create, command, delete.

use debate_app::runner::{Create, Created, RunCommand, RunnerError};
use debate_core::runner::{Run, RunRecord, create_run};
use debate_core::{Fingerprint, RunId};

use super::rows;
use super::statements::{RUN, RUN_OF_KEY};
use super::writes::RunWrites;
use crate::lease::statements::RUNS;
use crate::sql::{Commit, Group, Handle, Operation, Statement, Writes};

type Write<'o, T> = Operation<'o, Commit<Result<T, RunnerError>>>;

pub(super) fn run_by_id(run: RunId) -> Statement<'static> {
    Statement::new(RUN, vec![run.uuid().into()])
}

/// Locks a run and loads it.
pub(super) fn lock_run(group: &mut Group<'_>, run: RunId) -> Handle<RunRecord> {
    group.lock(RUNS.lock, run.uuid());
    group.push(run_by_id(run), rows::record)
}

/// Creates a run, unless the same request did before.
pub(super) fn create(create: &Create) -> Write<'_, Created> {
    let mut group = Group::default();
    let key = create.key.as_ref().map(|(key, _)| key.as_str());
    let earlier = group.push(Statement::new(RUN_OF_KEY, vec![key.into()]), |row| {
        let fingerprint = rows::keyed(row)?.map(|(_, fingerprint)| fingerprint);
        Ok((rows::record(row)?.run, fingerprint))
    });
    group.finish(move |rows| {
        Ok(Commit::of(match rows.first(&earlier)? {
            Some((run, fingerprint)) => replay(create, run, fingerprint),
            None => Ok(create_fresh(create)),
        }))
    })
}

fn replay(
    create: &Create,
    run: Run,
    fingerprint: Option<Fingerprint>,
) -> Result<(Created, Writes), RunnerError> {
    let requested = create.key.as_ref().map(|(_, fingerprint)| *fingerprint);
    if fingerprint == requested {
        Ok((Created::Replayed(run), Writes::default()))
    } else {
        Err(RunnerError::KeyReused)
    }
}

fn create_fresh(create: &Create) -> (Created, Writes) {
    let record = create_run(&create.opening, create.at);
    let mut writes = RunWrites::default();
    writes.notify(&record);
    writes.add_run(&record, create.key.as_ref());
    (Created::Fresh(record.run), writes.finish())
}

/// Executes a client's command.
pub(super) fn command(request: &RunCommand) -> Write<'_, Run> {
    let RunCommand { run, order, budget, at } = request;
    let mut group = Group::default();
    let record = lock_run(&mut group, *run);
    group.finish(move |rows| {
        let Some(record) = rows.first(&record)? else {
            return Ok(Commit::refuse(RunnerError::NoSuchRun(*run)));
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
pub(super) fn delete(run: &RunId) -> Write<'_, ()> {
    let run = *run;
    let mut group = Group::default();
    let record = lock_run(&mut group, run);
    group.finish(move |rows| {
        if rows.first(&record)?.is_none() {
            return Ok(Commit::refuse(RunnerError::NoSuchRun(run)));
        }
        let mut writes = RunWrites::default();
        writes.delete_run(run);
        Ok(Commit::new(Ok(()), writes.finish()))
    })
}
