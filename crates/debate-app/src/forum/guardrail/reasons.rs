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

#[cfg(test)]
mod tests {
    use std::time::Duration;

    use debate_core::forum::guardrail::{Category, HarmRisk};

    use super::*;

    #[test]
    fn author_reads_the_decision_and_the_reason_of_each_layer() {
        use Decision::{Approve, Flag, Reject};
        let rule = Rule { category: Category::Weapons, id: "weapons.bombs".to_owned() };
        assert_eq!(for_rules(Some(&rule), Reject), "Rejected by the rule weapons.bombs");
        assert!(for_rules(None, Flag).contains("waiting for human review"));
        let model = Assessment::new(0.5, HarmRisk::Low, Flag, "Off topic.").expect("it is one");
        for (decision, reason) in [
            (Approve, "Approved by the classifier: Off topic."),
            (Flag, "Waiting for human review; classifier: Off topic."),
            (Reject, "Rejected by the classifier: Off topic."),
        ] {
            assert_eq!(for_model(decision, &model), reason);
        }
        let retried = for_failure(AfterFailure::RetryIn(Duration::ZERO), "busy");
        assert!(retried.contains("will be retried: busy"), "{retried}");
        let flagged = for_failure(AfterFailure::Flag, "busy");
        assert!(flagged.contains("waiting for human review: busy"), "{flagged}");
    }
}
