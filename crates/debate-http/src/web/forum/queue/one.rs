//! One examination: what was written, what the guardrails found, and the reviewer's seat.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use debate_app::forum::{Evaluation, Forum, ForumError};
use debate_core::EvaluationId;
use debate_core::forum::guardrail::show_fields;

use super::findings::{Findings, Rules};
use super::seat::{Bench, Decided, Place};
use super::subject::Subject;
use super::view::{Author, Kind, Standing, since};
use crate::forum::At;
use crate::problem::Problem;
use crate::web::forum::seat::{ReviewersSeat, Sits};
use crate::web::page::{Frame, Part, Visitor};
use crate::web::signs;
use crate::web::when::{Since, When};

#[derive(Template)]
#[template(path = "web/forum/queue/one.html")]
struct OnePage {
    frame: Frame,
    sits: Sits,
    case: Case,
    bench: Bench,
}

/// All that a reviewer is told.
pub(crate) struct Case {
    pub(crate) id: EvaluationId,
    pub(crate) kind: Kind,
    pub(crate) title: String,
    pub(crate) standing: Standing,
    pub(crate) is_waiting: bool,
    pub(crate) since: Since,
    pub(crate) written: When,
    pub(crate) author: Author,
    pub(crate) subject: Subject,
    /// All that was examined, as it stands.
    pub(crate) exact: String,
    /// Whether there is something in it that hides or turns the text around it.
    pub(crate) has_tricks: bool,
    pub(crate) findings: Findings,
    /// Why its author objects to a rejection.
    pub(crate) appeal: Option<String>,
    /// What a person decided before it was appealed.
    pub(crate) earlier: Option<Decided>,
}

/// `GET /forum/flagged/{id}`
pub(crate) async fn one(
    State(forum): State<Forum>,
    by: ReviewersSeat,
    At(evaluation): At<EvaluationId>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let evaluation = forum.reviewable(evaluation).await?;
    let place = Place::of(&evaluation, &by.name, forum.now());
    let bench = Bench { place, notes: String::new(), error: None };
    Ok(show(&forum, &by, &visitor, &evaluation, bench, StatusCode::OK).await?)
}

/// The page, with what was written so far and what was wrong with it.
pub(super) async fn show(
    forum: &Forum,
    by: &ReviewersSeat,
    visitor: &Visitor,
    evaluation: &Evaluation,
    bench: Bench,
    status: StatusCode,
) -> Result<Response, ForumError> {
    let case = Case::read(forum, evaluation, &by.name).await?;
    let frame = visitor.frame(Part::Forum, format!("Review: {}", case.title));
    let sits = by.seat.shown(visitor);
    Ok(visitor.page_with(status, &OnePage { frame, sits, case, bench }))
}

impl Case {
    pub(super) async fn read(
        forum: &Forum,
        evaluation: &Evaluation,
        reviewer: &str,
    ) -> Result<Self, ForumError> {
        let author = forum.agent(evaluation.author).await?;
        let subject = Subject::read(forum, evaluation.subject).await?;
        let text = evaluation.text.as_deref().unwrap_or_default().replace("\r\n", "\n");
        let text = show_fields(&text);
        let exact = signs::block(&text);
        let is_waiting = evaluation.flagged_at.is_some();
        let earlier = Decided::of(evaluation, reviewer).filter(|_| is_waiting);
        Ok(Self {
            id: evaluation.id,
            kind: evaluation.subject.into(),
            title: subject.title.clone(),
            standing: evaluation.status.into(),
            is_waiting,
            since: since(evaluation),
            written: When(evaluation.created_at),
            author: Author::new(&author, forum.now()),
            subject,
            has_tricks: exact != text,
            exact,
            findings: Findings::of(evaluation),
            appeal: evaluation.appeal_reason.as_deref().map(signs::block),
            earlier,
        })
    }
}
