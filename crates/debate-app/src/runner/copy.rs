//! Reading the runner's part of a database, and filling another with it, verified.

use debate_core::runner::retell;
use debate_core::{RunId, Seal};

use super::archive::{Chronicle, RunAccount, RunArchiveError, RunDestination, RunRows, RunSource};

/// How far a copy is, in debates.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum RunProgress {
    /// So many were written.
    Copied(u64),
    /// So many of them were read back.
    Verified(u64),
}

/// Reads all of `source` and tells every debate again.
pub async fn account(source: &mut dyn RunSource) -> Result<RunAccount, RunArchiveError> {
    walk(source, None, &mut |_| {}).await
}

/// Fills `destination`, which must be empty, with all of `source`. What it reads back gives the
/// same account; whether it lasts is for the one who called to say.
pub async fn copy(
    source: &mut dyn RunSource,
    destination: &mut dyn RunDestination,
    progress: &mut (dyn FnMut(RunProgress) + Send),
) -> Result<RunAccount, RunArchiveError> {
    if destination.rows().await? != RunRows::default() {
        return Err(RunArchiveError::NotEmpty);
    }
    let mut copied = |count| progress(RunProgress::Copied(count));
    let read = walk(source, Some(destination), &mut copied).await?;
    let mut verified = |count| progress(RunProgress::Verified(count));
    let written = walk(destination, None, &mut verified).await?;
    if written != read {
        let (read, written) = (Box::new(read), Box::new(written));
        return Err(RunArchiveError::Different { read, written });
    }
    Ok(written)
}

/// One reading of everything, from the first debate to the last day.
async fn walk(
    source: &mut dyn RunSource,
    mut into: Option<&mut dyn RunDestination>,
    progress: &mut (dyn FnMut(u64) + Send),
) -> Result<RunAccount, RunArchiveError> {
    let (mut seal, mut rows) = (Seal::default(), RunRows::default());
    let mut after: Option<RunId> = None;
    while let Some(chronicle) = source.next_run(after).await? {
        after = Some(chronicle.record.run.id);
        let chronicle = Chronicle { record: chronicle.record.moved(), ..chronicle };
        hear(&chronicle, &mut seal, &mut rows)?;
        if let Some(into) = &mut into {
            into.add_run(&chronicle).await?;
        }
        progress(rows.runs);
    }
    let days = source.days().await?;
    for day in &days {
        seal.day(day.day, day.booked);
    }
    rows.days = count(days.len());
    if let Some(into) = &mut into {
        into.add_days(&days).await?;
    }
    let there = source.rows().await?;
    if (there.runs, there.turns, there.calls) != (rows.runs, rows.turns, rows.calls) {
        return Err(RunArchiveError::Orphans);
    }
    Ok(RunAccount { rows, digest: seal.digest() })
}

fn hear(chronicle: &Chronicle, seal: &mut Seal, rows: &mut RunRows) -> Result<(), RunArchiveError> {
    let Chronicle { record, key, turns, calls } = chronicle;
    let run = record.run.id;
    retell(record, turns, calls).map_err(|unfit| RunArchiveError::Unfit { run, unfit })?;
    seal.run(record, key.as_ref());
    for turn in turns {
        seal.turn(turn);
    }
    for call in calls {
        seal.call(call);
    }
    rows.runs += 1;
    rows.turns += count(turns.len());
    rows.calls += count(calls.len());
    Ok(())
}

fn count(length: usize) -> u64 {
    u64::try_from(length).unwrap_or(u64::MAX)
}
