//! Humans: what waits for them, and what they and the authors do about it.

use debate_app::forum::{Claimed, Evaluation, FlaggedPage, FlaggedQuery, ForumError, Page, Review};
use debate_core::forum::guardrail::{Examination, ReviewRefusal, Ruling};
use debate_core::forum::{AppealReason, ListCursor, Notes, Post, Reader};
use debate_core::{AgentId, EvaluationId, PostId};
use jiff::Timestamp;
use uuid::Uuid;

use super::conclude::{Scene, Spot, keep};
use super::examine::moved;
use super::record::{LOCK_EVALUATION, Record, SAVE_EVALUATION, record};
use super::rows;
use super::statements::{EVALUATION, FLAGGED, FLAGGED_OF_AGENT, POST, SPOT};
use crate::sql::{Columns, Query, Read, Rows, Step, Value, Writes};

pub(crate) fn evaluation<'s, R: Columns + 's>(
    by: AgentId,
    evaluation: EvaluationId,
) -> Read<'s, R, Result<Evaluation, ForumError>> {
    let asked = Query::new(EVALUATION, vec![evaluation.uuid().into()]);
    Read::new(vec![asked], move |found: &Rows<R>| {
        let own = found.one(0, record)?.filter(|record| record.evaluation.author == by);
        Ok(own.map(Record::for_author).ok_or(ForumError::NoSuchEvaluation(evaluation)))
    })
}

pub(crate) fn reviewable<'s, R: Columns + 's>(
    evaluation: EvaluationId,
) -> Read<'s, R, Result<Evaluation, ForumError>> {
    let asked = Query::new(EVALUATION, vec![evaluation.uuid().into()]);
    Read::new(vec![asked], move |found: &Rows<R>| {
        let known = found.one(0, record)?.map(|record| record.evaluation);
        Ok(known.ok_or(ForumError::NoSuchEvaluation(evaluation)))
    })
}

pub(crate) fn flagged<'s, R: Columns + 's>(
    query: FlaggedQuery,
) -> Read<'s, R, Result<FlaggedPage, ForumError>> {
    let (at, id) =
        query.after.map_or((i64::MIN, Uuid::nil()), |after| (after.at.as_microsecond(), after.id));
    let (taken, free) = match query.claimed {
        None => (true, true),
        Some(Claimed::Yes) => (true, false),
        Some(Claimed::No) => (false, true),
    };
    let rest = [
        Value::Number(at),
        id.into(),
        query.at.into(),
        taken.into(),
        free.into(),
        rows::one_more(query.limit),
    ];
    let asked = match query.author {
        None => Query::new(FLAGGED, rest.into()),
        Some(author) => {
            let author = Value::from(author.uuid());
            Query::new(FLAGGED_OF_AGENT, std::iter::once(author).chain(rest).collect())
        }
    };
    Read::new(vec![asked], move |found: &Rows<R>| {
        let mut waiting = found.all(0, record)?;
        let asked_for = usize::try_from(query.limit.count()).unwrap_or(usize::MAX);
        let more = waiting.len() > asked_for;
        waiting.truncate(asked_for);
        let last = waiting.last().filter(|_| more);
        let next = last.and_then(|last| {
            Some(ListCursor { at: last.evaluation.flagged_at?, id: last.evaluation.id.uuid() })
        });
        let items = waiting.into_iter().map(|record| record.evaluation).collect();
        Ok(Ok(Page { items, next }))
    })
}

pub(crate) fn claim<'s, R: Columns + 's>(
    evaluation: EvaluationId,
    reviewer: &'s str,
    at: Timestamp,
) -> Step<'s, R, Result<Evaluation, ForumError>> {
    claims(evaluation, move |examination| examination.claimed(reviewer, at))
}

pub(crate) fn release<'s, R: Columns + 's>(
    evaluation: EvaluationId,
    reviewer: &'s str,
    at: Timestamp,
) -> Step<'s, R, Result<Evaluation, ForumError>> {
    claims(evaluation, move |examination| examination.released(reviewer, at))
}

/// Changes whose an examination is, and nothing else.
fn claims<'s, R: Columns + 's>(
    evaluation: EvaluationId,
    rule: impl FnOnce(Examination) -> Result<Examination, ReviewRefusal> + Send + 's,
) -> Step<'s, R, Result<Evaluation, ForumError>> {
    let id = evaluation.uuid();
    let asked = vec![Query::lock(LOCK_EVALUATION, id), Query::new(EVALUATION, vec![id.into()])];
    Step::ask(asked, move |found: &Rows<R>| {
        let Some(record) = found.one(1, record)? else {
            return Ok(Step::decided(Err(ForumError::NoSuchEvaluation(evaluation))));
        };
        let decided = rule(record.examination()).map_err(refused).map(|examination| {
            let record = record.after(examination);
            let mut writes = Writes::default();
            writes.push(SAVE_EVALUATION, record.saved(None));
            (record.evaluation, writes)
        });
        Ok(Step::decided(decided))
    })
}

