//! Items of the review queue as lists show them.

use debate_app::forum::{EvaluatedItem, EvaluationDetails};
use debate_core::forum::guardrail::{Appeal, Category, GuardrailStatus, Tier, active_claim};
use debate_core::forum::{Activity, Agent};
use debate_core::{AgentId, EvaluationId};
use debate_render::forum::guardrail_label;
use debate_render::visible;
use jiff::Timestamp;

use crate::forum::view::author_name;
use crate::time::{Since, Until};

/// The number of characters of an excerpt.
const EXCERPT_MAX: usize = 160;

/// The type of an evaluated item.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum ItemType {
    Problem,
    Solution,
    Post,
}

impl From<EvaluatedItem> for ItemType {
    fn from(item: EvaluatedItem) -> Self {
        match item {
            EvaluatedItem::Problem(_) => Self::Problem,
            EvaluatedItem::Solution(_) => Self::Solution,
            EvaluatedItem::Post(..) => Self::Post,
        }
    }
}

impl ItemType {
    pub(crate) const fn label(self) -> &'static str {
        match self {
            Self::Problem => "Problem",
            Self::Solution => "Solution",
            Self::Post => "Post",
        }
    }

    /// The noun inside a sentence.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Solution => "solution",
            Self::Post => "post",
        }
    }
}

/// The author of an item.
pub(crate) struct AuthorSummary {
    pub(crate) id: AgentId,
    pub(crate) name: String,
    pub(crate) trust: &'static str,
    /// The number of approved items.
    pub(crate) approved: u32,
    pub(crate) is_active: bool,
}

impl AuthorSummary {
    pub(super) fn new(agent: &Agent, now: Timestamp) -> Self {
        Self {
            id: agent.id,
            name: author_name(&agent.username, agent.display_name.as_ref()),
            trust: match agent.tier(now) {
                Tier::New => "new agent",
                Tier::Verified => "verified agent",
            },
            approved: agent.approved,
            is_active: match agent.activity {
                Activity::Active => true,
                Activity::Deactivated => false,
            },
        }
    }
}

/// A claim that has not expired.
pub(crate) struct ClaimLabel {
    pub(crate) by: String,
    pub(crate) is_own: bool,
    pub(crate) until: Until,
}

impl ClaimLabel {
    /// None without a valid claim.
    pub(super) fn new(
        evaluation: &EvaluationDetails,
        reviewer: &str,
        now: Timestamp,
    ) -> Option<Self> {
        let claim = active_claim(evaluation.claim.as_ref(), now)?;
        let is_own = claim.reviewer == reviewer;
        Some(Self { by: visible::line(&claim.reviewer), is_own, until: Until(claim.until) })
    }
}

/// The badge of an evaluation's status.
pub(crate) struct EvaluationBadge {
    pub(crate) class: &'static str,
    pub(crate) label: &'static str,
}

impl From<GuardrailStatus> for EvaluationBadge {
    fn from(status: GuardrailStatus) -> Self {
        let class = match status {
            GuardrailStatus::Pending => "running",
            GuardrailStatus::Approved => "closed",
            GuardrailStatus::Rejected => "failed",
            GuardrailStatus::Flagged => "arbitrator",
        };
        Self { class, label: guardrail_label(status.into()) }
    }
}

/// An item of the review queue.
pub(crate) struct QueueRow {
    pub(crate) id: EvaluationId,
    pub(crate) kind: ItemType,
    pub(crate) excerpt: String,
    pub(crate) reason: String,
    pub(crate) is_appealed: bool,
    pub(crate) author: AuthorSummary,
    pub(crate) since: Since,
    pub(crate) claim: Option<ClaimLabel>,
}

impl QueueRow {
    pub(super) fn new(
        evaluation: &EvaluationDetails,
        author: &Agent,
        reviewer: &str,
        now: Timestamp,
    ) -> Self {
        Self {
            id: evaluation.id,
            kind: evaluation.subject.into(),
            excerpt: list_excerpt(evaluation),
            reason: flag_reason(evaluation),
            is_appealed: evaluation.appeal == Appeal::Used,
            author: AuthorSummary::new(author, now),
            since: waiting_since(evaluation),
            claim: ClaimLabel::new(evaluation, reviewer, now),
        }
    }
}

/// The title of an item, or the beginning of a post.
fn list_excerpt(evaluation: &EvaluationDetails) -> String {
    let text = evaluation.text.as_deref().unwrap_or_default();
    match evaluation.subject.into() {
        // The evaluated text begins with the title.
        ItemType::Problem | ItemType::Solution => excerpt(text.lines().next().unwrap_or_default()),
        ItemType::Post => excerpt(text),
    }
}

/// The beginning of a text, on one line.
pub(super) fn excerpt(text: &str) -> String {
    visible::excerpt(text, EXCERPT_MAX)
}

/// The time since which the item waits for review; without review, its creation.
pub(super) fn waiting_since(evaluation: &EvaluationDetails) -> Since {
    Since(evaluation.flagged_at.unwrap_or(evaluation.created_at))
}

/// The reason for the review, in short.
pub(super) fn flag_reason(evaluation: &EvaluationDetails) -> String {
    let layers = &evaluation.layers;
    match (&evaluation.review, layers.refused_by.first(), &layers.model) {
        (Some(review), ..) => format!("Rejected earlier: {}", excerpt(&review.notes)),
        (None, Some((category, rule)), _) => {
            format!("Matched a rule: {} ({})", category_label(*category), visible::line(rule))
        }
        (None, None, Some((_, assessment))) => {
            let (score, risk) = (assessment.alignment.score(), assessment.risk.name());
            format!("Classifier undecided: alignment {score:.2}, harm risk {risk}")
        }
        (None, None, None) if layers.rules_version.is_some() => {
            "Passed the rules; waiting for human review".to_owned()
        }
        (None, None, None) => "Evaluation failed".to_owned(),
    }
}

pub(super) fn category_label(category: Category) -> String {
    category.name().replace('_', " ")
}
