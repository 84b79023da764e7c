//! Successful responses in the forum's envelope, and evaluations as wire types.

use axum::Json;
use axum::http::{HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Response};
use debate_app::forum::{
    CreatedPost, EvaluatedItem, EvaluationDetails, LayerResults, PostPage, ReviewDecision,
};
use debate_core::forum::guardrail::{Appeal, Category, show_fields};
use debate_core::forum::{PostOrder, Viewer};
use debate_wire::forum as wire;
use debate_wire::forum::{Success, render_time};
use serde::Serialize;

use super::page;
use crate::request_layer::current_request_id;

const IDEMPOTENT_REPLAYED: HeaderName = HeaderName::from_static("idempotent-replayed");

/// A successful response. Its envelope repeats the request id.
pub(crate) struct ForumReply<T> {
    body: Success<T>,
    status: StatusCode,
    is_replayed: bool,
}

impl<T> ForumReply<T> {
    pub(super) fn ok(data: T) -> Self {
        let body = Success::new(data, current_request_id());
        Self { body, status: StatusCode::OK, is_replayed: false }
    }

    pub(super) fn created(data: T) -> Self {
        Self { status: StatusCode::CREATED, ..Self::ok(data) }
    }
}

impl<T> ForumReply<Vec<T>> {
    /// A page of a list, and the cursor of the next one.
    pub(super) fn page(items: Vec<T>, next: Option<String>) -> Self {
        let body = Success::page(items, next, current_request_id());
        Self { body, status: StatusCode::OK, is_replayed: false }
    }
}

impl ForumReply<Vec<wire::Debate>> {
    pub(super) fn posts(found: PostPage, viewer: Viewer, shape: PostOrder) -> Self {
        let next = found.next.map(|path| page::post_cursor(shape, path));
        let posts = found.posts.into_iter().map(|post| wire::Debate::new(post, viewer));
        Self::page(posts.collect(), next)
    }
}

impl ForumReply<wire::Debate> {
    /// 201 if the post is new; 200 with `Idempotent-Replayed` if an earlier request created it.
    pub(super) fn posted(posted: CreatedPost, viewer: Viewer) -> Self {
        match posted {
            CreatedPost::Fresh(post) => Self::created(wire::Debate::new(post, viewer)),
            CreatedPost::Replayed(post) => {
                Self { is_replayed: true, ..Self::ok(wire::Debate::new(post, viewer)) }
            }
        }
    }
}

impl<T: Serialize> IntoResponse for ForumReply<T> {
    fn into_response(self) -> Response {
        let mut response = (self.status, Json(self.body)).into_response();
        if self.is_replayed {
            response.headers_mut().insert(IDEMPOTENT_REPLAYED, HeaderValue::from_static("true"));
        }
        response
    }
}

pub(super) fn evaluation(evaluation: EvaluationDetails) -> wire::Evaluation {
    let (subject_type, subject_id) = match evaluation.subject {
        EvaluatedItem::Problem(problem) => (wire::SubjectType::Problem, problem.to_string()),
        EvaluatedItem::Solution(solution) => (wire::SubjectType::Solution, solution.to_string()),
        EvaluatedItem::Post(_, post) => (wire::SubjectType::Debate, post.to_string()),
    };
    wire::Evaluation {
        id: evaluation.id.to_string(),
        subject_type,
        subject_id,
        status: evaluation.status.into(),
        decision: evaluation.decision.map(Into::into),
        layers: layers(evaluation.layers),
        reason: evaluation.reason,
        review: evaluation.review.map(reviewed),
        appealed: evaluation.appeal == Appeal::Used,
        attempts: evaluation.attempts,
        created_at: render_time(evaluation.created_at),
        decided_at: evaluation.decided_at.map(render_time),
    }
}

pub(super) fn flagged(found: EvaluationDetails) -> wire::Flagged {
    let claim = found.claim.clone();
    wire::Flagged {
        agent_id: found.author.to_string(),
        text: found.text.as_deref().map(show_fields).unwrap_or_default(),
        appeal_reason: found.appeal_reason.clone(),
        flagged_at: found.flagged_at.map(render_time),
        claimed_until: claim.as_ref().map(|claim| render_time(claim.until)),
        claimed_by: claim.map(|claim| claim.reviewer),
        evaluation: evaluation(found),
    }
}

fn layers(found: LayerResults) -> wire::Layers {
    let hit = |(category, rule_id): (Category, String)| wire::RuleHit {
        category: category.name().to_owned(),
        rule_id,
    };
    let refused_by = found.refused_by.into_iter().map(hit).collect();
    let model = found.model.map(|(model, assessment)| wire::ModelLayer {
        model,
        alignment_score: assessment.alignment.score(),
        harm_risk: assessment.risk.name().to_owned(),
        decision: assessment.decision.into(),
        reasoning: assessment.reasoning,
    });
    let rules = found.rules_version.map(|version| wire::RuleLayer { version, refused_by });
    wire::Layers { rules, model }
}

fn reviewed(review: ReviewDecision) -> wire::Reviewed {
    wire::Reviewed {
        decision: review.ruling.into(),
        notes: review.notes,
        reviewed_at: render_time(review.at),
    }
}
