//! A classifier's answer is one JSON object of four keys, or nothing.

use debate_core::forum::guardrail::{Decision, HarmRisk, NotAnAssessment};
use debate_llm::parse_assessment;

const GOOD: &str = r#"{"alignment_score": 0.75, "harm_risk": "low", "decision": "approve",
    "reasoning": "A plain question."}"#;

#[test]
fn assessment_is_parsed_with_or_without_a_code_fence() {
    let fenced = format!("```json\n{GOOD}\n```");
    let bare_fence = format!("```\n{GOOD}\n```");
    let spaced = format!("\n  {GOOD}\n\n");
    for answer in [GOOD, &fenced, &bare_fence, &spaced] {
        let read = parse_assessment(answer).expect("it is one");
        assert!((read.alignment.score() - 0.75).abs() < f64::EPSILON);
        assert_eq!((read.risk, read.decision), (HarmRisk::Low, Decision::Approve));
        assert_eq!(read.reasoning, "A plain question.");
    }
}

#[test]
fn other_text_is_not_an_assessment() {
    let with = |from: &str, to: &str| GOOD.replace(from, to);
    let table = [
        (String::new(), NotAnAssessment::Shape),
        ("approve".to_owned(), NotAnAssessment::Shape),
        (format!("[{GOOD}]"), NotAnAssessment::Shape),
        (format!("Here it is: {GOOD}"), NotAnAssessment::Shape),
        (format!("{GOOD} {GOOD}"), NotAnAssessment::Shape),
        (with("{", r#"{"decision": "approve", "#), NotAnAssessment::Shape),
        (with("{", r#"{"approved": true, "#), NotAnAssessment::Shape),
        (with(r#""harm_risk": "low", "#, ""), NotAnAssessment::Shape),
        (with("0.75", r#""0.75""#), NotAnAssessment::Shape),
        (with("0.75", "null"), NotAnAssessment::Shape),
        (with("0.75", "NaN"), NotAnAssessment::Shape),
        (with("0.75", "1.01"), NotAnAssessment::Score),
        (with("0.75", "-0.1"), NotAnAssessment::Score),
        (with("\"low\"", "\"none\""), NotAnAssessment::Risk),
        (with("\"low\"", "\"LOW\""), NotAnAssessment::Risk),
        (with("\"approve\"", "\"allow\""), NotAnAssessment::Decision),
        (with("A plain question.", "  "), NotAnAssessment::Reasoning),
    ];
    for (answer, why) in table {
        assert_eq!(parse_assessment(&answer), Err(why), "{answer}");
    }
}

#[test]
fn long_reasoning_is_cut_and_an_unstorable_character_is_replaced() {
    let long = GOOD.replace("A plain question.", &"x".repeat(5000));
    let read = parse_assessment(&long).expect("it is one");
    assert_eq!(read.reasoning.chars().count(), 2000);
    let nul = GOOD.replace("A plain", "A\\u0000plain");
    let read = parse_assessment(&nul).expect("it is one");
    assert!(read.reasoning.starts_with("A\u{fffd}plain"));
}
