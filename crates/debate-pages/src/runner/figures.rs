//! The figures of a run: limits, usage, cost, and the scores of its rounds as a chart.

use std::fmt::Write;

use debate_core::runner::{Call, CallStatus, Judgement, Run, Score, Turn};
use debate_render::visible;
use debate_wire::runner as wire;

use super::view::{actor_label, winner_label};
use crate::time::Time;

/// The number of calls on a page. The API returns all of them.
pub(super) const CALLS_MAX: usize = 200;

/// A limit of a run and its usage.
pub(crate) struct LimitUsage {
    pub(crate) id: &'static str,
    pub(crate) name: &'static str,
    pub(crate) used: u64,
    pub(crate) max: u64,
    pub(crate) unit: &'static str,
}

pub(super) fn limit_usage(run: &Run) -> [LimitUsage; 3] {
    let settings = &run.settings;
    let tokens = settings.max_total_output_tokens.number();
    let seconds = settings.max_runtime_seconds.number();
    let usage =
        |id, name, used: u64, max: u32, unit| LimitUsage { id, name, used, max: max.into(), unit };
    [
        usage(
            "rounds",
            "Rounds",
            run.completed_rounds.into(),
            settings.max_rounds.number(),
            "complete",
        ),
        usage("tokens", "Output tokens", run.spent, tokens, "used"),
        usage("seconds", "Running time", run.ran.as_secs(), seconds, "seconds"),
    ]
}

/// The cost of all calls.
pub(crate) struct RunCost {
    pub(crate) prompt: u64,
    pub(crate) completion: u64,
    pub(crate) calls: u64,
    pub(crate) unknown_calls: u64,
    pub(crate) models: Vec<ModelCost>,
    /// The sum, where every model has a price.
    pub(crate) money: Option<String>,
}

/// The cost of the calls to one model.
pub(crate) struct ModelCost {
    pub(crate) model: String,
    pub(crate) calls: u64,
    pub(crate) prompt: u64,
    pub(crate) completion: u64,
    pub(crate) money: Option<String>,
}

impl From<wire::Cost> for RunCost {
    fn from(cost: wire::Cost) -> Self {
        let model = |model: wire::ModelCost| ModelCost {
            model: visible::line(&model.model),
            calls: model.calls,
            prompt: model.prompt_tokens,
            completion: model.completion_tokens,
            money: model.money.as_ref().map(format_money),
        };
        Self {
            prompt: cost.prompt_tokens,
            completion: cost.completion_tokens,
            calls: cost.calls,
            unknown_calls: cost.unknown_calls,
            models: cost.by_model.into_iter().map(model).collect(),
            money: cost.money.as_ref().map(format_money),
        }
    }
}

impl RunCost {
    /// Whether a model has a price.
    pub(crate) fn is_priced(&self) -> bool {
        self.models.iter().any(|model| model.money.is_some())
    }
}

fn format_money(money: &wire::Money) -> String {
    format!("{} {}", money.amount, money.currency)
}

/// One call to a model.
pub(crate) struct CallRow {
    pub(crate) round: u32,
    /// The name of the role in the API.
    pub(crate) actor: &'static str,
    pub(crate) role: &'static str,
    pub(crate) number: u32,
    pub(crate) model: String,
    pub(crate) started: Time,
    pub(crate) class: &'static str,
    pub(crate) outcome: &'static str,
    /// The tokens that are charged: the maximum if the provider did not report them.
    pub(crate) tokens: u32,
    pub(crate) is_reported: bool,
}

/// The newest calls, at most [`CALLS_MAX`].
pub(super) fn call_rows(calls: &[Call]) -> Vec<CallRow> {
    let newest = calls.get(calls.len().saturating_sub(CALLS_MAX)..).unwrap_or_default();
    newest.iter().map(CallRow::from).collect()
}