fn refused(refusal: ReviewRefusal) -> ForumError {
    match refusal {
        ReviewRefusal::Guardrail(refusal) => refusal.into(),
        ReviewRefusal::Claim(refusal) => refusal.into(),
    }
}

pub(crate) fn review<'s, R: Columns + 's>(
    evaluation: EvaluationId,
    reviewer: &'s str,
    ruling: Ruling,
    notes: &'s Notes,
    at: Timestamp,
) -> Step<'s, R, Result<Evaluation, ForumError>> {
    let asked = Query::new(SPOT, vec![evaluation.uuid().into()]);
    Step::ask(vec![asked], move |found: &Rows<R>| {
        let Some(spot) = found.one(0, Spot::of)? else {
            return Ok(Step::decided(Err(ForumError::NoSuchEvaluation(evaluation))));
        };
        Ok(Step::ask(spot.asks(evaluation), move |found: &Rows<R>| {
            let Some(record) = spot.record(found)? else {
                return Ok(Step::decided(Err(ForumError::NoSuchEvaluation(evaluation))));
            };
            let scene = Scene::of(spot, found)?;
            let was = record.evaluation.status;
            let reviewed = record.examination().reviewed(reviewer, ruling, at);
            Ok(Step::decided(reviewed.map_err(refused).map(|examination| {
                let mut record = moved(record.after(examination), was, notes.as_str(), at);
                let notes = notes.as_str().to_owned();
                let reviewer = reviewer.to_owned();
                record.evaluation.review = Some(Review { reviewer, ruling, notes, at });
                let writes = keep(scene, was, &record, at);
                (record.evaluation, writes)
            })))
        }))
    })
}

pub(crate) fn appeal<'s, R: Columns + 's>(
    by: AgentId,
    post: PostId,
    reason: &'s AppealReason,
    at: Timestamp,
) -> Step<'s, R, Result<Post, ForumError>> {
    let reader = Reader::Agent(by);
    let asked = move || {
        let [agent, all] = rows::eyes(reader);
        Query::new(POST, vec![post.uuid().into(), agent, all])
    };
    Step::ask(vec![asked()], move |found: &Rows<R>| {
        let known = found.one(0, |row| rows::post(row, reader))?;
        let evaluation = match known {
            None => return Ok(Step::decided(Err(ForumError::NoSuchPost(post)))),
            Some(known) if known.author.id != by => {
                return Ok(Step::decided(Err(ForumError::NotTheAuthor)));
            }
            Some(known) => known.standing.evaluation,
        };
        let spot = Query::new(SPOT, vec![evaluation.uuid().into()]);
        Ok(Step::ask(vec![spot], move |found: &Rows<R>| {
            let Some(spot) = found.one(0, Spot::of)? else {
                return Ok(Step::decided(Err(ForumError::NoSuchPost(post))));
            };
            let mut asks = spot.asks(evaluation);
            let number = asks.len();
            asks.push(asked());
            Ok(Step::ask(asks, move |found: &Rows<R>| {
                let loaded =
                    (spot.record(found)?, found.one(number, |row| rows::post(row, reader))?);
                let (Some(record), Some(post)) = loaded else {
                    return Ok(Step::decided(Err(ForumError::NoSuchPost(post))));
                };
                let scene = Scene::of(spot, found)?;
                Ok(Step::decided(appealed(record, post, scene, reason, at)))
            }))
        }))
    })
}

fn appealed(
    record: Record,
    mut post: Post,
    scene: Scene,
    reason: &AppealReason,
    at: Timestamp,
) -> Result<(Post, Writes), ForumError> {
    let was = record.evaluation.status;
    let (why, decided_at) = (record.evaluation.reason.clone(), record.evaluation.decided_at);
    let examination = record.examination().appealed()?;
    // Why it was rejected stays what its author reads.
    let mut record = moved(record.after(examination), was, why.as_deref().unwrap_or(""), at);
    record.evaluation.decided_at = decided_at;
    record.evaluation.appeal_reason = Some(reason.as_str().to_owned());
    post.standing.status = record.evaluation.status;
    let writes = keep(scene, was, &record, at);
    Ok((post, writes))
}
