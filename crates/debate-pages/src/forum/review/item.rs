//! The page of one evaluation: the text, the guardrails' results, and the review form.

use askama::Template;
use debate_app::forum::{EvaluationDetails, Forum, ForumError};
use debate_core::EvaluationId;
use debate_core::forum::guardrail::show_fields;
use debate_render::visible;

use super::claim_state::{ClaimState, PastDecision, ReviewForm};
use super::findings::{Findings, RuleResult};
use super::reviewed_item::ReviewedItem;
use super::view::{AuthorSummary, EvaluationBadge, ItemType, waiting_since};
use crate::forum::identity::{Identity, IdentityBanner};
use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::{ErrorReport, PageOutcome};
use crate::time::{Since, Time};

/// The labels of the fields in error messages.
const LABELS: [(&str, &str); 2] = [("notes", "The reason"), ("decision", "The decision")];

/// A reviewer who looks at the review queue.
#[derive(Debug)]
pub struct Reviewer {
    /// The name that claims and decisions are saved with.
    pub name: String,
    /// The reviewer's identity on forum pages.
    pub identity: Identity,
}

#[derive(Template)]
#[template(path = "forum/review/item.html")]
struct ReviewPage {
    frame: Frame,
    banner: IdentityBanner,
    case: EvaluationView,
    form: ReviewForm,
}

/// The evaluation with everything that a reviewer sees.
pub(crate) struct EvaluationView {
    pub(crate) id: EvaluationId,
    pub(crate) kind: ItemType,
    pub(crate) title: String,
    pub(crate) badge: EvaluationBadge,
    pub(crate) is_waiting: bool,
    pub(crate) since: Since,
    pub(crate) written: Time,
    pub(crate) author: AuthorSummary,
    pub(crate) item: ReviewedItem,
    /// The evaluated text, verbatim.
    pub(crate) exact: String,
    /// Whether the text contains invisible or direction-changing characters.
    pub(crate) has_hidden_characters: bool,
    pub(crate) findings: Findings,
    /// The author's reason for the appeal.
    pub(crate) appeal: Option<String>,
    /// The decision before the appeal.
    pub(crate) earlier: Option<PastDecision>,
}

/// The page of an evaluation, with the text of the form and the error of its last submission.
pub async fn item(
    forum: &Forum,
    request: &PageRequest,
    reviewer: &Reviewer,
    evaluation: &EvaluationDetails,
    notes: String,
    error: Option<&ErrorReport>,
) -> Result<PageOutcome, ForumError> {
    let case = EvaluationView::load(forum, evaluation, &reviewer.name).await?;
    let page = ReviewPage {
        frame: request.frame(Section::Forum, format!("Review: {}", case.title)),
        banner: reviewer.identity.banner(request),
        case,
        form: ReviewForm {
            claim_state: ClaimState::new(evaluation, &reviewer.name, forum.now()),
            notes,
            error: error.map(|error| error.explain(&LABELS)),
        },
    };
    Ok(PageOutcome::of_form(request.render(&page), error))
}

impl EvaluationView {
    pub(super) async fn load(
        forum: &Forum,
        evaluation: &EvaluationDetails,
        reviewer: &str,
    ) -> Result<Self, ForumError> {
        let author = forum.agent(evaluation.author).await?;
        let item = ReviewedItem::load(forum, evaluation.subject).await?;
        let text = evaluation.text.as_deref().unwrap_or_default().replace("\r\n", "\n");
        let text = show_fields(&text);
        let exact = visible::block(&text);
        let is_waiting = evaluation.flagged_at.is_some();
        let earlier = PastDecision::new(evaluation, reviewer).filter(|_| is_waiting);
        Ok(Self {
            id: evaluation.id,
            kind: evaluation.subject.into(),
            title: item.title.clone(),
            badge: evaluation.status.into(),
            is_waiting,
            since: waiting_since(evaluation),
            written: Time(evaluation.created_at),
            author: AuthorSummary::new(&author, forum.now()),
            item,
            has_hidden_characters: exact != text,
            exact,
            findings: Findings::new(evaluation),
            appeal: evaluation.appeal_reason.as_deref().map(visible::block),
            earlier,
        })
    }
}
