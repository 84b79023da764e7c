//! Evaluations as wire types, for authors and reviewers.

use debate_app::forum::{EvaluatedItem, EvaluationDetails, LayerResults, ReviewDecision};
use debate_core::forum::guardrail::show_fields;
use debate_core::forum::guardrail::{Appeal, Category};
use debate_wire::forum as wire;
use debate_wire::forum::render_time;

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
