//! Confirmations: cancelling and deleting a run.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::runner::{Runner, RunnerError};
use debate_core::RunId;
use debate_core::runner::Command;

use super::commands;
use super::view::Row;
use crate::extract::PathId;
use crate::pages::form::Form;
use crate::pages::page::{Frame, Section, Visitor};
use crate::problem::Problem;

/// The question before it is done.
#[derive(Template)]
#[template(path = "pages/runner/confirm.html")]
struct QuestionPage {
    frame: Frame,
    run: Row,
    question: &'static str,
    /// The last segment of the form's address.
    action: &'static str,
    effect: &'static str,
    button: &'static str,
}

/// `GET /runs/{id}/cancel`
pub(crate) async fn cancellation(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let run = Row::from(&runner.story(run).await?.run);
    Ok(visitor.page(&QuestionPage {
        frame: visitor.frame(Section::Runner, format!("Cancel: {}", run.title)),
        run,
        question: "Cancel this run?",
        action: "cancel",
        effect: "The run ends permanently and cannot be resumed. A model call in progress is \
                 aborted. Saved turns are kept. This cannot be undone.",
        button: "Cancel run",
    }))
}

/// `POST /runs/{id}/cancel`
pub(crate) async fn cancel(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(commands::run_command(&runner, run, Command::Cancel).await?)
}

/// `GET /runs/{id}/delete`
pub(crate) async fn deletion(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let run = Row::from(&runner.story(run).await?.run);
    Ok(visitor.page(&QuestionPage {
        frame: visitor.frame(Section::Runner, format!("Delete: {}", run.title)),
        run,
        question: "Delete this run?",
        action: "delete",
        effect: "The run and all its turns are deleted permanently, even if it is still running. \
                 Calls already made are still charged. This cannot be undone.",
        button: "Delete permanently",
    }))
}

/// `POST /runs/{id}/delete`
pub(crate) async fn delete(
    State(runner): State<Runner>,
    PathId(run): PathId<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    match runner.delete(run).await {
        // A repeated request succeeds too.
        Ok(()) | Err(RunnerError::NoSuchRun(_)) => {
            Ok(Redirect::to("/runs?deleted=1").into_response())
        }
        Err(err) => Err(err.into()),
    }
}
