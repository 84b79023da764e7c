//! Review of flagged items by people, and appeals of authors.

use debate_app::forum::{
    EvaluationDetails, FlaggedPage, FlaggedQuery, ForumError, ReviewClaimFilter, ReviewDecision,
};
use debate_core::forum::guardrail::{Evaluation, ReviewRefusal, Ruling};
use debate_core::forum::{AppealReason, ListCursor, Notes, Post, Viewer};
use debate_core::{AgentId, EvaluationId, PostId};
use jiff::Timestamp;
use uuid::Uuid;

use super::evaluation::{
    SAVE_EVALUATION, StoredEvaluation, lock_evaluation, push_evaluation, stored_evaluation,
};
use super::lists::page;
use super::publish::{ItemContext, lock_item, push_item_path, save};
use super::statements::{FLAGGED, FLAGGED_OF_AGENT, POST};
use super::work::with_reason;
use super::{ForumRead, ForumWrite, rows};
use crate::sql::{Commit, Group, Handle, Operation, Statement, Value, Writes};

/// An evaluation for the author of its item.
pub(super) fn evaluation(
    &(author, id): &(AgentId, EvaluationId),
) -> ForumRead<'_, EvaluationDetails> {
    let mut group = Group::default();
    let stored = push_evaluation(&mut group, id);
    group.finish(move |rows| {
        let own = rows.first(&stored)?.filter(|stored| stored.evaluation.author == author);
        Ok(own.map(StoredEvaluation::for_author).ok_or(ForumError::UnknownEvaluation(id)))
    })
}

/// An evaluation for a reviewer.
pub(super) fn reviewable(&id: &EvaluationId) -> ForumRead<'_, EvaluationDetails> {
    let mut group = Group::default();
    let stored = push_evaluation(&mut group, id);
    group.finish(move |rows| {
        let known = rows.first(&stored)?.map(|stored| stored.evaluation);
        Ok(known.ok_or(ForumError::UnknownEvaluation(id)))
    })
}

/// A page of flagged items, oldest first.
pub(super) fn flagged(query: &FlaggedQuery) -> Operation<'_, FlaggedPage> {
    let (at, id) =
        query.after.map_or((i64::MIN, Uuid::nil()), |after| (after.at.as_microsecond(), after.id));
    let (claimed, unclaimed) = match query.claimed {
        None => (true, true),
        Some(ReviewClaimFilter::Claimed) => (true, false),
        Some(ReviewClaimFilter::Unclaimed) => (false, true),
    };
    let values = [
        at.into(),
        id.into(),
        query.at.into(),
        claimed.into(),
        unclaimed.into(),
        rows::row_limit(query.limit),
    ];
    let statement = match query.author {
        None => Statement::new(FLAGGED, values.into()),
        Some(author) => {
            let author = Value::from(author.uuid());
            Statement::new(FLAGGED_OF_AGENT, std::iter::once(author).chain(values).collect())
        }
    };
    let mut group = Group::default();
    let found = group.push(statement, |row| Ok(stored_evaluation(row)?.evaluation));
    group.finish(move |rows| {
        Ok(page(rows.all(&found)?, query.limit, |evaluation| ListCursor {
            at: evaluation.flagged_at.unwrap_or(evaluation.created_at),
            id: evaluation.id.uuid(),
        }))
    })
}

pub(super) fn claim(
    (id, reviewer, at): &(EvaluationId, String, Timestamp),
) -> ForumWrite<'_, EvaluationDetails> {
    change_claim(*id, move |evaluation| evaluation.claim(reviewer, *at))
}

pub(super) fn release(
    (id, reviewer, at): &(EvaluationId, String, Timestamp),
) -> ForumWrite<'_, EvaluationDetails> {
    change_claim(*id, move |evaluation| evaluation.release_claim(reviewer, *at))
}

fn change_claim<'o>(
    id: EvaluationId,
    rule: impl FnOnce(Evaluation) -> Result<Evaluation, ReviewRefusal> + Send + 'o,
) -> ForumWrite<'o, EvaluationDetails> {
    let mut group = Group::default();
    let stored = lock_evaluation(&mut group, id);
    group.finish(move |rows| {
        let Some(stored) = rows.first(&stored)? else {
            return Ok(Commit::refuse(ForumError::UnknownEvaluation(id)));
        };
        let decision = rule(stored.rules_state()).map_err(refusal).map(|evaluation| {
            let stored = stored.after(evaluation);
            let mut writes = Writes::default();
            writes.push(SAVE_EVALUATION, stored.to_values(None));
            (stored.evaluation, writes)
        });
        Ok(Commit::from_decision(decision))
    })
}

