//! Evaluations on a worker's behalf: acquire, renew the lease, save the result.

use debate_app::forum::{EvaluationAttemptResult, EvaluationTask};
use debate_app::{Lease, LeaseRequest, Settlement, Subject, WorkOffer};
use debate_core::EvaluationId;
use debate_core::forum::guardrail::{Acquired, EvaluationAttempt, GuardrailStatus, Tier};
use jiff::{SignedDuration, Timestamp};

use super::agents::AGENT_OF_EVALUATION;
use super::evaluation::{SAVE_EVALUATION, StoredEvaluation, lock_evaluation, push_evaluation};
use super::publish::{ItemPath, lock_item, push_item_path, save};
use super::rows;
use crate::lease::statements::EVALUATIONS;
use crate::lease::{self, WorkItem, nothing_due, postpone};
use crate::sql::{Commit, Group, Operation, Statement, Writes, undecodable};

/// The reason that an author sees if every attempt was interrupted.
const TOO_MANY_ATTEMPTS: &str = "The evaluation failed; waiting for human review";

/// Acquires the evaluation that has been due for longest. After too many attempts it is flagged.
pub(super) fn acquire(request: &LeaseRequest) -> Operation<'_, Commit<WorkOffer<EvaluationTask>>> {
    let at = request.at;
    lease::acquire(&EVALUATIONS, at, move |id| {
        let evaluation = EvaluationId::new(id);
        let mut group = Group::default();
        let stored = push_evaluation(&mut group, evaluation);
        let author = Statement::new(AGENT_OF_EVALUATION, vec![id.into()]);
        let author = group.push(author, rows::agent);
        let path = push_item_path(&mut group, evaluation);
        group.then(move |rows| {
            let loaded = || match (rows.first(&stored)?, rows.first(&author)?, rows.first(&path)?) {
                (Some(stored), Some(author), Some(path)) => Ok((stored, author, path)),
                _ => Err(undecodable("evaluation without an item or an author")),
            };
            let (stored, author, path) = match loaded() {
                Ok(loaded) => loaded,
                Err(problem) => {
                    return Ok(Operation::Done(postpone(&EVALUATIONS, id, at, &problem)));
                }
            };
            Ok(match stored.rules_state().acquire(at, request.duration) {
                Acquired::NotDue => Operation::Done(nothing_due(Some(at), at)),
                Acquired::Task(taken, attempt) => {
                    let tier = author.tier(at);
                    Operation::Done(offer(request, stored.after(taken), attempt, tier))
                }
                Acquired::Flagged(_) => flag(request, evaluation, path),
            })
        })
    })
}

fn offer(
    request: &LeaseRequest,
    stored: StoredEvaluation,
    attempt: EvaluationAttempt,
    tier: Tier,
) -> Commit<WorkOffer<EvaluationTask>> {
    let mut writes = Writes::default();
    writes.push(SAVE_EVALUATION, stored.to_values(Some(&request.holder)));
    let StoredEvaluation { evaluation, fencing_token, .. } = stored;
    let task = EvaluationTask {
        lease: Lease { item: evaluation.id, fencing_token },
        attempt,
        subject: evaluation.subject,
        text: evaluation.text.unwrap_or_default(),
        tier,
    };
    Commit::new(WorkOffer::Task(task), writes)
}

/// Flags an evaluation after too many attempts. Here the evaluation is locked before its
/// item; a transaction that locks them in the other order at the same time makes one of
/// the two start again.
fn flag(
    request: &LeaseRequest,
    evaluation: EvaluationId,
    path: ItemPath,
) -> Operation<'_, Commit<WorkOffer<EvaluationTask>>> {
    let at = request.at;
    let mut group = Group::default();
    let item = lock_item(&mut group, path, evaluation);
    group.finish(move |rows| {
        let (context, stored) = match item(rows) {
            Ok(Some(loaded)) => loaded,
            Ok(None) => return Ok(Commit::unchanged(WorkOffer::Cleaned)),
            Err(problem) => return Ok(postpone(&EVALUATIONS, evaluation.uuid(), at, &problem)),
        };
        let before = stored.evaluation.status;
        Ok(match stored.rules_state().acquire(at, request.duration) {
            Acquired::Flagged(flagged) => {
                let stored = with_reason(stored.after(flagged), before, TOO_MANY_ATTEMPTS, at);
                Commit::new(WorkOffer::Cleaned, save(context, before, &stored, at))
            }
            Acquired::Task(..) | Acquired::NotDue => Commit::unchanged(WorkOffer::Cleaned),
        })
    })
}

