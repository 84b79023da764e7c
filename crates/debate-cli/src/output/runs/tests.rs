//! Every result of `aw run`, in every format.

use std::fmt::Write;

use debate_wire::runner::agent::{Attempts, Debates, Exported, Moved, Started};
use debate_wire::runner::{Status, StopReason};
use insta::assert_snapshot;

use super::fixture::{ID, attempts, debate, listed, settings, story};
use super::{RunDone, resting};
use crate::args::RunDocument;
use crate::output::text::Paint;
use crate::output::{Done, json_pretty, markdown, text};

fn in_every_format(done: RunDone) -> String {
    let done = Done::Run(done);
    let plain = text::result(&done, Paint { on: false });
    for shown in [&plain, &markdown::result(&done), &json_pretty(&done.response())] {
        let obeyed = |c: char| debate_core::misleads(c) && c != '\n';
        assert!(!shown.contains(obeyed), "nothing that was said is obeyed: {shown:?}");
    }
    let json = json_pretty(&done.response());
    format!("# json\n{json}# markdown\n{}# text\n{plain}", markdown::result(&done))
}

#[test]
fn a_debate_is_shown_with_all_that_was_said() {
    let story = story(debate(Status::Completed, Some(StopReason::MaxRounds)));
    assert_snapshot!(in_every_format(RunDone::Story(Box::new(story))));
}

#[test]
fn a_demo_says_that_it_is_one() {
    let mut debate = debate(Status::Completed, Some(StopReason::MaxRounds));
    debate.settings = settings("demo:fast");
    let mut story = story(debate);
    story.turns.clear();
    let done = Done::Run(RunDone::Story(Box::new(story)));
    for shown in [text::result(&done, Paint { on: false }), markdown::result(&done)] {
        assert!(shown.contains("Demo mode:"), "{shown}");
    }
}

#[test]
fn one_model_beside_the_demo_makes_it_no_demo() {
    let mut settings = settings("demo:fast");
    assert!(super::is_demo(&settings));
    settings.model_judge = "openai:gpt-5".to_owned();
    assert!(!super::is_demo(&settings));
}

#[test]
fn lists_writes_and_calls_are_shown() {
    let started = Started {
        debate_id: ID.to_owned(),
        status: Status::Running,
        enqueued: true,
        demo: true,
        client_request_id: "k-1".to_owned(),
    };
    let mut failed = debate(Status::Failed, Some(StopReason::Error));
    failed.last_error = Some("the provider said: \u{1b}[31mno key".to_owned());
    let message = resting(&failed);
    let all = [
        RunDone::Started(started, "The debate runs by itself.".to_owned()),
        RunDone::Moved(Moved::from(failed), message),
        RunDone::List(Debates {
            debates: vec![listed(Status::Running), listed(Status::Completed)],
            next_cursor: Some("a b".to_owned()),
        }),
        RunDone::List(Debates { debates: Vec::new(), next_cursor: None }),
        RunDone::Attempts(Attempts { debate_id: ID.to_owned(), attempts: attempts() }),
        RunDone::Exported(Exported { path: "debate.md".to_owned(), bytes: 12, turns: 1 }),
    ];
    assert_snapshot!(all.map(in_every_format).join("\n"));
}

#[test]
fn how_a_debate_stands_is_told_in_words() {
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
        let _ = writeln!(told, "{}", resting(&debate(status, reason)));
    }
    assert_snapshot!(told);
}

#[test]
fn the_documents_are_the_story_and_the_page() {
    let story = story(debate(Status::Stopped, Some(StopReason::ManualStop)));
    let json: serde_json::Value =
        serde_json::from_str(&super::document(&story, RunDocument::Json)).expect("it is JSON");
    assert_eq!(json, serde_json::to_value(&story).expect("it is JSON"));
    let page = super::document(&story, RunDocument::Markdown);
    assert!(page.starts_with("# Tabs are ␛[31mbetter\n"), "{page}");
    assert!(page.contains("> > ## not a heading\n"), "what was said stays a quote: {page}");
}
