//! Examinations: taken, renewed, settled.

use debate_app::forum::{End, Found, Renew, Settle, Settlement, Take, Task};
use debate_app::{StoreError, Subject};
use debate_core::EvaluationId;
use debate_core::forum::Agent;
use debate_core::forum::guardrail::{Attempt, Status, Taken};
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

use super::agents::AGENT_OF_EVALUATION;
use super::conclude::{Scene, Spot, keep};
use super::record::{LOCK_EVALUATION, Record, SAVE_EVALUATION, record};
use super::rows;
use super::statements;
use super::statements::{EVALUATION, NEXT_DUE, PUT_OFF, SPOT};
use crate::aside;
use crate::sql::{Columns, Misfit, Query, Rows, Step, Words, Writes};

/// The one that has been due for longest; with several processes, of those that nobody else has
/// just locked.
const DUE: Words = Words::Each {
    sqlite: statements::DUE,
    postgres: "select id from forum_evaluations where due <= $1 order by due, id limit 1
         for update skip locked",
};

/// How soon a worker looks again that found work which somebody else had just locked.
const LOOK_AGAIN: SignedDuration = SignedDuration::from_millis(250);

/// The reason that an author sees when every attempt was interrupted.
const TRIED_TOO_OFTEN: &str = "The evaluation failed; waiting for human review";

pub(crate) fn take<'s, R: Columns + 's>(take: &'s Take) -> Step<'s, R, Found> {
    let asked = vec![Query::each(DUE, vec![take.at.into()]), Query::new(NEXT_DUE, vec![])];
    Step::ask(asked, move |found: &Rows<R>| {
        let due: Option<Uuid> = found.one(0, |row| row.id("id"))?;
        let Some(id) = due else {
            let earliest = found.one(1, |row| row.time("due"))?;
            return Ok(Step::Done(nothing_due(earliest, take.at), Writes::default()));
        };
        let asked = vec![
            Query::new(EVALUATION, vec![id.into()]),
            Query::new(AGENT_OF_EVALUATION, vec![id.into()]),
            Query::new(SPOT, vec![id.into()]),
        ];
        Ok(Step::ask(asked, move |found: &Rows<R>| {
            let (record, author, spot) = match whole(found) {
                Ok(whole) => whole,
                Err(fault) => return Ok(put_off(take, id, &fault.into())),
            };
            match record.examination().taken(take.at, take.lease) {
                Taken::NotDue => {
                    Ok(Step::Done(nothing_due(Some(take.at), take.at), Writes::default()))
                }
                Taken::Task(taken, attempt) => {
                    let tier = author.tier(take.at);
                    Ok(given(take, record.after(taken), attempt, tier))
                }
                Taken::Flagged(_) => Ok(give_up(take, record.evaluation.id, spot)),
            }
        }))
    })
}

/// An examination, whose it is, and where.
fn whole<R: Columns>(found: &Rows<R>) -> Result<(Record, Agent, Spot), R::Fault> {
    match (found.one(0, record)?, found.one(1, rows::agent)?, found.one(2, Spot::of)?) {
        (Some(record), Some(author), Some(spot)) => Ok((record, author, spot)),
        _ => Err(Misfit("evaluation without an item or an author".to_owned()).into()),
    }
}

/// Leaves for later what is due and can't be read.
fn put_off<'s, R: Columns>(
    take: &Take,
    evaluation: Uuid,
    unreadable: &StoreError,
) -> Step<'s, R, Found> {
    let until = aside::until(take.at, evaluation, unreadable);
    let mut writes = Writes::default();
    writes.push(PUT_OFF, vec![until.into(), evaluation.into()]);
    Step::Done(Found::Tidied, writes)
}

/// What a worker is told who found nothing, while `earliest` is when any work is due.
fn nothing_due(earliest: Option<Timestamp>, at: Timestamp) -> Found {
    // What is due already was locked by somebody else just now, who may or may not take it.
    let soon = at.saturating_add(LOOK_AGAIN).unwrap_or(Timestamp::MAX);
    Found::Nothing { next: earliest.map(|due| if due <= at { soon } else { due }) }
}

fn given<'s, R: Columns>(
    take: &Take,
    record: Record,
    attempt: Attempt,
    tier: debate_core::forum::guardrail::Tier,
) -> Step<'s, R, Found> {
    let mut writes = Writes::default();
    writes.push(SAVE_EVALUATION, record.saved(Some(&take.holder)));
    let Record { evaluation, term, .. } = record;
    let task = Task {
        evaluation: evaluation.id,
        term,
        attempt,
        subject: evaluation.subject,
        text: evaluation.text.unwrap_or_default(),
        tier,
    };
    Step::Done(Found::Task(Box::new(task)), writes)
}