/// Sets the reason and, if the status is not `before` any more, the times.
pub(super) fn with_reason(
    mut stored: StoredEvaluation,
    before: GuardrailStatus,
    reason: &str,
    at: Timestamp,
) -> StoredEvaluation {
    let evaluation = &mut stored.evaluation;
    evaluation.reason = Some(reason.to_owned());
    if evaluation.status == before {
        return stored;
    }
    evaluation.decided_at = Some(at);
    evaluation.flagged_at = match evaluation.status {
        GuardrailStatus::Flagged => Some(at),
        GuardrailStatus::Pending | GuardrailStatus::Approved | GuardrailStatus::Rejected => None,
    };
    stored
}

impl WorkItem<EvaluationAttemptResult> for EvaluationId {
    fn renew(
        &(lease, at, duration): &(Lease<EvaluationId>, Timestamp, SignedDuration),
    ) -> Operation<'_, Commit<Settlement>> {
        let mut group = Group::default();
        let stored = lock_evaluation(&mut group, lease.item);
        group.finish(move |rows| {
            let renewed = rows.first(&stored)?.and_then(|stored| {
                let renewed = stored.rules_state().renew(lease.fencing_token, at, duration)?;
                Some(stored.after(renewed))
            });
            let Some(stored) = renewed else {
                return Ok(Commit::unchanged(Settlement::Discarded));
            };
            let mut writes = Writes::default();
            writes.push(SAVE_EVALUATION, stored.to_values(None));
            Ok(Commit::new(Settlement::Saved, writes))
        })
    }

    fn settle(
        (lease, end, at): &(Lease<EvaluationId>, EvaluationAttemptResult, Timestamp),
    ) -> Operation<'_, Commit<Settlement>> {
        let mut group = Group::default();
        let path = push_item_path(&mut group, lease.item);
        group.then(move |rows| {
            let Some(path) = rows.first(&path)? else {
                return Ok(Operation::Done(Commit::unchanged(Settlement::Discarded)));
            };
            let mut group = Group::default();
            let item = lock_item(&mut group, path, lease.item);
            Ok(group.finish(move |rows| {
                let Some((context, stored)) = item(rows)? else {
                    return Ok(Commit::unchanged(Settlement::Discarded));
                };
                let before = stored.evaluation.status;
                let Some(stored) = finish(stored, lease, end, *at) else {
                    return Ok(Commit::unchanged(Settlement::Discarded));
                };
                let mut writes = save(context, before, &stored, *at);
                if let EvaluationAttemptResult::Released = end {
                    writes.notify(Subject::GUARDRAIL_WORK);
                }
                Ok(Commit::new(Settlement::Saved, writes))
            }))
        })
    }
}

/// The evaluation after an attempt; none if the lease was lost.
fn finish(
    stored: StoredEvaluation,
    lease: &Lease<EvaluationId>,
    end: &EvaluationAttemptResult,
    at: Timestamp,
) -> Option<StoredEvaluation> {
    let token = lease.fencing_token;
    let evaluation = stored.rules_state();
    let before = stored.evaluation.status;
    match end {
        EvaluationAttemptResult::Decided { decision, reason, layers } => {
            let settled = evaluation.settle(token, *decision)?;
            let mut stored = with_reason(stored.after(settled), before, reason, at);
            stored.evaluation.decision = Some(*decision);
            stored.evaluation.layers = layers.clone();
            Some(stored)
        }
        EvaluationAttemptResult::Failed { then, error } => {
            let failed = evaluation.fail(token, *then, at)?;
            Some(with_reason(stored.after(failed), before, error, at))
        }
        EvaluationAttemptResult::Released => Some(stored.after(evaluation.release(token, at)?)),
    }
}
