//! How each operation goes: out of what was loaded, an answer and what is to be written. The rules
//! are core's; here is only what they are asked, and what must be kept of their answer.

use debate_app::StoreError;
use debate_app::runner::{
    CommandRequest, Create, Created, Found, Renew, RunnerError, Settle, Settlement, Take, Task,
};
use debate_core::runner::{
    Begin, Call, CallEnd, Called, Charge, Cursor, NotBegun, Record, Run, Standing, StepEnd, Taken,
    Turn, created,
};
use debate_core::{Fingerprint, RunId, Seq};
use jiff::{SignedDuration, Timestamp};

use super::change::{Change, DayChange, Writes};
use crate::aside;

/// How soon a worker looks again that found work which somebody else had just locked.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_millis(250);

const SECONDS_A_DAY: i64 = 86_400;

/// The day of an instant: days since 1970, UTC.
pub(crate) fn day_of(at: Timestamp) -> i64 {
    at.as_second().div_euclid(SECONDS_A_DAY)
}

/// What an earlier request with the same key left.
pub(crate) struct Earlier {
    pub(crate) record: Record,
    pub(crate) fingerprint: Option<Fingerprint>,
}

/// Keeps a new debate, unless the same request did before.
pub(crate) fn create(
    create: &Create,
    earlier: Option<Earlier>,
) -> Result<(Created, Writes), RunnerError> {
    let mut writes = Writes::default();
    if let Some(Earlier { record, fingerprint }) = earlier {
        let asked = create.key.as_ref().map(|(_, fingerprint)| *fingerprint);
        return if fingerprint == asked {
            Ok((Created::Replayed(record.run), writes))
        } else {
            Err(RunnerError::KeyReused)
        };
    }
    let record = created(&create.opening, create.at);
    let run = record.run.clone();
    writes.shown(&record);
    writes.push(Change::AddRun { record, key: create.key.clone() });
    Ok((Created::Fresh(run), writes))
}

/// Does to a debate what someone asks.
pub(crate) fn command(
    request: &CommandRequest,
    record: Option<&Record>,
) -> Result<(Run, Writes), RunnerError> {
    let CommandRequest { run, order, budget, at } = request;
    let record = record.ok_or(RunnerError::NoSuchRun(*run))?;
    let after = record.ordered(order, budget, *at)?;
    let mut writes = Writes::default();
    let run = after.run.clone();
    writes.shown(&after);
    writes.push(Change::SaveRun { record: after, holder: None });
    Ok((run, writes))
}

/// Forgets a debate. What its calls cost the day stays counted.
pub(crate) fn delete(run: RunId, record: Option<&Record>) -> Result<Writes, RunnerError> {
    record.ok_or(RunnerError::NoSuchRun(run))?;
    let mut writes = Writes::default();
    writes.rings.moved(run);
    writes.push(Change::Forget(run));
    Ok(writes)
}

/// Takes a debate that is due, with the calls that its last holder left `open`.
pub(crate) fn take(
    take: &Take,
    record: &Record,
    open: Vec<Call>,
    turns: Vec<Turn>,
) -> (Found, Writes) {
    let mut writes = Writes::default();
    let interrupted = u32::try_from(open.len()).unwrap_or(u32::MAX);
    for call in open {
        writes.push(Change::SaveCall(Call { called: Called::Unknown, ..call }));
    }
    match record.taken(interrupted, take.on_unknown, take.at, take.lease) {
        Taken::Step(record) => {
            if interrupted > 0 {
                writes.shown(&record);
            }
            let holder = Some(take.holder.clone());
            writes.push(Change::SaveRun { record: record.clone(), holder });
            (Found::Step(Box::new(Task { record, turns })), writes)
        }
        Taken::Tidied(record) => {
            writes.shown(&record);
            writes.push(Change::SaveRun { record, holder: None });
            (Found::Tidied, writes)
        }
    }
}

/// Leaves for later what is due and can't be read.
pub(crate) fn put_off(take: &Take, run: RunId, unreadable: &StoreError) -> (Found, Writes) {
    let mut writes = Writes::default();
    let until = aside::until(take.at, run.uuid(), unreadable);
    writes.push(Change::PutOff { run, until });
    (Found::Tidied, writes)
}

/// What a worker is told who found nothing, while `earliest` is when any work is due.
pub(crate) fn nothing_due(earliest: Option<Timestamp>, at: Timestamp) -> Found {
    // What is due already was locked by somebody else just now, who may or may not take it.
    let soon = at.saturating_add(LOOK_AGAIN).unwrap_or(Timestamp::MAX);
    Found::Nothing { next: earliest.map(|due| if due <= at { soon } else { due }) }
}

