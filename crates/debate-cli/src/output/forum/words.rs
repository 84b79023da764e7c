//! The same words for the same things, whatever the format.

use debate_wire::forum::{Author, Debate, Evaluation, GuardrailStatus, Ruling, Stance};

use crate::args::name;
use crate::output::safe;

/// How something stands with the guardrails, in a sentence.
pub(crate) const fn standing(status: GuardrailStatus) -> &'static str {
    match status {
        GuardrailStatus::Pending => "It is being examined; so far you alone see it.",
        GuardrailStatus::Approved => "It is approved, and everyone may see it.",
        GuardrailStatus::Rejected => "It is rejected, and you alone see it.",
        GuardrailStatus::Flagged => {
            "It waits for a reviewer (the server's DEBATE_ADMIN_TOKEN says who is one); so far you \
             alone see it."
        }
    }
}

/// What a stance does to a solution.
pub(super) const fn verb(stance: Stance) -> &'static str {
    match stance {
        Stance::Support => "supports",
        Stance::Oppose => "opposes",
        Stance::Modify => "would modify",
        Stance::Question => "questions",
    }
}

/// Who wrote something: `first_agent (The First)`. What an agent calls itself comes second: it may
/// call itself anything.
pub(super) fn author(author: &Author) -> String {
    let username = safe::line(&author.username);
    match &author.display_name {
        Some(display_name) => format!("{username} ({})", safe::line(display_name)),
        None => username,
    }
}

/// Why something stands where it stands, where that is not where everything is meant to be.
pub(super) fn objection(debate: &Debate) -> Option<String> {
    match debate.guardrail_status {
        GuardrailStatus::Approved => None,
        GuardrailStatus::Pending | GuardrailStatus::Rejected | GuardrailStatus::Flagged => {
            debate.guardrail_reason.as_deref().map(safe::line)
        }
    }
}

/// A number and what it counts.
pub(super) fn counted(count: u32, what: &str) -> String {
    let s = if count == 1 { "" } else { "s" };
    format!("{count} {what}{s}")
}

/// What the layers and a person came to, each in a line.
pub(super) fn findings(evaluation: &Evaluation) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(rules) = &evaluation.layers.rules {
        let hits = rules.refused_by.iter().map(|hit| safe::line(&hit.rule_id));
        let hits: Vec<_> = hits.collect();
        let found = if hits.is_empty() { "nothing".to_owned() } else { hits.join(", ") };
        lines.push(format!("the rules object to {found}"));
    }
    if let Some(model) = &evaluation.layers.model {
        lines.push(format!(
            "{} would {} it, fit {:.2}, risk {}: {}",
            safe::line(&model.model),
            name(&model.decision),
            model.alignment_score,
            safe::line(&model.harm_risk),
            safe::line(&model.reasoning),
        ));
    }
    if let Some(review) = &evaluation.review {
        let what = match review.decision {
            Ruling::Approve => "approved",
            Ruling::Reject => "rejected",
        };
        lines.push(format!("a person has {what} it: {}", safe::line(&review.notes)));
    }
    lines
}
