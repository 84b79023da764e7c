//! The form for a new run.

use std::sync::Arc;

use axum::extract::State;
use axum::response::Response;
use debate_app::runner::{CreatedRun, Runner, RunnerError};
use debate_core::RequestKey;
use debate_core::runner::{Command, RunState};
use debate_pages::runner::{NotANumber, RunForm, new_run};
use debate_pages::{PageOutcome, new_request_key};

use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid};
use crate::extract::Parse;
use crate::pages::browser::Browser;
use crate::pages::form::Form;

pub(crate) async fn show_form(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    browser: Browser,
) -> Response {
    let form = RunForm::with_defaults(runner.defaults());
    browser.respond(new_run(&browser.request, &runner, &settings.prices, form, None))
}

pub(crate) async fn create(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    form: Form,
) -> Response {
    let values = RunForm::from_fields(form.request_key(), |name| form.text(name));
    let outcome = if form.text("step") == "cost" {
        new_run(&form.browser.request, &runner, &settings.prices, values, None)
    } else {
        let created = create_and_start(&runner, &settings, &values).await;
        created.unwrap_or_else(|refusal| show_again(&runner, &settings, &form, values, &refusal))
    };
    form.browser.respond(outcome)
}

fn show_again(
    runner: &Runner,
    settings: &Settings,
    form: &Form,
    mut values: RunForm,
    refusal: &ErrorResponse,
) -> PageOutcome {
    // With the key of another request the server would refuse the form again.
    if refusal.is_key_reused() {
        values.request_key = new_request_key();
    }
    let request = &form.browser.request;
    new_run(request, runner, &settings.prices, values, Some(&refusal.report()))
}

/// Creates the run and starts it. A form that is sent again leads to the same run, and starts it if
/// it was not started.
async fn create_and_start(
    runner: &Runner,
    settings: &Settings,
    values: &RunForm,
) -> Result<PageOutcome, ErrorResponse> {
    let body =
        values.body().map_err(|NotANumber(field)| Invalid::new(field, "must be a whole number"))?;
    let new_run = body.parse(settings)?;
    let key = RequestKey::new(values.request_key.clone())
        .map_err(|err| Invalid::new("client_request_id", err))?;
    let (CreatedRun::Fresh(run) | CreatedRun::Replayed(run)) =
        runner.create(new_run.topic, new_run.settings, Some(key)).await?;
    // A run that was stopped in the meantime stays stopped.
    if run.state == RunState::Created {
        match runner.command(run.id, Command::Start).await {
            Ok(_) | Err(RunnerError::Refused(_)) => {}
            Err(err) => return Err(err.into()),
        }
    }
    Ok(PageOutcome::MovedTo(format!("/runs/{}", run.id)))
}
