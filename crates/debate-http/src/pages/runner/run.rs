//! The page of a run: turns, verdicts, cost and commands.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::runner::Runner;
use debate_core::runner::{Actor, JudgeMode, RunSettings as Rules};
use debate_core::{RunId, Seq};
use debate_render::visible;

use super::commands;
use super::run_view::{RunView, read};
use super::view::{name, side};
use crate::app_state::Settings;
use crate::extract::PathId;
use crate::pages::page::{Frame, Section, Visitor};
use crate::pages::query::QueryParams;
use crate::problem::{Invalid, Problem};

#[derive(Template)]
#[template(path = "pages/runner/run.html")]
struct RunPage {
    frame: Frame,
    view: RunView,
    participants: Vec<Participant>,
    language: String,
    judge: &'static str,
    /// The notice about a refused command.
    notice: Option<String>,
}

/// Someone in the debate, and which model that is.
struct Participant {
    who: &'static str,
    side: Option<&'static str>,
    model: String,
}

/// New turns of an open page, and its changed parts.
#[derive(Template)]
#[template(path = "pages/runner/turns.html")]
struct NewTurns {
    view: RunView,
}

/// `GET /runs/{id}`
pub(crate) async fn run(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    PathId(run): PathId<RunId>,
    visitor: Visitor,
    asked: QueryParams,
) -> Result<Response, Problem> {
    let found = read(&runner, run, Seq::START, &settings.prices, visitor.form_token()).await?;
    let (story, view) = found.ok_or_else(Problem::no_such_route)?;
    let late = asked.text("late");
    let notice = late.and_then(|command| commands::refusal_notice(story.run.state, &command));
    let frame = visitor.frame(Section::Runner, view.run.title.clone());
    Ok(visitor.page(&page(frame, view, &story.run.settings, notice)))
}

fn page(frame: Frame, view: RunView, rules: &Rules, notice: Option<String>) -> RunPage {
    let place = |actor| Participant {
        who: name(actor),
        side: side(rules, actor),
        model: visible::line(&rules.model_for(actor).to_string()),
    };
    RunPage {
        frame,
        view,
        participants: Actor::ALL.into_iter().map(place).collect(),
        language: rules.output_language.tag().to_owned(),
        judge: match rules.judge_mode {
            JudgeMode::Round => "After every round",
            JudgeMode::End => "Once, at the end",
        },
        notice,
    }
}

/// `GET /runs/{id}/turns`
pub(crate) async fn turns(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    PathId(run): PathId<RunId>,
    visitor: Visitor,
    asked: QueryParams,
) -> Result<Response, Problem> {
    let nowhere = || Invalid::new("after", "must be a position (`seq`) in the run");
    let after = asked.text("after").and_then(|text| text.parse().ok()).ok_or_else(nowhere)?;
    let after = Seq::new(after);
    let found = read(&runner, run, after, &settings.prices, visitor.form_token()).await?;
    let (_, view) = found.ok_or_else(nowhere)?;
    Ok(visitor.page(&NewTurns { view }))
}
