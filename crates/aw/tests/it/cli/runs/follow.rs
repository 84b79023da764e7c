//! A debate that is followed: every turn once, over restarts, to whatever end it comes.

use std::sync::atomic::{AtomicUsize, Ordering};

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use insta::{assert_snapshot, with_settings};
use serde_json::json;

use super::{FAST, Followed, seqs};
use crate::support::{Cli, Record, Run, Server, Setup, free_port, modelled, with_model};
use crate::survival::dying;

#[tokio::test]
async fn programs_get_one_event_a_line_and_no_pieces_of_answers() {
    let server = Server::start().await;
    let start = ["run", "start", "Tabs or spaces?", "--rounds", "1", "--follow"];
    let words = [&start[..], &FAST].concat();
    let (lines, told) = Followed::begin(&Cli::at(&server), &words).rest().await;
    assert_eq!(told.code, 0, "{told:?}");
    assert_eq!(lines.first().map(|line| line["event"].clone()), Some(json!("debate")));
    assert_eq!(seqs(&lines), [1, 2, 3]);
    let end = lines.last().expect("it ended");
    assert_eq!((end["event"].as_str(), end["cost"]["calls"].as_u64()), (Some("end"), Some(3)));
    assert_eq!(end["debate"]["status"], "completed");
    assert!(lines.iter().all(|line| line["event"] != "delta"), "they cost tokens");
}

#[tokio::test]
async fn the_demo_is_shown_from_its_topic_to_its_end_and_says_that_it_is_one() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let mut record = Record::default();
    for format in ["markdown", "text"] {
        let start = ["run", "start", "Tabs or spaces?", "--rounds", "1", "--follow"];
        let words = [&start[..], &FAST, &["--format", format]].concat();
        let told = cli.run(&words).await;
        assert_eq!(told.code, 0, "{told:?}");
        assert!(told.out.contains("Demo mode:"), "{}", told.out);
        record.told(&server, &words, &told);
    }
    // How far it had come when it was first looked at is a matter of luck.
    with_settings!({ filters => [
        (r"running time \d+:\d\d", "running time <time>"),
        (r"status(:?) +`?(running|completed)`?", "status$1 <running or completed>"),
        (r"- (rounds|tokens): \d+ of", "- $1: <some> of"),
        (r"- last changed: <time>\n", ""),
    ] }, {
        assert_snapshot!(record.render());
    });
}

/// A model that breaks off in the middle of the first answer of debater B, until it is killed.
fn breaking_off(gate: &Gate) -> Model {
    let (gate, asked_of_b) = (gate.clone(), AtomicUsize::new(0));
    let script = move |asked: &ModelRequest| {
        let is_b = asked.data()["you"].as_str().is_some_and(|you| you == "B");
        if is_b && !asked.is_for_judge() && asked_of_b.fetch_add(1, Ordering::SeqCst) == 0 {
            return vec![ScriptStep::Say("First ".to_owned()), ScriptStep::Wait(gate.clone())];
        }
        ScriptStep::debate(asked)
    };
    Model::start(script).expect("a port is free")
}

#[tokio::test]
async fn over_a_killed_server_every_turn_is_shown_once_and_none_is_left_out() {
    let gate = Gate::new();
    let model = breaking_off(&gate);
    let setup = Setup::bare().env("DEBATE_SERVER_PORT", &free_port().to_string());
    let setup = modelled(setup, &model);
    let server = dying(&setup).start().await;
    let start = ["run", "start", "Restart", "--rounds", "2", "--follow", "--deltas"];
    let mut followed = Followed::begin(&Cli::at(&server), &start);
    let first = followed.until("turn").await;
    assert_eq!(first["seq"], 1);
    let heard = followed.until("delta").await;
    assert_eq!((&heard["text"], &heard["attempt"]), (&json!("First "), &json!(1)));
    server.kill().await;
    let server = setup.start().await;
    let (rest, told) = followed.rest().await;
    gate.open();
    assert_eq!(seqs(&rest), [2, 3, 4, 5, 6], "{rest:?}");
    assert_eq!(told.code, 0, "{told:?}");
    assert!(told.err.contains("retrying"), "{}", told.err);
    // What was heard of the first try is no part of what was kept.
    let id = first["debate_id"].as_str().expect("it has an id");
    let calls = Cli::at(&server).data(&["run", "attempts", id]).await["attempts"].clone();
    let calls = calls.as_array().expect("a list").iter();
    let of_b =
        calls.filter(|call| (&call["round"], &call["actor"]) == (&json!(1), &json!("debater_b")));
    let outcomes: Vec<_> = of_b.map(|call| call["outcome"].clone()).collect();
    assert_eq!(outcomes, ["unknown", "ok"]);
    assert_eq!(
        rest.iter().find(|line| line["event"] == "turn").map(|turn| turn["content"].clone()),
        { Some(json!("Argument of B in round 1.")) }
    );
}

