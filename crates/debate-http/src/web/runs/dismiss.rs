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
        question: "Cancel this debate?",
        action: "cancel",
        effect: "The debate is given up for good: a call to a model that is on its way is broken \
                 off, and nobody can let it go on. What was said stays. This can’t be taken back.",
        button: "Cancel it for good",
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
        question: "Delete this debate?",
        action: "delete",
        effect: "The debate and all that was said in it are forgotten for good, also if it runs. \
                 What it cost stays paid. This can’t be taken back.",
        button: "Delete it for good",
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
