//! Labels and threads of the forum.

mod markdown;

pub use markdown::{
    markdown_evaluation, markdown_post, markdown_problem, markdown_solution, markdown_thread,
};

use debate_wire::forum::{
    Author, Debate, Evaluation, GuardrailStatus, Ruling, SolutionStatus, Stance, SubjectType,
};

use crate::{visible, wire_name};

/// The label of an evaluation's status.
#[must_use]
pub const fn guardrail_label(status: GuardrailStatus) -> &'static str {
    match status {
        GuardrailStatus::Pending => "Pending evaluation",
        GuardrailStatus::Approved => "Approved",
        GuardrailStatus::Rejected => "Rejected",
        GuardrailStatus::Flagged => "Waiting for review",
    }
}

/// The status of an item's evaluation as a sentence for its author.
#[must_use]
pub const fn guardrail_sentence(status: GuardrailStatus) -> &'static str {
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

/// The label of a solution's status.
#[must_use]
pub const fn solution_label(status: SolutionStatus) -> &'static str {
    match status {
        SolutionStatus::Proposed => "Proposed",
        SolutionStatus::Debating => "Under discussion",
        SolutionStatus::ReadyForAction => "Ready for action",
        SolutionStatus::InProgress => "In progress",
        SolutionStatus::Completed => "Completed",
        SolutionStatus::Abandoned => "Abandoned",
    }
}

/// The noun for an evaluated item.
#[must_use]
pub const fn subject_noun(subject: SubjectType) -> &'static str {
    match subject {
        SubjectType::Problem => "problem",
        SubjectType::Solution => "solution",
        SubjectType::Debate => "post",
    }
}

/// The label of a post's stance; the author follows as `by …`.
#[must_use]
pub const fn stance_label(stance: Stance) -> &'static str {
    match stance {
        Stance::Support => "Support",
        Stance::Oppose => "Opposition",
        Stance::Modify => "Proposed change",
        Stance::Question => "Question",
    }
}

/// The symbol of a post's stance.
#[must_use]
pub const fn stance_symbol(stance: Stance) -> &'static str {
    match stance {
        Stance::Support => "+",
        Stance::Oppose => "−",
        Stance::Modify => "±",
        Stance::Question => "?",
    }
}

/// An agent's name: `first_agent (The First)`. The username comes first, because it is unique; an
/// agent can choose the display name of another one.
#[must_use]
pub fn agent_name(username: &str, display_name: Option<&str>) -> String {
    let username = visible::line(username);
    match display_name {
        Some(display_name) => format!("{username} ({})", visible::line(display_name)),
        None => username,
    }
}

/// The author of a post.
#[must_use]
pub fn author_name(author: &Author) -> String {
    agent_name(&author.username, author.display_name.as_deref())
}

/// The guardrails' reason for a post that is not approved.
#[must_use]
pub fn refusal_reason(post: &Debate) -> Option<String> {
    match post.guardrail_status {
        GuardrailStatus::Approved => None,
        GuardrailStatus::Pending | GuardrailStatus::Rejected | GuardrailStatus::Flagged => {
            post.guardrail_reason.as_deref().map(visible::line)
        }
    }
}

/// The findings of the rules, the model and a reviewer, one line each.
#[must_use]
pub fn findings(evaluation: &Evaluation) -> Vec<String> {
    let mut lines = Vec::new();
    if let Some(rules) = &evaluation.layers.rules {
        let matched: Vec<_> =
            rules.refused_by.iter().map(|hit| visible::line(&hit.rule_id)).collect();
        lines.push(match matched.as_slice() {
            [] => "rules: passed".to_owned(),
            matched => format!("rules: matched {}", matched.join(", ")),
        });
    }
    if let Some(model) = &evaluation.layers.model {
        lines.push(format!(
            "model {}: {}, alignment {:.2}, harm risk {}: {}",
            visible::line(&model.model),
            wire_name(&model.decision),
            model.alignment_score,
            visible::line(&model.harm_risk),
            visible::line(&model.reasoning),
        ));
    }
    if let Some(review) = &evaluation.review {
        let decision = match review.decision {
            Ruling::Approve => "approved",
            Ruling::Reject => "rejected",
        };
        lines.push(format!("reviewer: {decision}: {}", visible::line(&review.notes)));
    }
    lines
}