#[tokio::test]
async fn a_failed_debate_is_3_and_a_retry_brings_it_to_its_end() {
    let error = json!({ "error": { "type": "invalid_request_error" } });
    let model = Model::start(move |asked| match asked.number {
        1 => ScriptStep::status("401 Unauthorized", "", &error),
        _ => ScriptStep::debate(asked),
    });
    let model = model.expect("a port is free");
    let server = with_model(&model).env("OPENAI_API_KEY", "sk-canary").start().await;
    let cli = Cli::at(&server);
    let start = ["run", "start", "Fail once", "--rounds", "1", "--follow"];
    let (lines, told) = Followed::begin(&cli, &start).rest().await;
    assert_eq!(told.code, 3, "{told:?}");
    let [.., end, error] = lines.as_slice() else { panic!("an end and an error: {lines:?}") };
    assert_eq!((&end["event"], &end["debate"]["status"]), (&json!("end"), &json!("failed")));
    assert_eq!(error["error"]["code"], "DEBATE_FAILED");
    let message = error["error"]["message"].as_str().expect("it says why");
    assert!(message.contains("401") && !message.contains("canary"), "{message}");
    let id = end["debate"]["id"].as_str().expect("it has an id");
    let suggestion = error["error"]["suggestion"].as_str().expect("it says what to do");
    assert!(suggestion.contains(&format!("aw run retry {id} --follow")), "{suggestion}");
    // The same again, by whoever comes later.
    let told = cli.run(&["run", "follow", id, "--format", "text"]).await;
    assert_eq!(told.code, 3, "{told:?}");
    let (lines, told) = Followed::begin(&cli, &["run", "retry", id, "--follow"]).rest().await;
    assert_eq!((told.code, seqs(&lines)), (0, vec![1, 2, 3]), "{told:?}");
}

#[tokio::test]
async fn a_debate_that_is_stopped_canceled_or_deleted_meanwhile_says_so() {
    let cases = [
        ("stop", 5, "DEBATE_STOPPED"),
        ("cancel", 5, "DEBATE_CANCELED"),
        ("delete", 2, "DEBATE_NOT_FOUND"),
    ];
    let server = Setup::new().env("RUNNER_WORKERS", "0").start().await;
    let cli = Cli::at(&server);
    for (what, code, error) in cases {
        let run = Run::create(&server, "End me", json!({})).await;
        run.command("start").await;
        let mut followed = Followed::begin(&cli, &["run", "follow", &run.id]);
        followed.until("status").await;
        match what {
            "delete" => server.delete(&run.path("")).await,
            _ => run.command(what).await,
        };
        let (lines, told) = followed.rest().await;
        assert_eq!(told.code, code, "{what}: {lines:?} {told:?}");
        let last = lines.last().expect("it says why");
        assert_eq!(last["error"]["code"], error);
    }
}

#[tokio::test]
async fn whoever_leaves_is_told_how_to_come_back_and_the_debate_goes_on() {
    let gate = Gate::new();
    let model = breaking_off(&gate);
    let server = with_model(&model).start().await;
    let cli = Cli::at(&server);
    let start = ["run", "start", "Leave", "--rounds", "1", "--follow"];
    let mut followed = Followed::begin(&cli, &start);
    let first = followed.until("turn").await;
    let id = first["debate_id"].as_str().expect("it has an id").to_owned();
    let pid = i32::try_from(followed.child.id().expect("it runs")).expect("it is small");
    let pid = rustix::process::Pid::from_raw(pid).expect("no process has the id 0");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is our own child");
    let (lines, told) = followed.rest().await;
    assert_eq!(told.code, 130, "{told:?}");
    let error = &lines.last().expect("it says so")["error"];
    assert_eq!(error["code"], "INTERRUPTED");
    let suggestion = error["suggestion"].as_str().expect("it says what to do");
    assert!(suggestion.contains(&format!("aw run follow {id}")), "{suggestion}");
    let run = Run { server: &server, id };
    assert_eq!(run.debate().await["status"], "running");
    gate.open();
}

#[tokio::test]
async fn a_reader_that_leaves_is_no_panic() {
    let server = Server::start().await;
    let run = Run::held(&server, 3).await;
    let cli = Cli::at(&server);
    for command in ["follow", "show", "export"] {
        for format in ["json", "markdown", "text"] {
            let line = format!("aw run {command} {} --format {format} | head -c 1", run.id);
            let line = format!("set -o pipefail; {line}; echo \" ${{PIPESTATUS[0]}}\"");
            let mut bash = cli.program("bash");
            bash.args(["-c", &line]);
            let told = crate::support::Told::of(bash).await;
            assert!(told.out.ends_with(" 0\n"), "{command}: {told:?}");
            assert!(!told.err.contains("panicked"), "{command}: {told:?}");
        }
    }
}
