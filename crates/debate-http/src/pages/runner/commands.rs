//! Commands to a run, with confirmations of those that cannot be undone.

use axum::extract::State;
use axum::response::Response;
use debate_app::runner::{Runner, RunnerError};
use debate_core::RunId;
use debate_core::runner::{Command, Run};
use debate_pages::{PageOutcome, PageRequest, runner as pages};

use crate::error::ErrorResponse;
use crate::extract::PathId;
use crate::pages::browser::Browser;
use crate::pages::form::Form;

pub(crate) async fn start(
    runner: State<Runner>,
    run: PathId<RunId>,
    form: Form,
) -> Result<Response, ErrorResponse> {
    execute(runner, run, form, Command::Start).await
}

pub(crate) async fn resume(
    runner: State<Runner>,
    run: PathId<RunId>,
    form: Form,
) -> Result<Response, ErrorResponse> {
    execute(runner, run, form, Command::Resume).await
}

pub(crate) async fn retry(
    runner: State<Runner>,
    run: PathId<RunId>,
    form: Form,
) -> Result<Response, ErrorResponse> {
    execute(runner, run, form, Command::Retry).await
}

pub(crate) async fn stop(
    runner: State<Runner>,
    run: PathId<RunId>,
    form: Form,
) -> Result<Response, ErrorResponse> {
    execute(runner, run, form, Command::Stop).await
}

pub(crate) async fn cancel(
    runner: State<Runner>,
    run: PathId<RunId>,
    form: Form,
) -> Result<Response, ErrorResponse> {
    execute(runner, run, form, Command::Cancel).await
}

async fn execute(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    form: Form,
    command: Command,
) -> Result<Response, ErrorResponse> {
    let outcome = pages::command_outcome(run, command, runner.command(run, command).await)?;
    Ok(form.browser.respond(outcome))
}

pub(crate) async fn confirm_cancellation(
    runner: State<Runner>,
    run: PathId<RunId>,
    browser: Browser,
) -> Result<Response, ErrorResponse> {
    confirm(runner, run, browser, pages::cancellation).await
}

pub(crate) async fn confirm_deletion(
    runner: State<Runner>,
    run: PathId<RunId>,
    browser: Browser,
) -> Result<Response, ErrorResponse> {
    confirm(runner, run, browser, pages::deletion).await
}

async fn confirm(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    browser: Browser,
    page: fn(&PageRequest, &Run) -> PageOutcome,
) -> Result<Response, ErrorResponse> {
    let run = runner.run(run).await?;
    Ok(browser.respond(page(&browser.request, &run)))
}

pub(crate) async fn delete(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    form: Form,
) -> Result<Response, ErrorResponse> {
    match runner.delete(run).await {
        // A repeated request succeeds too.
        Ok(()) | Err(RunnerError::UnknownRun(_)) => {
            Ok(form.browser.respond(PageOutcome::MovedTo("/runs?deleted=1".to_owned())))
        }
        Err(err) => Err(err.into()),
    }
}