fn refusal(refusal: ReviewRefusal) -> ForumError {
    match refusal {
        ReviewRefusal::Guardrail(refusal) => refusal.into(),
        ReviewRefusal::Claim(refusal) => refusal.into(),
    }
}

type ReviewInput = (EvaluationId, String, Ruling, Notes, Timestamp);

/// Decides about an item that the reviewer has claimed.
pub(super) fn review(
    (id, reviewer, ruling, notes, at): &ReviewInput,
) -> ForumWrite<'_, EvaluationDetails> {
    let (id, ruling, at) = (*id, *ruling, *at);
    let mut group = Group::default();
    let path = push_item_path(&mut group, id);
    group.then(move |rows| {
        let Some(path) = rows.first(&path)? else {
            return Ok(Operation::refuse(ForumError::UnknownEvaluation(id)));
        };
        let mut group = Group::default();
        let item = lock_item(&mut group, path, id);
        Ok(group.finish(move |rows| {
            let Some((context, stored)) = item(rows)? else {
                return Ok(Commit::refuse(ForumError::UnknownEvaluation(id)));
            };
            let before = stored.evaluation.status;
            let reviewed = stored.rules_state().review(reviewer, ruling, at);
            Ok(Commit::from_decision(reviewed.map_err(refusal).map(|evaluation| {
                let mut stored = with_reason(stored.after(evaluation), before, notes.as_str(), at);
                let (reviewer, notes) = (reviewer.clone(), notes.as_str().to_owned());
                stored.evaluation.review = Some(ReviewDecision { reviewer, ruling, notes, at });
                let writes = save(context, before, &stored, at);
                (stored.evaluation, writes)
            })))
        }))
    })
}

fn push_any_post(group: &mut Group<'_>, post: PostId, viewer: Viewer) -> Handle<Post> {
    let [agent, all] = rows::viewer_values(viewer);
    let statement = Statement::new(POST, vec![post.uuid().into(), agent, all]);
    group.push(statement, move |row| rows::post(row, viewer))
}

type AppealInput = (AgentId, PostId, AppealReason, Timestamp);

pub(super) fn appeal((author, post, reason, at): &AppealInput) -> ForumWrite<'_, Post> {
    let (author, id) = (*author, *post);
    let viewer = Viewer::Agent(author);
    let mut group = Group::default();
    let post = push_any_post(&mut group, id, viewer);
    group.then(move |rows| {
        let Some(post) = rows.first(&post)? else {
            return Ok(Operation::refuse(ForumError::UnknownPost(id)));
        };
        if post.author.id != author {
            return Ok(Operation::refuse(ForumError::NotTheAuthor));
        }
        let evaluation = post.guardrail.evaluation;
        let mut group = Group::default();
        let path = push_item_path(&mut group, evaluation);
        Ok(group.then(move |rows| {
            let Some(path) = rows.first(&path)? else {
                return Ok(Operation::refuse(ForumError::UnknownPost(id)));
            };
            let mut group = Group::default();
            let item = lock_item(&mut group, path, evaluation);
            let post = push_any_post(&mut group, id, viewer);
            Ok(group.finish(move |rows| {
                let (Some((context, stored)), Some(post)) = (item(rows)?, rows.first(&post)?)
                else {
                    return Ok(Commit::refuse(ForumError::UnknownPost(id)));
                };
                Ok(Commit::from_decision(decide_appeal(stored, post, context, reason, *at)))
            }))
        }))
    })
}

fn decide_appeal(
    stored: StoredEvaluation,
    mut post: Post,
    context: ItemContext,
    reason: &AppealReason,
    at: Timestamp,
) -> Result<(Post, Writes), ForumError> {
    let before = stored.evaluation.status;
    let (rejection, decided_at) = (stored.evaluation.reason.clone(), stored.evaluation.decided_at);
    let evaluation = stored.rules_state().appeal()?;
    // The author still sees the reason of the rejection.
    let rejection = rejection.as_deref().unwrap_or_default();
    let mut stored = with_reason(stored.after(evaluation), before, rejection, at);
    stored.evaluation.decided_at = decided_at;
    stored.evaluation.appeal_reason = Some(reason.as_str().to_owned());
    post.guardrail.status = stored.evaluation.status;
    let writes = save(context, before, &stored, at);
    Ok((post, writes))
}
