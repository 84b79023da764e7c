//! The page of a run: turns, verdicts, cost and commands. New turns of an open page are read and
//! rendered without the turns before them.

use askama::Template;
use debate_app::runner::{RunChanges, Story};
use debate_core::Seq;
use debate_core::runner::{Actor, Call, JudgeMode, Run, RunSettings, Turn};
use debate_render::visible;
use debate_wire::runner as wire;

use super::commands::{CommandButton, buttons, refusal_notice};
use super::figures::{CALLS_MAX, CallRow, Chart, LimitUsage, RunCost, call_rows, limit_usage};
use super::view::{RunRow, TurnEntry, label_with_side, status_sentence};
use crate::frame::{Frame, PageRequest, Section};
use crate::outcome::PageOutcome;

#[derive(Template)]
#[template(path = "runner/run.html")]
struct RunDetailPage {
    frame: Frame,
    form_token: String,
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
    role: String,
    model: String,
}

/// New turns and the changed parts of an open page, which its script inserts.
#[derive(Template)]
#[template(path = "runner/turns.html")]
struct NewTurnsFragment {
    view: RunView,
    form_token: String,
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
    calls: Vec<CallRow>,
    calls_max: u64,
}

impl RunView {
    /// The view with `turns`, the newest of which is at `last`. The chart shows `judge_turns`.
    fn new(run: &Run, last: Seq, turns: &[Turn], judge_turns: &[Turn], usage: RunUsage) -> Self {
        Self {
            run: RunRow::from(run),
            sentence: status_sentence(run),
            buttons: buttons(run.state),
            entries: turns.iter().map(|turn| TurnEntry::new(turn, &run.settings)).collect(),
            last,
            chart: Chart::new(judge_turns),
            limits: limit_usage(run),
            cost: usage.cost.into(),
            calls: call_rows(&usage.calls),
            calls_max: u64::try_from(CALLS_MAX).unwrap_or(u64::MAX),
        }
    }
}

/// The calls of a run and their cost.
#[derive(Debug)]
pub struct RunUsage {
    /// The calls that the page shows, in the order of the turns.
    pub calls: Vec<Call>,
    /// The cost of all calls.
    pub cost: wire::Cost,
}

/// The page of a run. `refused_command` is the name of a command that the run did not accept.
pub async fn run(
    request: &PageRequest,
    story: Story,
    usage: RunUsage,
    refused_command: Option<String>,
) -> PageOutcome {
    let request = request.clone();
    render_blocking(move || {
        let Story { run, turns, .. } = story;
        let last = turns.last().map_or(Seq::START, |turn| turn.seq);
        let view = RunView::new(&run, last, &turns, &turns, usage);
        let notice = refused_command.and_then(|name| refusal_notice(run.state, &name));
        request.render(&detail_page(&request, view, &run, notice))
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
        role: label_with_side(settings, actor),
        model: visible::line(&settings.model_for(actor).to_string()),
    };
    let topic = visible::block(run.topic.as_str());
    RunDetailPage {
        frame: request.frame(Section::Runner, view.run.title.clone()),
        form_token: request.form_token.clone(),
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

/// The turns after a position and the changed parts of the page. Without a new verdict the chart is
/// left out.
pub async fn new_turns(request: &PageRequest, changes: RunChanges, usage: RunUsage) -> PageOutcome {
    let request = request.clone();
    render_blocking(move || {
        let RunChanges { turns, judge_turns, .. } = changes;
        let view = RunView::new(&turns.run, turns.last, &turns.newer, &judge_turns, usage);
        let form_token = request.form_token.clone();
        request.render(&NewTurnsFragment { view, form_token })
    })
    .await
}

/// Rendering blocks, and other requests must not wait for it.
async fn render_blocking(render: impl FnOnce() -> String + Send + 'static) -> PageOutcome {
    let html = tokio::task::spawn_blocking(render).await.expect("rendering does not panic");
    PageOutcome::Shown(html)
}
