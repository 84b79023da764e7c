//! The arbitrator's forms: edit, preview with the effect, submit.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use debate_app::arena::{Arena, ArenaError, TranscriptLimit};
use debate_core::DebateId;
use debate_core::arena::{Credentials, Debate, Draft, RulingEffect, check_arbitrator, next};
use debate_pages::arena::{
    ArbitrationInput, ArbitratorAction, arbitration_form, arbitration_preview,
};
use debate_pages::{PageOutcome, PageRequest, new_request_key};
use debate_wire::arena as wire;

use crate::app_state::Settings;
use crate::arena::PathDebate;
use crate::error::{ErrorResponse, Unacceptable};
use crate::extract::Parse;
use crate::pages::browser::Browser;
use crate::pages::form::{Form, FormStep};

pub(crate) async fn arbitrate(
    State(arena): State<Arena>,
    PathDebate(debate): PathDebate,
    browser: Browser,
) -> Result<Response, ErrorResponse> {
    let debate = head(&arena, debate).await?;
    let input = ArbitrationInput::default();
    Ok(browser.respond(arbitration_form(&browser.request, debate, input, None)))
}

pub(crate) async fn intervene(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    PathDebate(debate): PathDebate,
    form: Form,
) -> Result<Response, ErrorResponse> {
    let action = ArbitratorAction::Intervene;
    let outcome = handle(&arena, &settings, debate, &form, action).await?;
    Ok(form.browser.respond(outcome))
}

pub(crate) async fn rule(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    PathDebate(debate): PathDebate,
    form: Form,
) -> Result<Response, ErrorResponse> {
    let closes = form.text("close") == "true";
    let effect = if closes { RulingEffect::Close } else { RulingEffect::Continue };
    let action = ArbitratorAction::Rule(effect);
    let outcome = handle(&arena, &settings, debate, &form, action).await?;
    Ok(form.browser.respond(outcome))
}

async fn head(arena: &Arena, debate: DebateId) -> Result<Debate, ArenaError> {
    Ok(arena.transcript(debate, TranscriptLimit::Newest(0)).await?.debate)
}

async fn handle(
    arena: &Arena,
    settings: &Settings,
    debate: DebateId,
    form: &Form,
    action: ArbitratorAction,
) -> Result<PageOutcome, ArenaError> {
    let (request, credentials) = (&form.browser.request, form.browser.credentials());
    let current = head(arena, debate).await?;
    let input = ArbitrationInput { content: form.text("content"), request_key: form.request_key() };
    let draft = match (form.step(), parse(action, &input, settings)) {
        (FormStep::Edit, _) => return Ok(arbitration_form(request, current, input, None)),
        (FormStep::Preview | FormStep::Submit, Err(invalid)) => {
            return Ok(edit_again(request, current, input, &invalid.into()));
        }
        (FormStep::Preview, Ok(_)) => {
            return Ok(match check(&current, action, &credentials) {
                Ok(()) => arbitration_preview(request, current, action, input),
                Err(refusal) => edit_again(request, current, input, &refusal.into()),
            });
        }
        (FormStep::Submit, Ok(draft)) => draft,
    };
    match arena.submit(debate, draft, credentials).await {
        Ok(written) => Ok(PageOutcome::MovedTo(format!(
            "/arena/{}#seq-{}",
            written.debate.slug, written.argument.seq
        ))),
        Err(err) => {
            // The debate may have changed. If it cannot be read, the form still keeps the text.
            let current = head(arena, debate).await.unwrap_or(current);
            Ok(edit_again(request, current, input, &err.into()))
        }
    }
}

/// Checks an action before its preview, in the order in which a write checks it.
fn check(
    debate: &Debate,
    action: ArbitratorAction,
    credentials: &Credentials,
) -> Result<(), ArenaError> {
    check_rights(debate, credentials)?;
    next(debate.state, action.mv())?;
    Ok(())
}

/// Checks that the browser has arbitrator rights, if the debate has seats.
pub(super) fn check_rights(debate: &Debate, credentials: &Credentials) -> Result<(), ArenaError> {
    if debate.seat_changes.is_some() {
        check_arbitrator(credentials)
            .map_err(|refusal| ArenaError::Seat { debate: debate.id, refusal })?;
    }
    Ok(())
}

/// Parses the values as a body of the API, so that the page accepts exactly what the API accepts.
fn parse(
    action: ArbitratorAction,
    input: &ArbitrationInput,
    settings: &Settings,
) -> Result<Draft, Unacceptable> {
    let client_request_id = Some(input.request_key.clone());
    let content = input.content.clone();
    match action {
        ArbitratorAction::Rule(effect) => {
            let close = Some(effect == RulingEffect::Close);
            wire::SubmitRuling { content, close, client_request_id }.parse(settings)
        }
        ArbitratorAction::Intervene => {
            let content = Some(content);
            wire::SubmitIntervention { content, client_request_id }.parse(settings)
        }
    }
}

fn edit_again(
    request: &PageRequest,
    debate: Debate,
    mut input: ArbitrationInput,
    refusal: &ErrorResponse,
) -> PageOutcome {
    // With the key of another request the server would refuse the form again.
    if refusal.is_key_reused() {
        input.request_key = new_request_key();
    }
    arbitration_form(request, debate, input, Some(&refusal.report()))
}
