//! Why something was decided, for its author.

use debate_core::forum::guardrail::{Assessment, Decision, Rule};

/// A day without tokens left asks a human.
pub(super) const NO_TOKENS_LEFT: &str =
    "the classifier has used up its tokens for today, so a human will look";

pub(super) fn of_rules(refused_by: Option<&Rule>, decision: Decision) -> String {
    match (refused_by, decision) {
        (Some(rule), _) => format!("refused by the rule {}", rule.id),
        (None, Decision::Approve) => "no rule refuses it".to_owned(),
        (None, Decision::Flag) => "no rule refuses it; a human will look".to_owned(),
        (None, Decision::Reject) => "refused".to_owned(),
    }
}

pub(super) fn of_model(decision: Decision, assessment: &Assessment) -> String {
    let reasoning = &assessment.reasoning;
    match decision {
        Decision::Approve => format!("the classifier approves it: {reasoning}"),
        Decision::Flag => format!("a human will look; the classifier says: {reasoning}"),
        Decision::Reject => format!("the classifier rejects it: {reasoning}"),
    }
}
