//! JSON answers of models: the verdict of a judge and the assessment of a classifier.

use debate_core::forum::guardrail::{Assessment, Decision, HarmRisk, NotAnAssessment};
use debate_core::runner::{NotAVerdict, Verdict, Winner};
use serde::Deserialize;
use serde_json::{Number, Value};

/// The keys of a verdict. Another key makes the answer invalid: a debater may have caused it.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct VerdictBody {
    summary: String,
    score_a: Number,
    score_b: Number,
    winner: String,
    no_new_substantive_arguments: bool,
}

/// Parses the whole answer of a judge: the object itself, or the object in one code fence. Text
/// around it is an error, because an object within text may be a quotation.
pub fn parse_verdict(answer: &str) -> Result<Verdict, NotAVerdict> {
    // A struct refuses two equal keys; a map would keep the last of them.
    let body: VerdictBody =
        serde_json::from_str(strip_code_fence(answer.trim())).map_err(|_| NotAVerdict::Shape)?;
    let scores = [points(&body.score_a)?, points(&body.score_b)?];
    // Prompts name the sides A and B.
    let winner = Winner::from_name(&body.winner.to_ascii_lowercase()).ok_or(NotAVerdict::Winner)?;
    Verdict::new(&body.summary, scores, winner, body.no_new_substantive_arguments)
}

/// Whole points; `7.0` counts as 7.
fn points(number: &Number) -> Result<u8, NotAVerdict> {
    let whole = Value::from(number.clone());
    if let Some(points) = whole.as_u64() {
        return u8::try_from(points).map_err(|_| NotAVerdict::Score);
    }
    (0..=u8::MAX)
        .find(|points| whole.as_f64() == Some(f64::from(*points)))
        .ok_or(NotAVerdict::Score)
}

/// The keys of an assessment. Another key makes the answer invalid.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct AssessmentBody {
    alignment_score: f64,
    harm_risk: String,
    decision: String,
    reasoning: String,
}

/// Parses the whole answer of a classifier, by the same rules as [`parse_verdict`].
pub fn parse_assessment(answer: &str) -> Result<Assessment, NotAnAssessment> {
    let body: AssessmentBody = serde_json::from_str(strip_code_fence(answer.trim()))
        .map_err(|_| NotAnAssessment::Shape)?;
    let risk = HarmRisk::from_name(&body.harm_risk).ok_or(NotAnAssessment::Risk)?;
    let decision = Decision::from_name(&body.decision).ok_or(NotAnAssessment::Decision)?;
    Assessment::new(body.alignment_score, risk, decision, &body.reasoning)
}

/// The content of a code fence around the whole answer, or else the answer.
fn strip_code_fence(answer: &str) -> &str {
    let inside = answer.strip_prefix("```").and_then(|rest| rest.strip_suffix("```"));
    match inside.and_then(|inside| inside.split_once('\n')) {
        Some((language, inside)) if ["", "json"].contains(&language.trim()) => inside.trim(),
        Some(_) | None => answer,
    }
}
