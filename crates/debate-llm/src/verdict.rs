//! A judge's answer, read: one JSON object of five keys, or nothing.

use debate_core::runner::{NotAVerdict, Verdict, Winner};
use serde::Deserialize;
use serde_json::{Number, Value};

use crate::unfenced::unfenced;

/// The five keys and no other: whatever a debater talked a judge into adding makes it no verdict.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    summary: String,
    score_a: Number,
    score_b: Number,
    winner: String,
    no_new_substantive_arguments: bool,
}

/// Reads a judge's whole answer: the object itself, or the object in one code fence. Words around
/// it are not passed over, since an object somewhere among words may be one that was quoted.
pub fn read_verdict(answer: &str) -> Result<Verdict, NotAVerdict> {
    // A map would quietly keep the last of two equal keys; the struct refuses them.
    let written: Written =
        serde_json::from_str(unfenced(answer.trim())).map_err(|_| NotAVerdict::Shape)?;
    let scores = [points(&written.score_a)?, points(&written.score_b)?];
    // The judge knows the sides as A and B, so either case is what it means.
    let winner = Winner::named(&written.winner.to_ascii_lowercase()).ok_or(NotAVerdict::Winner)?;
    Verdict::new(&written.summary, scores, winner, written.no_new_substantive_arguments)
}

/// Whole points; `7.0` is 7.
fn points(number: &Number) -> Result<u8, NotAVerdict> {
    let whole = Value::from(number.clone());
    if let Some(points) = whole.as_u64() {
        return u8::try_from(points).map_err(|_| NotAVerdict::Score);
    }
    (0..=u8::MAX)
        .find(|points| whole.as_f64() == Some(f64::from(*points)))
        .ok_or(NotAVerdict::Score)
}