/// Flags what was tried too often. Here the examination is locked before its solution; whoever
/// does both the other way round at the same moment makes one of the two try again.
fn give_up<'s, R: Columns + 's>(
    take: &'s Take,
    evaluation: EvaluationId,
    spot: Spot,
) -> Step<'s, R, Found> {
    Step::ask(spot.asks(evaluation), move |found: &Rows<R>| {
        let loaded = Scene::of(spot, found).and_then(|scene| Ok((scene, spot.record(found)?)));
        let (scene, record) = match loaded {
            Ok((scene, Some(record))) => (scene, record),
            Ok((_, None)) => return Ok(Step::Done(Found::Tidied, Writes::default())),
            Err(fault) => return Ok(put_off(take, evaluation.uuid(), &fault.into())),
        };
        let examination = record.examination();
        let was = record.evaluation.status;
        match examination.taken(take.at, take.lease) {
            Taken::Flagged(flagged) => {
                let record = moved(record.after(flagged), was, TRIED_TOO_OFTEN, take.at);
                Ok(Step::Done(Found::Tidied, keep(scene, was, &record, take.at)))
            }
            Taken::Task(..) | Taken::NotDue => Ok(Step::Done(Found::Tidied, Writes::default())),
        }
    })
}

/// Says since when it stands where it stands, and why.
pub(super) fn moved(mut record: Record, was: Status, reason: &str, at: Timestamp) -> Record {
    let kept = &mut record.evaluation;
    kept.reason = Some(reason.to_owned());
    if kept.status == was {
        return record;
    }
    kept.decided_at = Some(at);
    kept.flagged_at = match kept.status {
        Status::Flagged => Some(at),
        Status::Pending | Status::Approved | Status::Rejected => None,
    };
    record
}

pub(crate) fn renew<'s, R: Columns + 's>(renew: Renew) -> Step<'s, R, Settlement> {
    let id = renew.evaluation.uuid();
    let asked = vec![Query::lock(LOCK_EVALUATION, id), Query::new(EVALUATION, vec![id.into()])];
    Step::ask(asked, move |found: &Rows<R>| {
        let mut writes = Writes::default();
        let renewed = found.one(1, record)?.and_then(|record| {
            let renewed = record.examination().renewed(renew.term, renew.at, renew.lease)?;
            Some(record.after(renewed))
        });
        let Some(record) = renewed else { return Ok(Step::Done(Settlement::Dropped, writes)) };
        writes.push(SAVE_EVALUATION, record.saved(None));
        Ok(Step::Done(Settlement::Kept, writes))
    })
}

pub(crate) fn settle<'s, R: Columns + 's>(settle: &'s Settle) -> Step<'s, R, Settlement> {
    let asked = Query::new(SPOT, vec![settle.evaluation.uuid().into()]);
    Step::ask(vec![asked], move |found: &Rows<R>| {
        let Some(spot) = found.one(0, Spot::of)? else {
            return Ok(Step::Done(Settlement::Dropped, Writes::default()));
        };
        Ok(Step::ask(spot.asks(settle.evaluation), move |found: &Rows<R>| {
            let scene = Scene::of(spot, found)?;
            let record = spot.record(found)?;
            let was = record.as_ref().map(|record| record.evaluation.status);
            let ended = record.and_then(|record| ended(record, settle));
            let (Some(record), Some(was)) = (ended, was) else {
                return Ok(Step::Done(Settlement::Dropped, Writes::default()));
            };
            let mut writes = keep(scene, was, &record, settle.at);
            if let End::LetGo = settle.end {
                writes.rings.moved(Subject::GUARDRAIL_WORK);
            }
            Ok(Step::Done(Settlement::Kept, writes))
        }))
    })
}

/// The examination after the end of a try; none if it went on without it.
fn ended(record: Record, settle: &Settle) -> Option<Record> {
    let (term, at) = (settle.term, settle.at);
    let examination = record.examination();
    let was = record.evaluation.status;
    match &settle.end {
        End::Decided { decision, reason, layers } => {
            let settled = examination.settled(term, *decision)?;
            let mut record = moved(record.after(settled), was, reason, at);
            record.evaluation.decision = Some(*decision);
            record.evaluation.layers = layers.clone();
            Some(record)
        }
        End::Failed { then, error } => {
            let failed = examination.failed(term, *then, at)?;
            Some(moved(record.after(failed), was, error, at))
        }
        End::LetGo => Some(record.after(examination.let_go(term, at)?)),
    }
}
