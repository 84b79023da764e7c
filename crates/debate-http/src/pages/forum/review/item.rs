//! The page of one evaluation: the text, the guardrails' results, and the review form.

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::Response;
use debate_app::forum::{EvaluationDetails, Forum, ForumError};
use debate_core::EvaluationId;
use debate_core::forum::guardrail::show_fields;
use debate_render::visible;

use super::claim_state::{ClaimState, PastDecision, ReviewForm};
use super::findings::{Findings, Rules};
use super::subject::Subject;
use super::view::{Author, EvaluationBadge, Kind, since};
use crate::forum::PathIds;
use crate::pages::forum::identity::{IdentityBanner, Reviewer};
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::when::{Since, When};
use crate::problem::Problem;

#[derive(Template)]
#[template(path = "pages/forum/review/item.html")]
struct ReviewPage {
    frame: Frame,
    banner: IdentityBanner,
    case: ReviewItem,
    form_view: ReviewForm,
}

/// The evaluation with everything that a reviewer sees.
pub(crate) struct ReviewItem {
    pub(crate) id: EvaluationId,
    pub(crate) kind: Kind,
    pub(crate) title: String,
    pub(crate) standing: EvaluationBadge,
    pub(crate) is_waiting: bool,
    pub(crate) since: Since,
    pub(crate) written: When,
    pub(crate) author: Author,
    pub(crate) subject: Subject,
    /// The evaluated text, verbatim.
    pub(crate) exact: String,
    /// Whether there is something in it that hides or turns the text around it.
    pub(crate) has_hidden_characters: bool,
    pub(crate) findings: Findings,
    /// Why its author objects to a rejection.
    pub(crate) appeal: Option<String>,
    /// The decision before the appeal.
    pub(crate) earlier: Option<PastDecision>,
}

/// `GET /forum/flagged/{id}`
pub(crate) async fn item(
    State(forum): State<Forum>,
    by: Reviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let evaluation = forum.reviewable(evaluation).await?;
    let claim_state = ClaimState::of(&evaluation, &by.name, forum.now());
    let form_view = ReviewForm { claim_state, notes: String::new(), error: None };
    Ok(show(&forum, &by, &visitor, &evaluation, form_view, StatusCode::OK).await?)
}

/// The page, with what was written so far and what was wrong with it.
pub(super) async fn show(
    forum: &Forum,
    by: &Reviewer,
    visitor: &Visitor,
    evaluation: &EvaluationDetails,
    form_view: ReviewForm,
    status: StatusCode,
) -> Result<Response, ForumError> {
    let case = ReviewItem::read(forum, evaluation, &by.name).await?;
    let frame = visitor.frame(Section::Forum, format!("Review: {}", case.title));
    let banner = by.identity.banner(visitor);
    Ok(visitor.page_with(status, &ReviewPage { frame, banner, case, form_view }))
}

impl ReviewItem {
    pub(super) async fn read(
        forum: &Forum,
        evaluation: &EvaluationDetails,
        reviewer: &str,
    ) -> Result<Self, ForumError> {
        let author = forum.agent(evaluation.author).await?;
        let subject = Subject::read(forum, evaluation.subject).await?;
        let text = evaluation.text.as_deref().unwrap_or_default().replace("\r\n", "\n");
        let text = show_fields(&text);
        let exact = visible::block(&text);
        let is_waiting = evaluation.flagged_at.is_some();
        let earlier = PastDecision::of(evaluation, reviewer).filter(|_| is_waiting);
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
            has_hidden_characters: exact != text,
            exact,
            findings: Findings::of(evaluation),
            appeal: evaluation.appeal_reason.as_deref().map(visible::block),
            earlier,
        })
    }
}
