//! The judge's scores by round, as an SVG drawing and as a table.
//!
//! The drawing contains numbers only: no text of participants and no style.

use std::fmt::Write;

use debate_core::runner::{Judgement, Score, Turn};

use super::turn::winner_label;

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
