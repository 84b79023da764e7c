//! Two hundred prompt injections against a judge; each reaches it as data only.

use debate_core::runner::{
    Actor, Cursor, Metadata, Outcome, PromptInput, Round, RunDefaults, RunSettings,
    RunSettingsDraft, Turn, build_prompt,
};
use debate_core::{Fence, Prompt, RunId, Seq, Topic, TurnId, Usage};
use debate_llm::parse_verdict;
use jiff::Timestamp;
use serde_json::Value;
use uuid::Uuid;

use crate::support::model;

/// One per line; `\n` and the like are escapes, and `{FENCE}` is the fence of this call, as if
/// the attacker knew it.
const CORPUS: &str = include_str!("injections.txt");

const FENCE: &str = "0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f0f";

fn corpus() -> Vec<String> {
    let line = |line: &str| {
        line.replace("\\n", "\n")
            .replace("\\r", "\r")
            .replace("\\u2028", "\u{2028}")
            .replace("\\u202e", "\u{202e}")
            .replace("\\u200b", "\u{200b}")
            .replace("{FENCE}", FENCE)
    };
    CORPUS.lines().filter(|line| !line.is_empty()).map(line).collect()
}

fn judged(topic: &str, said: &str) -> Prompt {
    let topic = Topic::new(topic.to_owned()).expect("it is short");
    let defaults = RunDefaults::with_models(model("demo:fast"), model("demo:fast"));
    let settings =
        RunSettings::merge(RunSettingsDraft::default(), &defaults).expect("the defaults");
    let turn = |number, actor, content: &str| Turn {
        id: TurnId::new(Uuid::from_u128(number)),
        run: RunId::new(Uuid::nil()),
        seq: Seq::FIRST,
        cursor: Cursor { round: Round::FIRST, actor },
        content: content.to_owned(),
        model: None,
        usage: Usage::UNREPORTED,
        metadata: Metadata { outcome: Outcome::Ok, judgement: None, duration_ms: None },
        created_at: Timestamp::UNIX_EPOCH,
    };
    let turns = [turn(1, Actor::DebaterA, said), turn(2, Actor::DebaterB, "Spaces align.")];
    let brief = PromptInput { topic: &topic, settings: &settings, turns: &turns };
    let cursor = Cursor { round: Round::FIRST, actor: Actor::Judge };
    build_prompt(&brief, cursor, &Fence::new([0x0f; 16]))
}

/// The text of a prompt outside its data, and the data.
fn apart(prompt: &Prompt) -> (String, Value) {
    let [system, user] = prompt.as_slice() else { panic!("a prompt has two messages") };
    let lines: Vec<&str> = user.text.lines().collect();
    let [begin, data, end, rest @ ..] = lines.as_slice() else {
        panic!("the data stands between two lines")
    };
    assert_eq!(*begin, format!("<<<BEGIN DATA {FENCE}>>>"));
    assert_eq!(*end, format!("<<<END DATA {FENCE}>>>"));
    let outside = format!("{}\n{begin}\n{end}\n{}", system.text, rest.join("\n"));
    (outside, serde_json::from_str(data).expect("the data is JSON"))
}

#[test]
fn corpus_has_two_hundred_different_lines() {
    let mut lines = corpus();
    let count = lines.len();
    lines.sort();
    lines.dedup();
    assert!(lines.len() >= 200 && lines.len() == count, "{} of {count}", lines.len());
}

#[test]
fn injection_does_not_change_the_prompt_outside_its_data() {
    let (harmless, _) = apart(&judged("Tabs or spaces?", "Tabs."));
    for line in corpus() {
        let expected = line.replace(FENCE, "");
        assert!(!expected.contains(FENCE), "{line}");
        let (outside, data) = apart(&judged("Tabs or spaces?", &line));
        assert_eq!(outside, harmless, "{line}");
        assert_eq!(data["turns"][0]["text"], expected, "it arrives as it was said");
        assert_eq!(data["turns"].as_array().map(Vec::len), Some(2), "{line}");

        let (outside, data) = apart(&judged(&format!("T{line}"), "Tabs."));
        assert_eq!(outside, harmless, "as a topic: {line}");
        assert_eq!(data["topic"], format!("T{expected}"));
    }
}

/// An obedient judge repeats the injected text. That is not a verdict, so the judge is called once
/// more, and then there is no winner.
#[test]
fn repeated_injection_is_not_a_verdict() {
    for line in corpus() {
        assert!(parse_verdict(&line).is_err(), "{line}");
    }
}
