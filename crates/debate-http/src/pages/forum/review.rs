//! The review queue: claims, releases and decisions. A repeated form has the effect of one.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use debate_app::forum::{EvaluationDetails, Forum, ForumError};
use debate_core::EvaluationId;
use debate_core::forum::Notes;
use debate_core::forum::guardrail::{ClaimRefusal, GuardrailRefusal, Ruling};
use debate_pages::forum::review as pages;
use debate_pages::{ErrorReport, PageOutcome, Pagination};
use debate_wire::forum as wire;

use super::identity::BrowserReviewer;
use crate::app_state::Settings;
use crate::cursor;
use crate::error::{ErrorResponse, Invalid, Unacceptable};
use crate::extract::Parse;
use crate::forum::PathIds;
use crate::pages::browser::{Browser, QueryParams};
use crate::pages::form::{Form, FormStep};

pub(crate) async fn queue(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    BrowserReviewer(reviewer): BrowserReviewer,
    browser: Browser,
    query: QueryParams,
) -> Result<Response, ErrorResponse> {
    let [claimed, agent, cursor] = ["claimed", "agentId", "cursor"].map(|name| query.text(name));
    let (filter, is_first) = (pages::QueueFilter { claimed, agent }, cursor.is_none());
    let found = forum.flagged(filter.query(cursor).parse(&settings)?).await?;
    let next = found.next.map(|next| cursor::render(next.at, next.id));
    let pagination = Pagination { is_first, next };
    let request = &browser.request;
    let outcome = pages::queue(&forum, request, &reviewer, &filter, &found, &pagination).await?;
    Ok(browser.respond(outcome))
}

pub(crate) async fn item(
    State(forum): State<Forum>,
    BrowserReviewer(reviewer): BrowserReviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
    browser: Browser,
) -> Result<Response, ErrorResponse> {
    let found = forum.reviewable(evaluation).await?;
    let request = &browser.request;
    let outcome = pages::item(&forum, request, &reviewer, &found, String::new(), None).await?;
    Ok(browser.respond(outcome))
}

pub(crate) async fn claim(
    State(forum): State<Forum>,
    BrowserReviewer(reviewer): BrowserReviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
    form: Form,
) -> Result<Response, ErrorResponse> {
    let page = ReviewRequest { forum: &forum, reviewer: &reviewer, evaluation, form: &form };
    let outcome = match forum.claim(evaluation, &reviewer.name).await {
        // The form is far down on a phone.
        Ok(_) if form.text("notes").is_empty() => page.redirect("#seat"),
        // The page keeps the text that was written under an expired claim.
        Ok(_) => page.show(None).await?,
        Err(err) => page.show_refusal(err).await?,
    };
    Ok(form.browser.respond(outcome))
}

pub(crate) async fn release(
    State(forum): State<Forum>,
    BrowserReviewer(reviewer): BrowserReviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
    form: Form,
) -> Result<Response, ErrorResponse> {
    let page = ReviewRequest { forum: &forum, reviewer: &reviewer, evaluation, form: &form };
    let outcome = match forum.release(evaluation, &reviewer.name).await {
        Ok(_) => page.redirect(""),
        Err(err) if is_released(&err) => page.redirect(""),
        Err(err) => page.show_refusal(err).await?,
    };
    Ok(form.browser.respond(outcome))
}

/// Whether the item has no claim of the reviewer, or is decided.
fn is_released(err: &ForumError) -> bool {
    matches!(
        err,
        ForumError::Claim(ClaimRefusal::NotClaimed)
            | ForumError::Guardrail(GuardrailRefusal::NotFlagged)
    )
}

pub(crate) async fn review(
    State(forum): State<Forum>,
    State(settings): State<Arc<Settings>>,
    BrowserReviewer(reviewer): BrowserReviewer,
    PathIds(evaluation): PathIds<EvaluationId>,
    form: Form,
) -> Result<Response, ErrorResponse> {
    let page = ReviewRequest { forum: &forum, reviewer: &reviewer, evaluation, form: &form };
    let outcome = match (form.step(), parse(&form, &settings)) {
        (FormStep::Edit, _) => page.show(None).await?,
        (FormStep::Preview | FormStep::Submit, Err(invalid)) => {
            page.show(Some(ErrorResponse::from(invalid).report())).await?
        }
        (FormStep::Preview, Ok((ruling, _))) => page.preview(ruling).await?,
        (FormStep::Submit, Ok((ruling, notes))) => page.decide(ruling, notes).await?,
    };
    Ok(form.browser.respond(outcome))
}

/// Parses the values as a body of the API, so that the page accepts exactly what the API accepts.
fn parse(form: &Form, settings: &Settings) -> Result<(Ruling, Notes), Unacceptable> {
    let decision = Ruling::from_name(&form.text("decision"))
        .ok_or_else(|| Invalid::new("decision", "must be `approve` or `reject`"))?;
    wire::Review { decision: decision.into(), notes: form.text("notes") }.parse(settings)
}

/// A form that a reviewer submitted about an evaluation.
struct ReviewRequest<'r> {
    forum: &'r Forum,
    reviewer: &'r pages::Reviewer,
    evaluation: EvaluationId,
    form: &'r Form,
}

impl ReviewRequest<'_> {
    fn redirect(&self, fragment: &str) -> PageOutcome {
        PageOutcome::MovedTo(format!("/forum/flagged/{}{fragment}", self.evaluation))
    }

    /// The page in its current state, with the text of the form and the error.
    async fn show(&self, error: Option<ErrorReport>) -> Result<PageOutcome, ForumError> {
        let found = self.forum.reviewable(self.evaluation).await?;
        self.show_found(&found, error).await
    }

    async fn show_refusal(&self, err: ForumError) -> Result<PageOutcome, ForumError> {
        // The refusal is reported also if the item cannot be read any more.
        let Ok(found) = self.forum.reviewable(self.evaluation).await else { return Err(err) };
        let explanation = pages::explain_refusal(&err);
        let mut report = ErrorResponse::from(err).report();
        report.message = explanation.unwrap_or(report.message);
        self.show_found(&found, Some(report)).await
    }

    async fn show_found(
        &self,
        found: &EvaluationDetails,
        error: Option<ErrorReport>,
    ) -> Result<PageOutcome, ForumError> {
        let (request, notes) = (&self.form.browser.request, self.form.text("notes"));
        pages::item(self.forum, request, self.reviewer, found, notes, error.as_ref()).await
    }

    async fn preview(&self, ruling: Ruling) -> Result<PageOutcome, ForumError> {
        let Self { forum, reviewer, form, .. } = self;
        let found = forum.reviewable(self.evaluation).await?;
        match pages::check_decision(&found, &reviewer.name, ruling, forum.now()) {
            Ok(()) => {
                let (request, notes) = (&form.browser.request, form.text("notes"));
                pages::preview(forum, request, reviewer, &found, ruling, notes).await
            }
            Err(err) => self.show_refusal(err).await,
        }
    }

    async fn decide(&self, ruling: Ruling, notes: Notes) -> Result<PageOutcome, ForumError> {
        let Self { forum, reviewer, form, .. } = self;
        let name = &reviewer.name;
        let Err(err) = forum.review(self.evaluation, name, ruling, notes).await else {
            return Ok(self.redirect(""));
        };
        let found = forum.reviewable(self.evaluation).await.map_err(|_| err.clone())?;
        if pages::is_same_decision(&found, name, ruling, &form.text("notes")) {
            return Ok(self.redirect(""));
        }
        self.show_refusal(err).await
    }
}
