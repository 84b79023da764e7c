//! A classifier's answer, read: one JSON object of four keys, or nothing.

use debate_core::forum::guardrail::{Assessment, Decision, HarmRisk, NotAnAssessment};
use serde::Deserialize;

use crate::unfenced::unfenced;

/// The four keys and no other: whatever a text talked the model into adding makes it no
/// assessment.
#[derive(Deserialize)]
#[serde(deny_unknown_fields)]
struct Written {
    alignment_score: f64,
    harm_risk: String,
    decision: String,
    reasoning: String,
}

/// Reads a classifier's whole answer: the object itself, or the object in one code fence. Words
/// around it are not passed over, since an object somewhere among words may be one that the text
/// itself brought.
pub fn read_assessment(answer: &str) -> Result<Assessment, NotAnAssessment> {
    // A map would quietly keep the last of two equal keys; the struct refuses them.
    let written: Written =
        serde_json::from_str(unfenced(answer.trim())).map_err(|_| NotAnAssessment::Shape)?;
    let risk = HarmRisk::named(&written.harm_risk).ok_or(NotAnAssessment::Risk)?;
    let decision = Decision::named(&written.decision).ok_or(NotAnAssessment::Decision)?;
    Assessment::new(written.alignment_score, risk, decision, &written.reasoning)
}
