//! The page of a run: turns, verdicts, cost and commands. New turns of an open page are read and
//! rendered without the turns before them.

use askama::Template;
use debate_app::runner::Story;
use debate_core::Seq;
use debate_core::runner::{Actor, Call, JudgeMode, Run, RunSettings};
use debate_render::visible;
use debate_wire::runner as wire;

use super::chart::Chart;
use super::commands::{CommandButton, buttons, refusal_notice};
use super::figures::{CallTable, LimitUsage, RunCost, limit_usage};
use super::turn::TurnEntry;
use super::view::{RunRow, actor_label, side, status_sentence};
use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::Outcome;

#[derive(Template)]
#[template(path = "runner/run.html")]
struct RunDetailPage {
    frame: Frame,
    view: RunView,
    /// The whole topic, if the title is only its beginning.
    topic: Option<String>,
    participants: Vec<Participant>,
    language: String,
    judge_mode: &'static str,
    /// The notice about a refused command.
    notice: Option<String>,
}

struct Participant {
    role: &'static str,
    side: Option<&'static str>,
    model: String,
}

/// New turns and the changed parts of an open page, which its script inserts.
#[derive(Template)]
#[template(path = "runner/turns.html")]
struct NewTurnsFragment {
    view: RunView,
}

/// The parts of the page that change while the run is executed.
struct RunView {
    run: RunRow,
    sentence: String,
    buttons: Vec<CommandButton>,
    entries: Vec<TurnEntry>,
    /// The last position of the run.
    last: Seq,
    chart: Option<Chart>,
    limits: [LimitUsage; 3],
    cost: RunCost,
    calls: CallTable,
    form_token: String,
}

impl RunView {
    fn new(story: &Story, calls: &[Call], cost: wire::Cost, after: Seq, form_token: &str) -> Self {
        let Story { run, turns, .. } = story;
        let newer = turns.iter().filter(|turn| turn.seq > after);
        Self {
            run: RunRow::from(run),
            sentence: status_sentence(run),
            buttons: buttons(run.state),
            entries: newer.map(|turn| TurnEntry::new(turn, &run.settings)).collect(),
            last: turns.last().map_or(Seq::START, |turn| turn.seq),
            chart: Chart::new(turns),
            limits: limit_usage(run),
            cost: cost.into(),
            calls: CallTable::new(calls),
            form_token: form_token.to_owned(),
        }
    }
}

/// The page of a run. `refused_command` is the name of a command that the run did not accept.
pub async fn run(
    request: &PageRequest,
    story: Story,
    calls: Vec<Call>,
    cost: wire::Cost,
    refused_command: Option<String>,
) -> Outcome {
    let request = request.clone();
    render_blocking(move || {
        let view = RunView::new(&story, &calls, cost, Seq::START, &request.form_token);
        let notice = refused_command.and_then(|name| refusal_notice(story.run.state, &name));
        request.render(&detail_page(&request, view, &story.run, notice))
    })
    .await
}

fn detail_page(
    request: &PageRequest,
    view: RunView,
    run: &Run,
    notice: Option<String>,
) -> RunDetailPage {
    let settings: &RunSettings = &run.settings;
    let participant = |actor| Participant {
        role: actor_label(actor),
        side: side(settings, actor),
        model: visible::line(&settings.model_for(actor).to_string()),
    };
    let topic = visible::block(run.topic.as_str());
    RunDetailPage {
        frame: request.frame(Section::Runner, view.run.title.clone()),
        topic: (topic != view.run.title).then_some(topic),
        view,
        participants: Actor::ALL.into_iter().map(participant).collect(),
        language: settings.output_language.tag().to_owned(),
        judge_mode: match settings.judge_mode {
            JudgeMode::Round => "After every round",
            JudgeMode::End => "Once, at the end",
        },
        notice,
    }
}

/// The turns after a position; none if the run has no such position.
pub async fn new_turns(
    request: &PageRequest,
    story: Story,
    calls: Vec<Call>,
    cost: wire::Cost,
    after: Seq,
) -> Option<Outcome> {
    let last = story.turns.last().map_or(Seq::START, |turn| turn.seq);
    if after > last {
        return None;
    }
    let request = request.clone();
    let outcome = render_blocking(move || {
        let view = RunView::new(&story, &calls, cost, after, &request.form_token);
        request.render(&NewTurnsFragment { view })
    });
    Some(outcome.await)
}

/// Rendering blocks, and other requests must not wait for it.
async fn render_blocking(render: impl FnOnce() -> String + Send + 'static) -> Outcome {
    let html = tokio::task::spawn_blocking(render).await.expect("rendering does not panic");
    Outcome::Shown(html)
}
