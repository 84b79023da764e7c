//! One debate that runs itself: what was said, what was decided, what it cost, what can be done.

use std::sync::Arc;

use askama::Template;
use axum::extract::State;
use axum::response::Response;
use debate_app::runner::Runner;
use debate_core::runner::{Actor, JudgeMode, Settings as Rules};
use debate_core::{RunId, Seq};

use super::act;
use super::sight::{Sight, read};
use super::view::{name, side};
use crate::edge::Settings;
use crate::parsed::InPath;
use crate::problem::{Invalid, Problem};
use crate::web::page::{Frame, Part, Visitor};
use crate::web::query::Asked;
use crate::web::signs;

#[derive(Template)]
#[template(path = "web/runs/run.html")]
struct RunPage {
    frame: Frame,
    sight: Sight,
    seats: Vec<Place>,
    language: String,
    judge: &'static str,
    /// What could not be done.
    notice: Option<String>,
}

/// Someone in the debate, and which model that is.
struct Place {
    who: &'static str,
    side: Option<&'static str>,
    model: String,
}

/// What a page that is already open has not shown yet, and what has changed on it.
#[derive(Template)]
#[template(path = "web/runs/turns.html")]
struct News {
    sight: Sight,
}

/// `GET /runs/{id}`
pub(crate) async fn run(
    State(runner): State<Runner>,
    State(settings): State<Arc<Settings>>,
    InPath(run): InPath<RunId>,
    visitor: Visitor,
    asked: Asked,
) -> Result<Response, Problem> {
    let found = read(&runner, run, Seq::START, &settings.prices, visitor.form_token()).await?;
    let (story, sight) = found.ok_or_else(Problem::no_such_route)?;
    let late = asked.text("late");
    let notice = late.and_then(|command| act::too_late(story.run.standing, &command));
    let frame = visitor.frame(Part::Runs, sight.run.title.clone());
    Ok(visitor.page(&page(frame, sight, &story.run.settings, notice)))
}

fn page(frame: Frame, sight: Sight, rules: &Rules, notice: Option<String>) -> RunPage {
    let place = |actor| Place {
        who: name(actor),
        side: side(rules, actor),
        model: signs::line(&rules.model_of(actor).to_string()),
    };
    RunPage {
        frame,
        sight,
        seats: Actor::ALL.into_iter().map(place).collect(),
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
    InPath(run): InPath<RunId>,
    visitor: Visitor,
    asked: Asked,
) -> Result<Response, Problem> {
    let nowhere = || Invalid::new("after", "must be a position (`seq`) in the run");
    let after = asked.text("after").and_then(|text| text.parse().ok()).ok_or_else(nowhere)?;
    let after = Seq::new(after);
    let found = read(&runner, run, after, &settings.prices, visitor.form_token()).await?;
    let (_, sight) = found.ok_or_else(nowhere)?;
    Ok(visitor.page(&News { sight }))
}
