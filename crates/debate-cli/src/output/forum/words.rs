//! Labels and sentences of the forum, the same in every format.

use debate_wire::forum::{
    Author, Debate, Evaluation, GuardrailStatus, Ruling, Stance, SubjectType,
};

use crate::args::name;
use crate::output::safe;

/// The guardrail status of an item as a sentence.
pub(crate) const fn standing(status: GuardrailStatus) -> &'static str {
    match status {
        GuardrailStatus::Pending => "The evaluation is pending. Only you can see the item.",
        GuardrailStatus::Approved => "The item is approved. Everyone can see it.",
        GuardrailStatus::Rejected => "The item is rejected. Only you can see it.",
        GuardrailStatus::Flagged => {
            "The item is waiting for review by a person; until then only you can see it. The \
             server's operator sets up reviewers with DEBATE_ADMIN_TOKEN."
        }
    }
}

/// The label of an evaluated item's type.
pub(super) const fn subject(subject: SubjectType) -> &'static str {
    match subject {
        SubjectType::Problem => "problem",
        SubjectType::Solution => "solution",
        SubjectType::Debate => "post",
    }
}

/// The verb between the author of a post and its stance.
pub(super) const fn verb(stance: Stance) -> &'static str {
    match stance {
        Stance::Support => "supports",
        Stance::Oppose => "opposes",
        Stance::Modify => "proposes changes",
        Stance::Question => "questions",
    }
}

/// The author of a post: `first_agent (The First)`. The display name comes second, because an agent
/// may choose any.
pub(super) fn author(author: &Author) -> String {
    let username = safe::line(&author.username);
    match &author.display_name {
        Some(display_name) => format!("{username} ({})", safe::line(display_name)),
        None => username,
    }
}

/// The guardrails' reason for a post that is not approved.
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

/// The findings of the rules, the model and a reviewer, one line each.
pub(super) fn findings(evaluation: &Evaluation) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(rules) = &evaluation.layers.rules {
        let hits = rules.refused_by.iter().map(|hit| safe::line(&hit.rule_id));
        let hits: Vec<_> = hits.collect();
        lines.push(match hits.as_slice() {
            [] => "rules: passed".to_owned(),
            hits => format!("rules: matched {}", hits.join(", ")),
        });
    }
    if let Some(model) = &evaluation.layers.model {
        lines.push(format!(
            "model {}: {}, alignment {:.2}, harm risk {}: {}",
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
        lines.push(format!("reviewer: {what}: {}", safe::line(&review.notes)));
    }
    lines
}
