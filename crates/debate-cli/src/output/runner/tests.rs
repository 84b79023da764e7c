//! Every result of `aw run`, in every format.

use std::fmt::Write;

use debate_wire::runner::agent::{Attempts, Debates, Exported, Started, StatusChange};
use debate_wire::runner::{Status, StopReason};
use insta::assert_snapshot;

use super::fixture::{ID, attempts, debate, listed, settings, story};
use super::{RunnerOutput, render_run, status_message};
use crate::args::DocumentFormat;
use crate::output::text::TextStyle;
use crate::output::{CommandOutput, json_pretty, markdown, text};

fn in_every_format(output: RunnerOutput) -> String {
    let output = CommandOutput::Runner(output);
    let plain = text::text(&output, TextStyle::PLAIN);
    for shown in [&plain, &markdown::markdown(&output), &json_pretty(&output.response())] {
        let obeyed = |c: char| debate_core::is_misleading(c) && c != '\n';
        assert!(!shown.contains(obeyed), "nothing that was said is obeyed: {shown:?}");
    }
    let json = json_pretty(&output.response());
    format!("# json\n{json}# markdown\n{}# text\n{plain}", markdown::markdown(&output))
}

#[test]
fn run_is_printed_with_all_turns_in_every_format() {
    let story = story(debate(Status::Completed, Some(StopReason::MaxRounds)));
    assert_snapshot!(in_every_format(RunnerOutput::Story(Box::new(story))));
}

#[test]
fn demo_run_prints_the_demo_notice() {
    let mut debate = debate(Status::Completed, Some(StopReason::MaxRounds));
    debate.settings = settings("demo:fast");
    let mut story = story(debate);
    story.turns.clear();
    let output = CommandOutput::Runner(RunnerOutput::Story(Box::new(story)));
    for shown in [text::text(&output, TextStyle::PLAIN), markdown::markdown(&output)] {
        assert!(shown.contains("Demo mode:"), "{shown}");
    }
}

#[test]
fn run_with_one_real_model_is_not_a_demo() {
    let mut settings = settings("demo:fast");
    assert!(debate_render::runner::is_demo(&settings));
    settings.model_judge = "openai:gpt-5".to_owned();
    assert!(!debate_render::runner::is_demo(&settings));
}

#[test]
fn lists_writes_and_calls_are_printed_in_every_format() {
    let started = Started {
        debate_id: ID.to_owned(),
        status: Status::Running,
        enqueued: true,
        demo: true,
        client_request_id: "k-1".to_owned(),
    };
    let mut failed = debate(Status::Failed, Some(StopReason::Error));
    failed.last_error = Some("the provider said: \u{1b}[31mno key".to_owned());
    let message = status_message(&failed);
    let all = [
        RunnerOutput::Started(started, "The debate runs by itself.".to_owned()),
        RunnerOutput::StatusChange(StatusChange::from(failed), message),
        RunnerOutput::List(Debates {
            debates: vec![listed(Status::Running), listed(Status::Completed)],
            next_cursor: Some("a b".to_owned()),
        }),
        RunnerOutput::List(Debates { debates: Vec::new(), next_cursor: None }),
        RunnerOutput::Attempts(Attempts { debate_id: ID.to_owned(), attempts: attempts() }),
        RunnerOutput::Exported(Exported { path: "debate.md".to_owned(), bytes: 12, turns: 1 }),
    ];
    assert_snapshot!(all.map(in_every_format).join("\n"));
}

#[test]
fn every_status_has_a_message() {
    let cases = [
        (Status::Created, None),
        (Status::Running, None),
        (Status::Stopping, None),
        (Status::Stopped, Some(StopReason::ManualStop)),
        (Status::Failed, Some(StopReason::Error)),
        (Status::Completed, Some(StopReason::MaxRounds)),
        (Status::Completed, Some(StopReason::MaxRuntimeSeconds)),
        (Status::Completed, Some(StopReason::MaxTotalOutputTokens)),
        (Status::Completed, Some(StopReason::JudgeEarlyStop)),
        (Status::Canceled, Some(StopReason::Canceled)),
    ];
    let mut told = String::new();
    for (status, reason) in cases {
        let _ = writeln!(told, "{}", status_message(&debate(status, reason)));
    }
    assert_snapshot!(told);
}

#[test]
fn documents_contain_the_run_and_quote_its_texts() {
    let story = story(debate(Status::Stopped, Some(StopReason::ManualStop)));
    let json: serde_json::Value =
        serde_json::from_str(&render_run(&story, DocumentFormat::Json)).expect("it is JSON");
    assert_eq!(json, serde_json::to_value(&story).expect("it is JSON"));
    let page = render_run(&story, DocumentFormat::Markdown);
    assert!(page.starts_with("# Tabs are ␛\\[31mbetter\n"), "{page}");
    assert!(page.contains("> > ## not a heading\n"), "what was said stays a quote: {page}");
}
