//! The form for a new debate.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use debate_app::arena::Arena;
use debate_core::arena::{DebateType, NewDebate, NewSeats};
use debate_pages::PageOutcome;
use debate_pages::arena::{DebateForm, new_debate};
use debate_wire::arena as wire;

use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid};
use crate::extract::Parse;
use crate::pages::browser::Browser;
use crate::pages::form::Form;

pub(crate) async fn show_form(State(settings): State<Arc<Settings>>, browser: Browser) -> Response {
    let max = settings.content_bytes_max;
    browser.respond(new_debate(&browser.request, DebateForm::default(), max, None))
}

pub(crate) async fn create(
    State(arena): State<Arena>,
    State(settings): State<Arc<Settings>>,
    form: Form,
) -> Response {
    let mut values = read_values(&form);
    let outcome = match open(&arena, &settings, &values).await {
        Ok(outcome) => outcome,
        Err(refusal) => {
            if refusal.is_key_reused() {
                values.renew_keys();
            }
            let (max, error) = (settings.content_bytes_max, refusal.report());
            new_debate(&form.browser.request, values, max, Some(&error))
        }
    };
    form.browser.respond(outcome)
}

fn read_values(form: &Form) -> DebateForm {
    DebateForm {
        debate_id: form.text("debate_id"),
        request_key: form.request_key(),
        title: form.text("title"),
        debate_type: form.text("debate_type"),
        motion: form.text("motion_content"),
        auto_ruling: form.text("auto_ruling"),
    }
}

async fn open(
    arena: &Arena,
    settings: &Settings,
    values: &DebateForm,
) -> Result<PageOutcome, ErrorResponse> {
    let written = arena.open(parse(values, settings)?).await?;
    Ok(PageOutcome::MovedTo(format!("/arena/{}", written.debate.slug)))
}

/// Parses the values as a body of the API, so that the page accepts exactly what the API accepts.
fn parse(values: &DebateForm, settings: &Settings) -> Result<NewDebate, ErrorResponse> {
    let debate_type = DebateType::from_name(&values.debate_type)
        .ok_or_else(|| Invalid::new("debate_type", "must be one of the listed types"))?;
    let body = wire::CreateDebate {
        debate_id: Some(values.debate_id.clone()),
        title: values.title.clone(),
        debate_type: debate_type.into(),
        motion_content: values.motion.clone(),
        client_request_id: Some(values.request_key.clone()),
        auto_ruling: values.auto_ruling.parse().ok(),
        seats: settings.arbitrator.as_ref().map(|_| true),
        holder: None,
        invite_only: None,
    };
    let opening = body.parse(settings)?;
    // Both seats are open: the person who fills in the form takes no part in the debate.
    let seats = settings.arbitrator.as_ref().map(|_| NewSeats { creator: None, invite: None });
    Ok(NewDebate { seats, ..opening })
}