/// What a call needs to begin.
pub(crate) struct Beginning {
    pub(crate) record: Option<Record>,
    /// The call itself, if it began before.
    pub(crate) known: Option<Call>,
    /// The call before it, whose end comes with it.
    pub(crate) after: Option<Call>,
    /// How many calls this turn has had.
    pub(crate) earlier: u32,
    /// What the calls of the day are booked with.
    pub(crate) today: DayChange,
}

/// Records a call that is about to be made.
pub(crate) fn begin(begin: &Begin, loaded: Beginning) -> (Result<Call, NotBegun>, Writes) {
    let mut writes = Writes::default();
    let Beginning { record, known, after, earlier, today } = loaded;
    let Some(mut record) = record else { return (Err(NotBegun::Lost), writes) };
    let at = begin.call.at;
    let paid = pay(&mut record, after.as_ref(), begin.after.as_ref(), at, &mut writes);
    let is_held = record.renewed(begin.term, at, SignedDuration::ZERO).is_some();
    let day = day_of(at);
    let today = today.plus(writes.charges.get(&day).copied().unwrap_or_default());
    let begun = match known {
        Some(call) if is_held => Ok((None, call)),
        Some(_) => Err(NotBegun::Lost),
        None => record
            .begun(begin, today.to_charge(), earlier)
            .map(|(record, call)| (Some(record), call)),
    };
    match begun {
        Ok((Some(after), call)) => {
            if after.run.cursor != record.run.cursor {
                writes.shown(&after);
            }
            writes.push(Change::SaveRun { record: after, holder: None });
            writes.push(Change::AddCall(call.clone()));
            writes.charge(day, DayChange::between(Charge::default(), call.charge()));
            (Ok(call), writes)
        }
        Ok((None, call)) => (Ok(call), keep_paid(paid, record, writes)),
        Err(not) => (Err(not), keep_paid(paid, record, writes)),
    }
}

/// Says that its holder is still at work on a debate.
pub(crate) fn renew(renew: &Renew, record: Option<&Record>) -> (Option<Standing>, Writes) {
    let mut writes = Writes::default();
    let renewed = record.and_then(|record| record.renewed(renew.term, renew.at, renew.lease));
    let standing = renewed.as_ref().map(|record| record.run.standing);
    writes.changes.extend(renewed.map(|record| Change::SaveRun { record, holder: None }));
    (standing, writes)
}

/// What the end of a step is decided by.
pub(crate) struct Settling {
    pub(crate) record: Option<Record>,
    /// Its last call.
    pub(crate) call: Option<Call>,
    /// The newest turn's place.
    pub(crate) last: Option<(Cursor, Seq)>,
    /// Whether the turn it brings is there already.
    pub(crate) is_kept: bool,
}

/// Keeps what a step came to, and what its call cost in any case.
pub(crate) fn settle(settle: &Settle, loaded: Settling) -> (Settlement, Writes) {
    let mut writes = Writes::default();
    let Settling { record, call, last, is_kept } = loaded;
    let Some(mut record) = record else { return (Settlement::Dropped, writes) };
    let paid = pay(&mut record, call.as_ref(), settle.call.as_ref(), settle.at, &mut writes);
    let end = settle.end.clone();
    if let Some((after, turn)) = record.settled(settle.term, end, last, settle.at) {
        writes.shown(&after);
        writes.push(Change::SaveRun { record: after, holder: None });
        writes.changes.extend(turn.map(Change::AddTurn));
        return (Settlement::Kept, writes);
    }
    if paid {
        writes.shown(&record);
    }
    // The same end came before, and its answer was lost.
    let settlement = if is_kept { Settlement::Kept } else { Settlement::Dropped };
    (settlement, keep_paid(paid, record, writes))
}

/// The turn that the end of a step brings, if it brings one.
pub(crate) const fn said(end: &StepEnd) -> Option<debate_core::TurnId> {
    match end {
        StepEnd::Spoke { said, .. } => Some(said.turn),
        StepEnd::Over { .. }
        | StepEnd::WillRetry { .. }
        | StepEnd::Failed { .. }
        | StepEnd::LetGo => None,
    }
}

/// Counts what a call turned out to cost, on the day it began. Whether there was anything to count.
fn pay(
    record: &mut Record,
    call: Option<&Call>,
    end: Option<&CallEnd>,
    at: Timestamp,
    writes: &mut Writes,
) -> bool {
    let (Some(call), Some(end)) = (call, end) else { return false };
    let Some((after, known)) = record.call_ended(call, end, at) else { return false };
    let change = DayChange::between(call.charge(), known.charge());
    writes.charge(day_of(call.started_at), change);
    writes.push(Change::SaveCall(known));
    *record = after;
    true
}

/// Where nothing else of the debate is written, what was paid is.
fn keep_paid(paid: bool, record: Record, mut writes: Writes) -> Writes {
    if paid {
        writes.push(Change::SaveRun { record, holder: None });
    }
    writes
}
