//! The judge's points, round by round, as a drawing and as a table.
//!
//! The drawing is made of numbers alone: no text of anybody is in it, and no style either.

use std::fmt::Write;

use debate_core::runner::{Judgement, Score, Turn};

use super::turn::winner;

const LEFT: u32 = 28;
const TOP: u32 = 10;
/// The height of one point.
const POINT: u32 = 11;
/// The distance between two rounds, if there is room.
const STEP: u32 = 56;
/// The maximum width.
const WIDTH_MAX: u32 = 640;

/// A judge's points for a round.
pub(crate) struct Scored {
    pub(crate) round: u32,
    pub(crate) score_a: u8,
    pub(crate) score_b: u8,
    pub(crate) winner: &'static str,
    /// Whether the verdict is valid; others are not drawn.
    pub(crate) is_valid: bool,
}

/// The scores of all rounds as a drawing.
pub(crate) struct Chart {
    pub(crate) rounds: Vec<Scored>,
    pub(crate) width: u32,
    pub(crate) height: u32,
    pub(crate) lines: Vec<Line>,
    /// The corners of each side's polyline.
    pub(crate) path_a: String,
    pub(crate) path_b: String,
    pub(crate) dots: Vec<Dot>,
}

/// A line across, with its number.
pub(crate) struct Line {
    pub(crate) y: u32,
    pub(crate) points: u8,
}

/// A round in the drawing.
pub(crate) struct Dot {
    pub(crate) x: u32,
    pub(crate) y_a: u32,
    pub(crate) y_b: u32,
    /// The label below it; none without room.
    pub(crate) label: Option<u32>,
}

impl Chart {
    /// None as long as no judge has spoken.
    pub(super) fn of(turns: &[Turn]) -> Option<Self> {
        let rounds: Vec<Scored> = turns.iter().filter_map(scored).collect();
        let first = rounds.first()?.round;
        let last = rounds.last()?.round;
        let span = last.saturating_sub(first);
        let step = WIDTH_MAX.checked_div(span).map_or(STEP, |room| room.clamp(1, STEP));
        let width = LEFT * 3 + step * span;
        let every = if step >= 20 { 1 } else { 10 };
        let drawn = rounds.iter().filter(|scored| scored.is_valid);
        let dots: Vec<Dot> = drawn
            .map(|scored| Dot {
                x: LEFT * 2 + step * scored.round.saturating_sub(first),
                y_a: height_of(scored.score_a),
                y_b: height_of(scored.score_b),
                label: (scored.round % every == 0 || span == 0).then_some(scored.round),
            })
            .collect();
        Some(Self {
            width: width.max(LEFT * 6),
            height: height_of(0) + 24,
            lines: [0, 5, Score::MOST].map(|points| Line { y: height_of(points), points }).into(),
            path_a: path(dots.iter().map(|dot| (dot.x, dot.y_a))),
            path_b: path(dots.iter().map(|dot| (dot.x, dot.y_b))),
            dots,
            rounds,
        })
    }
}

fn scored(turn: &Turn) -> Option<Scored> {
    let judgement = turn.metadata.judgement.as_ref()?;
    let verdict = judgement.verdict();
    Some(Scored {
        round: turn.cursor.round.number(),
        score_a: verdict.score_a.points(),
        score_b: verdict.score_b.points(),
        winner: winner(verdict.winner),
        is_valid: Judgement::is_valid(judgement),
    })
}

fn height_of(points: u8) -> u32 {
    TOP + POINT * u32::from(Score::MOST.saturating_sub(points))
}

fn path(corners: impl Iterator<Item = (u32, u32)>) -> String {
    corners.fold(String::new(), |mut text, (x, y)| {
        let gap = if text.is_empty() { "" } else { " " };
        let _ = write!(text, "{gap}{x},{y}");
        text
    })
}
