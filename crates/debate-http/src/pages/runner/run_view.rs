//! Everything that changes on a debate's page while it runs.

use debate_app::runner::{Runner, RunnerError, Story};
use debate_core::runner::{Call, Prices};
use debate_core::{RunId, Seq};

use super::chart::Chart;
use super::commands::{CommandButton, buttons};
use super::figures::{Attempts, Budget, Costs, budgets};
use super::turn::Entry;
use super::view::{Row, sentence};

/// A debate as someone sees it who has seen everything up to a place.
pub(crate) struct RunView {
    pub(crate) run: Row,
    /// The whole topic, where the title is only a part of it.
    pub(crate) topic: Option<String>,
    pub(crate) sentence: String,
    pub(crate) buttons: Vec<CommandButton>,
    pub(crate) entries: Vec<Entry>,
    /// The last place there is.
    pub(crate) last: Seq,
    pub(crate) chart: Option<Chart>,
    pub(crate) budgets: [Budget; 3],
    pub(crate) costs: Costs,
    pub(crate) attempts: Attempts,
    pub(crate) form_token: String,
}

/// Reads a debate; none if it has no place `after`.
pub(super) async fn read(
    runner: &Runner,
    run: RunId,
    after: Seq,
    prices: &Prices,
    form_token: &str,
) -> Result<Option<(Story, RunView)>, RunnerError> {
    let story = runner.story(run).await?;
    let last = story.turns.last().map_or(Seq::START, |turn| turn.seq);
    if after > last {
        return Ok(None);
    }
    let calls = runner.calls(run).await?;
    let (prices, form_token) = (prices.clone(), form_token.to_owned());
    // Rendering takes a moment for every turn; those who wait for other things don't.
    let rendering = move || {
        let view = RunView::of(&story, &calls, after, &prices, form_token);
        (story, view)
    };
    let rendered = tokio::task::spawn_blocking(rendering).await;
    Ok(Some(rendered.expect("rendering does not panic")))
}

impl RunView {
    fn of(story: &Story, calls: &[Call], after: Seq, prices: &Prices, form_token: String) -> Self {
        let Story { run, turns, costs } = story;
        let row = Row::from(run);
        let topic = debate_render::visible::block(run.topic.as_str());
        let newer = turns.iter().filter(|turn| turn.seq > after);
        Self {
            topic: (topic != row.title).then_some(topic),
            run: row,
            sentence: sentence(run),
            buttons: buttons(run.state),
            entries: newer.map(|turn| Entry::new(turn, &run.settings)).collect(),
            last: turns.last().map_or(Seq::START, |turn| turn.seq),
            chart: Chart::of(turns),
            budgets: budgets(run),
            costs: Costs::of(costs, prices),
            attempts: Attempts::of(calls),
            form_token,
        }
    }
}
