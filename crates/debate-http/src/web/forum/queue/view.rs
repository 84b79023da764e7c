//! What waits for a person, in words.

use debate_app::forum::{Evaluation, Examined};
use debate_core::forum::guardrail::{Appeal, Category, Status, Tier, holder};
use debate_core::forum::{Activity, Agent};
use debate_core::{AgentId, EvaluationId};
use jiff::Timestamp;

use crate::web::forum::view::called;
use crate::web::signs;
use crate::web::when::{Since, Until};

/// How much of a text stands for it in a list.
const EXCERPT_MAX: usize = 160;

/// What can be examined.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Kind {
    Problem,
    Solution,
    Post,
}

impl From<Examined> for Kind {
    fn from(subject: Examined) -> Self {
        match subject {
            Examined::Problem(_) => Self::Problem,
            Examined::Solution(_) => Self::Solution,
            Examined::Post(..) => Self::Post,
        }
    }
}

impl Kind {
    /// At the beginning of something.
    pub(crate) const fn words(self) -> &'static str {
        match self {
            Self::Problem => "Problem",
            Self::Solution => "Solution",
            Self::Post => "Post",
        }
    }

    /// Within a sentence.
    pub(crate) const fn noun(self) -> &'static str {
        match self {
            Self::Problem => "problem",
            Self::Solution => "solution",
            Self::Post => "post",
        }
    }
}

/// Who wrote it.
pub(crate) struct Author {
    pub(crate) id: AgentId,
    pub(crate) name: String,
    pub(crate) trust: &'static str,
    /// How many of its entries were approved.
    pub(crate) approved: u32,
    pub(crate) is_active: bool,
}

impl Author {
    pub(super) fn new(agent: &Agent, now: Timestamp) -> Self {
        Self {
            id: agent.id,
            name: called(&agent.username, agent.display_name.as_ref()),
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

/// Someone's claim that holds.
pub(crate) struct Claim {
    pub(crate) by: String,
    pub(crate) is_own: bool,
    pub(crate) until: Until,
}

impl Claim {
    /// None where nobody is at it.
    pub(super) fn of(evaluation: &Evaluation, reviewer: &str, now: Timestamp) -> Option<Self> {
        let claim = holder(evaluation.claim.as_ref(), now)?;
        let is_own = claim.reviewer == reviewer;
        Some(Self { by: signs::line(&claim.reviewer), is_own, until: Until(claim.until) })
    }
}

/// Where it stands.
pub(crate) struct Standing {
    pub(crate) class: &'static str,
    pub(crate) words: &'static str,
}

impl From<Status> for Standing {
    fn from(status: Status) -> Self {
        let (class, words) = match status {
            Status::Pending => ("running", "Pending evaluation"),
            Status::Approved => ("closed", "Approved"),
            Status::Rejected => ("failed", "Rejected"),
            Status::Flagged => ("arbitrator", "Waiting for review"),
        };
        Self { class, words }
    }
}

/// One of those that wait.
pub(crate) struct Row {
    pub(crate) id: EvaluationId,
    pub(crate) kind: Kind,
    pub(crate) excerpt: String,
    pub(crate) why: String,
    pub(crate) is_appealed: bool,
    pub(crate) author: Author,
    pub(crate) since: Since,
    pub(crate) claim: Option<Claim>,
}

impl Row {
    pub(super) fn new(
        evaluation: &Evaluation,
        author: &Agent,
        reviewer: &str,
        now: Timestamp,
    ) -> Self {
        Self {
            id: evaluation.id,
            kind: evaluation.subject.into(),
            excerpt: beginning(evaluation),
            why: why(evaluation),
            is_appealed: evaluation.appeal == Appeal::Used,
            author: Author::new(author, now),
            since: since(evaluation),
            claim: Claim::of(evaluation, reviewer, now),
        }
    }
}

/// What stands for it in a list: what it is called, or how it begins.
fn beginning(evaluation: &Evaluation) -> String {
    let text = evaluation.text.as_deref().unwrap_or_default();
    match evaluation.subject.into() {
        // Their title is what is examined first.
        Kind::Problem | Kind::Solution => excerpt(text.lines().next().unwrap_or_default()),
        Kind::Post => excerpt(text),
    }
}

/// The beginning of a text, on one line.
pub(super) fn excerpt(text: &str) -> String {
    signs::excerpt(text, EXCERPT_MAX)
}

/// Since when it waits, or, if it does not, is there.
pub(super) fn since(evaluation: &Evaluation) -> Since {
    Since(evaluation.flagged_at.unwrap_or(evaluation.created_at))
}

/// Why a person is asked, in a few words.
pub(super) fn why(evaluation: &Evaluation) -> String {
    let layers = &evaluation.layers;
    match (&evaluation.review, layers.refused_by.first(), &layers.model) {
        (Some(review), ..) => format!("Rejected earlier: {}", excerpt(&review.notes)),
        (None, Some((category, rule)), _) => {
            format!("Matched a rule: {} ({})", category_words(*category), signs::line(rule))
        }
        (None, None, Some((_, said))) => {
            let (score, risk) = (said.alignment.score(), said.risk.name());
            format!("Classifier undecided: alignment {score:.2}, harm risk {risk}")
        }
        (None, None, None) if layers.rules_version.is_some() => {
            "Passed the rules; waiting for human review".to_owned()
        }
        (None, None, None) => "Evaluation failed".to_owned(),
    }
}

pub(super) fn category_words(category: Category) -> String {
    category.name().replace('_', " ")
}