impl From<&Call> for CallRow {
    fn from(call: &Call) -> Self {
        let (class, outcome) = match call.status {
            CallStatus::InFlight => ("soft", "in progress"),
            CallStatus::Ok => ("", "ok"),
            CallStatus::Error => ("danger", "failed"),
            CallStatus::Unknown => ("danger", "unknown"),
        };
        Self {
            round: call.cursor.round.number(),
            actor: call.cursor.actor.name(),
            role: actor_label(call.cursor.actor),
            number: call.number,
            model: visible::line(&call.model.to_string()),
            started: Time(call.started_at),
            class,
            outcome,
            tokens: call.charged_tokens(),
            is_reported: call.usage.completion_tokens.is_some(),
        }
    }
}

const LEFT: u32 = 28;
const TOP: u32 = 10;
/// The height of one point, in pixels.
const POINT: u32 = 11;
/// The distance between two rounds, in pixels, if there is room.
const STEP: u32 = 56;
/// The maximum width of the drawing, in pixels.
const WIDTH_MAX: u32 = 640;

/// A judge's scores for a round.
pub(crate) struct RoundScore {
    pub(crate) round: u32,
    pub(crate) score_a: u8,
    pub(crate) score_b: u8,
    pub(crate) winner: &'static str,
    /// Whether the verdict is valid; others are not drawn.
    pub(crate) is_valid: bool,
}

/// The scores of all rounds as a drawing.
pub(crate) struct Chart {
    pub(crate) rounds: Vec<RoundScore>,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) lines: Vec<GridLine>,
    /// The corners of each side's polyline.
    pub(crate) path_a: String,
    pub(crate) path_b: String,
    pub(crate) marks: Vec<RoundMark>,
}

/// A horizontal line with its score.
pub(crate) struct GridLine {
    pub(crate) y: u32,
    pub(crate) points: u8,
}

/// A round in the drawing.
pub(crate) struct RoundMark {
    pub(crate) x: u32,
    pub(crate) y_a: u32,
    pub(crate) y_b: u32,
    /// The label below it; none without room.
    pub(crate) label: Option<u32>,
}

impl Chart {
    /// None without a verdict.
    pub(super) fn new(turns: &[Turn]) -> Option<Self> {
        let rounds: Vec<RoundScore> = turns.iter().filter_map(round_score).collect();
        let first = rounds.first()?.round;
        let last = rounds.last()?.round;
        let span = last.saturating_sub(first);
        let step = WIDTH_MAX.checked_div(span).map_or(STEP, |room| room.clamp(1, STEP));
        let width = LEFT * 3 + step * span;
        let every = if step >= 20 { 1 } else { 10 };
        let drawn = rounds.iter().filter(|round| round.is_valid);
        let marks: Vec<RoundMark> = drawn
            .map(|round| RoundMark {
                x: LEFT * 2 + step * round.round.saturating_sub(first),
                y_a: y_of_score(round.score_a),
                y_b: y_of_score(round.score_b),
                label: (round.round % every == 0 || span == 0).then_some(round.round),
            })
            .collect();
        Some(Self {
            width: width.max(LEFT * 6),
            height: y_of_score(0) + 24,
            lines: [0, 5, Score::MOST]
                .map(|points| GridLine { y: y_of_score(points), points })
                .into(),
            path_a: path(marks.iter().map(|mark| (mark.x, mark.y_a))),
            path_b: path(marks.iter().map(|mark| (mark.x, mark.y_b))),
            marks,
            rounds,
        })
    }
}

fn round_score(turn: &Turn) -> Option<RoundScore> {
    let judgement = turn.metadata.judgement.as_ref()?;
    let verdict = judgement.verdict();
    Some(RoundScore {
        round: turn.cursor.round.number(),
        score_a: verdict.score_a.points(),
        score_b: verdict.score_b.points(),
        winner: winner_label(verdict.winner),
        is_valid: Judgement::is_valid(judgement),
    })
}

fn y_of_score(points: u8) -> u32 {
    TOP + POINT * u32::from(Score::MOST.saturating_sub(points))
}

fn path(corners: impl Iterator<Item = (u32, u32)>) -> String {
    corners.fold(String::new(), |mut text, (x, y)| {
        let gap = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{gap}{x},{y}");
        text
    })
}
