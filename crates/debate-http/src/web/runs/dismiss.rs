//! Giving a debate up, and forgetting it: each after a second thought.

use askama::Template;
use axum::extract::State;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::runner::{Runner, RunnerError};
use debate_core::RunId;
use debate_core::runner::Command;

use super::act;
use super::view::Row;
use crate::parsed::InPath;
use crate::problem::Problem;
use crate::web::form::Form;
use crate::web::page::{Frame, Part, Visitor};

/// The question before it is done.
#[derive(Template)]
#[template(path = "web/runs/dismiss.html")]
struct QuestionPage {
    frame: Frame,
    run: Row,
    question: &'static str,
    /// Where the form leads.
    action: &'static str,
    effect: &'static str,
    button: &'static str,
}

/// `GET /runs/{id}/cancel`
pub(crate) async fn cancellation(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let run = Row::from(&runner.story(run).await?.run);
    Ok(visitor.page(&QuestionPage {
        frame: visitor.frame(Part::Runs, format!("Cancel: {}", run.title)),
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
    InPath(run): InPath<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    Ok(act::done(&runner, run, Command::Cancel).await?)
}

/// `GET /runs/{id}/delete`
pub(crate) async fn deletion(
    State(runner): State<Runner>,
    InPath(run): InPath<RunId>,
    visitor: Visitor,
) -> Result<Response, Problem> {
    let run = Row::from(&runner.story(run).await?.run);
    Ok(visitor.page(&QuestionPage {
        frame: visitor.frame(Part::Runs, format!("Delete: {}", run.title)),
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
    InPath(run): InPath<RunId>,
    _form: Form,
) -> Result<Response, Problem> {
    match runner.delete(run).await {
        // Gone is gone, also for the second click.
        Ok(()) | Err(RunnerError::NoSuchRun(_)) => {
            Ok(Redirect::to("/runs?deleted=1").into_response())
        }
        Err(err) => Err(err.into()),
    }
}
