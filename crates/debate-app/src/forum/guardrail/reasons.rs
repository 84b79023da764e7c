//! The reasons for a guardrail decision, as the author sees them.

use debate_core::forum::guardrail::{AfterFailure, Assessment, Decision, Rule};

/// The classifier's daily token limit (`GUARDRAIL_DAILY_TOKENS`) is reached.
pub(super) const NO_TOKENS_LEFT: &str =
    "The classifier's daily token limit is reached; waiting for human review";

pub(super) fn for_rules(refused_by: Option<&Rule>, decision: Decision) -> String {
    match (refused_by, decision) {
        (Some(rule), _) => format!("Rejected by the rule {}", rule.id),
        (None, Decision::Approve) => "Passed the rules".to_owned(),
        (None, Decision::Flag) => "Passed the rules; waiting for human review".to_owned(),
        (None, Decision::Reject) => "Rejected".to_owned(),
    }
}

pub(super) fn for_model(decision: Decision, assessment: &Assessment) -> String {
    let reasoning = &assessment.reasoning;
    match decision {
        Decision::Approve => format!("Approved by the classifier: {reasoning}"),
        Decision::Flag => format!("Waiting for human review; classifier: {reasoning}"),
        Decision::Reject => format!("Rejected by the classifier: {reasoning}"),
    }
}

pub(super) fn for_failure(then: AfterFailure, error: &str) -> String {
    match then {
        AfterFailure::RetryIn(_) => format!("The evaluation failed and will be retried: {error}"),
        AfterFailure::Flag => format!("The evaluation failed; waiting for human review: {error}"),
    }
}
