//! The arbitrator's forms: edit, preview with the effect, submit.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::http::StatusCode;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::arena::{Arena, ArenaError, TranscriptLimit};
use debate_core::DebateId;
use debate_core::arena::{Debate, Draft, RulingEffect, next};
use debate_render::{Html, render_markdown};
use debate_wire::arena as wire;

use super::arbitrator_form::{ArbitratorAction, ArbitratorForm};
use super::view::Row;
use crate::app_state::Settings;
use crate::arena::PathDebate;
use crate::extract::Parse;
use crate::pages::error_page::explain;
use crate::pages::form::{Form, new_key};
use crate::pages::page::{Frame, Section, Visitor};
use crate::problem::{Problem, Unacceptable};

/// The form by itself, with what was written and what was wrong with it.
#[derive(Template)]
#[template(path = "pages/arena/edit.html")]
struct EditPage {
    frame: Frame,
    debate: Row,
    arbitrator: ArbitratorForm,
}

/// The preview of the text and its effect.
#[derive(Template)]
#[template(path = "pages/arena/confirm.html")]
struct ConfirmPage {
    frame: Frame,
    debate: Row,
    /// The last segment of the form's address.
    action: &'static str,
    close: bool,
    effect: &'static str,
    button: &'static str,
    preview: Option<Html>,
    content: String,
    request_key: String,
}

/// The step of the form.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
enum Step {
    /// Show the preview.
    Preview,
    /// Show the form again.
    Edit,
    /// Submit.
    Do,
}

/// A submitted form.
struct ArbitratorRequest {
    visitor: Visitor,
    act: ArbitratorAction,
    step: Step,
    content: String,
    request_key: String,
}

/// `GET /arena/{id}/intervene`
pub(crate) async fn intervention(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let debate = head(&arena, debate).await?;
    let arbitrator = ArbitratorForm::new(&debate, visitor.form_token());
    Ok(edit(&visitor, debate, arbitrator, StatusCode::OK))
}

/// `GET /arena/{id}/rule`
pub(crate) async fn ruling(
    arena: State<Arena>,
    debate: PathDebate,
    visitor: Visitor,
) -> Result<Response, Problem> {
    intervention(arena, debate, visitor).await
}

/// `POST /arena/{id}/intervene`
pub(crate) async fn intervene(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    PathDebate(debate): PathDebate,
    form: Form,
) -> Result<Response, Problem> {
    Ok(ArbitratorRequest::of(form, ArbitratorAction::Intervene)
        .follow(&arena, &settings, debate)
        .await?)
}

/// `POST /arena/{id}/rule`
pub(crate) async fn rule(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    PathDebate(debate): PathDebate,
    form: Form,
) -> Result<Response, Problem> {
    let close = form.text("close") == "true";
    let verdict = if close { RulingEffect::Close } else { RulingEffect::Continue };
    Ok(ArbitratorRequest::of(form, ArbitratorAction::Rule(verdict))
        .follow(&arena, &settings, debate)
        .await?)
}

async fn head(arena: &Arena, debate: DebateId) -> Result<Debate, ArenaError> {
    Ok(arena.transcript(debate, TranscriptLimit::Newest(0)).await?.debate)
}

fn edit(
    visitor: &Visitor,
    debate: Debate,
    arbitrator: ArbitratorForm,
    status: StatusCode,
) -> Response {
    let debate = Row::from(debate);
    let frame = visitor.frame(Section::Arena, format!("Arbitration: {}", debate.title));
    visitor.page_with(status, &EditPage { frame, debate, arbitrator })
}

impl ArbitratorRequest {
    fn of(form: Form, act: ArbitratorAction) -> Self {
        let step = match form.text("step").as_str() {
            "do" => Step::Do,
            "edit" => Step::Edit,
            _ => Step::Preview,
        };
        let (content, request_key) = (form.text("content"), form.request_key());
        Self { visitor: form.visitor, act, step, content, request_key }
    }

    async fn follow(
        self,
        arena: &Arena,
        settings: &Settings,
        debate: DebateId,
    ) -> Result<Response, ArenaError> {
        let stands = head(arena, debate).await?;
        let draft = match (self.step, self.draft(settings)) {
            (Step::Edit, _) => return Ok(self.edit(stands, None)),
            (Step::Preview | Step::Do, Err(wrong)) => {
                return Ok(self.edit(stands, Some(wrong.into())));
            }
            (Step::Preview | Step::Do, Ok(draft)) => draft,
        };
        if self.step == Step::Preview {
            return Ok(match next(stands.state, self.act.mv()) {
                Ok(_) => self.confirm(stands),
                Err(refusal) => self.edit(stands, Some(ArenaError::Refused(refusal).into())),
            });
        }
        match arena.submit(debate, draft).await {
            Ok(written) => {
                let place = format!("/arena/{debate}#seq-{}", written.argument.seq);
                Ok(Redirect::to(&place).into_response())
            }
            Err(err) => {
                // It may have moved on since; and words are not lost because it can't be read.
                let stands = head(arena, debate).await.unwrap_or(stands);
                Ok(self.edit(stands, Some(err.into())))
            }
        }
    }

    /// By way of the contract, so that a page takes exactly what the API takes.
    fn draft(&self, settings: &Settings) -> Result<Draft, Unacceptable> {
        let client_request_id = Some(self.request_key.clone());
        match self.act {
            ArbitratorAction::Rule(verdict) => {
                let close = Some(verdict == RulingEffect::Close);
                let content = self.content.clone();
                wire::SubmitRuling { content, close, client_request_id }.parse(settings)
            }
            ArbitratorAction::Intervene => {
                let content = Some(self.content.clone());
                wire::SubmitIntervention { content, client_request_id }.parse(settings)
            }
        }
    }

    fn edit(self, debate: Debate, problem: Option<Problem>) -> Response {
        let mut arbitrator = ArbitratorForm::new(&debate, self.visitor.form_token());
        let status = problem.as_ref().map_or(StatusCode::OK, Problem::status);
        // Under a name that was used for other words it would be refused again.
        let is_used = problem.as_ref().is_some_and(Problem::is_key_reused);
        arbitrator.request_key = if is_used { new_key() } else { self.request_key };
        arbitrator.error = problem.map(|problem| explain(&problem, &[("content", "The text")]));
        arbitrator.content = self.content;
        edit(&self.visitor, debate, arbitrator, status)
    }

    fn confirm(self, debate: Debate) -> Response {
        let debate = Row::from(debate);
        let is_blank = self.content.trim().is_empty();
        self.visitor.page(&ConfirmPage {
            frame: self.visitor.frame(Section::Arena, format!("Confirm: {}", debate.title)),
            debate,
            action: self.act.path(),
            close: self.act == ArbitratorAction::Rule(RulingEffect::Close),
            effect: self.act.effect(),
            button: self.act.button(),
            preview: (!is_blank).then(|| render_markdown(&self.content, 2)),
            content: self.content,
            request_key: self.request_key,
        })
    }
}
