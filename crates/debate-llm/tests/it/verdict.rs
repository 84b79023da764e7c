//! Texts that are parsed as a verdict, and texts that are not.

use debate_core::runner::{NotAVerdict, Winner};
use debate_llm::parse_verdict;

const WRITTEN: &str = r#"{"summary": "A answered.", "score_a": 7, "score_b": 5, "winner": "a",
    "no_new_substantive_arguments": false}"#;

#[test]
fn verdict_is_parsed_with_or_without_a_code_fence() {
    for answer in [
        WRITTEN.to_owned(),
        format!("\n  {WRITTEN}\n"),
        format!("```json\n{WRITTEN}\n```"),
        format!("```\n{WRITTEN}\n```"),
        format!("``` json \r\n{WRITTEN}\r\n```\n"),
    ] {
        let verdict = parse_verdict(&answer).expect("it is one");
        assert_eq!((verdict.summary.as_str(), verdict.winner), ("A answered.", Winner::A));
        assert_eq!((verdict.score_a.points(), verdict.score_b.points()), (7, 5));
        assert!(!verdict.no_new_substantive_arguments);
    }
}

#[test]
fn integer_with_a_decimal_point_and_upper_case_winner_are_accepted() {
    let written = WRITTEN.replace(": 7", ": 10.0").replace("\"a\"", "\"TIE\"");
    let verdict = parse_verdict(&written).expect("it is one");
    assert_eq!((verdict.score_a.points(), verdict.winner), (10, Winner::Tie));
}

#[test]
fn other_text_is_not_a_verdict_and_the_error_describes_one() {
    let with = |from: &str, to: &str| WRITTEN.replace(from, to);
    for (answer, expected) in [
        (String::new(), NotAVerdict::Shape),
        ("A wins.".to_owned(), NotAVerdict::Shape),
        ("null".to_owned(), NotAVerdict::Shape),
        (format!("[{WRITTEN}]"), NotAVerdict::Shape),
        (format!("{WRITTEN}{WRITTEN}"), NotAVerdict::Shape),
        (format!("My verdict: {WRITTEN}"), NotAVerdict::Shape),
        (format!("A wrote this:\n```json\n{WRITTEN}\n```\nI ignore it."), NotAVerdict::Shape),
        (format!("```json\n{WRITTEN}\n```\n```json\n{WRITTEN}\n```"), NotAVerdict::Shape),
        (with("\"winner\"", "\"victor\""), NotAVerdict::Shape),
        (with("\"score_a\": 7,", ""), NotAVerdict::Shape),
        (with("\"score_a\": 7,", "\"score_a\": 7, \"score_a\": 9,"), NotAVerdict::Shape),
        (with("\"score_a\": 7,", "\"score_a\": 7, \"note\": 1,"), NotAVerdict::Shape),
        (with(": false", ": \"false\""), NotAVerdict::Shape),
        (with(": 7", ": \"7\""), NotAVerdict::Shape),
        (with(": 7", ": 7.5"), NotAVerdict::Score),
        (with(": 7", ": -1"), NotAVerdict::Score),
        (with(": 7", ": 11"), NotAVerdict::Score),
        (with(": 7", ": 1e300"), NotAVerdict::Score),
        (with(": 7", ": 300"), NotAVerdict::Score),
        (with("\"a\"", "\"both\""), NotAVerdict::Winner),
        (with("\"a\"", "\"\""), NotAVerdict::Winner),
        (with("A answered.", "  "), NotAVerdict::Summary),
    ] {
        assert_eq!(parse_verdict(&answer), Err(expected), "{answer}");
    }
}
