//! `aw run follow`: each turn is printed once, across restarts, to every kind of end.

use std::sync::atomic::{AtomicUsize, Ordering};

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use insta::{assert_snapshot, with_settings};
use serde_json::json;

use crate::cli::runner::{FAST, FollowProcess, seqs};
use crate::support::{
    Cli, Record, Run, Server, Setup, add_model, free_port, with_model, with_short_lease,
};

#[tokio::test]
async fn json_output_has_one_event_per_line_and_no_deltas() {
    let server = Server::start().await;
    let start = ["run", "start", "Tabs or spaces?", "--rounds", "1", "--follow"];
    let words = [&start[..], &FAST].concat();
    let (lines, output) = FollowProcess::start(&Cli::at(&server), &words).rest().await;
    assert_eq!(output.code, 0, "{output:?}");
    assert_eq!(lines.first().map(|line| line["event"].clone()), Some(json!("debate")));
    assert_eq!(seqs(&lines), [1, 2, 3]);
    let end = lines.last().expect("it ended");
    assert_eq!((end["event"].as_str(), end["cost"]["calls"].as_u64()), (Some("end"), Some(3)));
    assert_eq!(end["debate"]["status"], "completed");
    assert!(lines.iter().all(|line| line["event"] != "delta"), "they cost tokens");
}

#[tokio::test]
async fn demo_run_is_printed_from_topic_to_end_and_marked_as_demo() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let mut record = Record::default();
    for format in ["markdown", "text"] {
        let start = ["run", "start", "Tabs or spaces?", "--rounds", "1", "--follow"];
        let words = [&start[..], &FAST, &["--format", format]].concat();
        let output = cli.run(&words).await;
        assert_eq!(output.code, 0, "{output:?}");
        assert!(output.out.contains("Demo mode:"), "{}", output.out);
        record.note_command(&server, &words, &output);
    }
    // The status and the counts at the first read depend on timing.
    with_settings!({ filters => [
        (r"running time \d+:\d\d", "running time <time>"),
        (r"status(:?) +(Running|Completed)( \(`\w+`\))?", "status$1 <running or completed>"),
        (r"- rounds: \d+ of", "- rounds: <some> of"),
        (r"- calls: .* output tokens", "- calls: <some>"),
        (r"- last changed: <time>\n", ""),
    ] }, {
        assert_snapshot!(record.render());
    });
}

/// A model that stops in the middle of debater B's first answer until the server is killed.
fn model_that_stops_midway(gate: &Gate) -> Model {
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
async fn follow_shows_each_turn_once_across_a_killed_server() {
    let gate = Gate::new();
    let model = model_that_stops_midway(&gate);
    let setup = Setup::bare().env("DEBATE_SERVER_PORT", &free_port().to_string());
    let setup = add_model(setup, &model);
    let server = with_short_lease(&setup).start().await;
    let start = ["run", "start", "Restart", "--rounds", "2", "--follow", "--deltas"];
    let mut followed = FollowProcess::start(&Cli::at(&server), &start);
    let first = followed.until("turn").await;
    assert_eq!(first["seq"], 1);
    let delta = followed.until("delta").await;
    assert_eq!((&delta["text"], &delta["attempt"]), (&json!("First "), &json!(1)));
    server.kill().await;
    let server = setup.start().await;
    let (rest, output) = followed.rest().await;
    gate.open();
    assert_eq!(seqs(&rest), [2, 3, 4, 5, 6], "{rest:?}");
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.err.contains("retrying"), "{}", output.err);
    // The deltas of the first attempt are not part of the saved turn.
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
async fn failed_run_exits_with_3_and_a_retry_completes_it() {
    let error = json!({ "error": { "type": "invalid_request_error" } });
    let model = Model::start(move |asked| match asked.number {
        1 => ScriptStep::status("401 Unauthorized", "", &error),
        _ => ScriptStep::debate(asked),
    });
    let model = model.expect("a port is free");
    let server = with_model(&model).env("OPENAI_API_KEY", "sk-canary").start().await;
    let cli = Cli::at(&server);
    let start = ["run", "start", "Fail once", "--rounds", "1", "--follow"];
    let (lines, output) = FollowProcess::start(&cli, &start).rest().await;
    assert_eq!(output.code, 3, "{output:?}");
    let [.., end, error] = lines.as_slice() else { panic!("an end and an error: {lines:?}") };
    assert_eq!((&end["event"], &end["debate"]["status"]), (&json!("end"), &json!("failed")));
    assert_eq!(error["error"]["code"], "DEBATE_FAILED");
    let message = error["error"]["message"].as_str().expect("it says why");
    assert!(message.contains("401") && !message.contains("canary"), "{message}");
    let id = end["debate"]["id"].as_str().expect("it has an id");
    let suggestion = error["error"]["suggestion"].as_str().expect("it says what to do");
    assert!(suggestion.contains(&format!("aw run retry {id} --follow")), "{suggestion}");
    // A later `follow` prints the same.
    let output = cli.run(&["run", "follow", id, "--format", "text"]).await;
    assert_eq!(output.code, 3, "{output:?}");
    let (lines, output) =
        FollowProcess::start(&cli, &["run", "retry", id, "--follow"]).rest().await;
    assert_eq!((output.code, seqs(&lines)), (0, vec![1, 2, 3]), "{output:?}");
}

#[tokio::test]
async fn follow_reports_that_the_run_was_stopped_canceled_or_deleted() {
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
        let mut followed = FollowProcess::start(&cli, &["run", "follow", &run.id]);
        followed.until("status").await;
        match what {
            "delete" => server.delete(&run.path("")).await,
            _ => run.command(what).await,
        };
        let (lines, output) = followed.rest().await;
        assert_eq!(output.code, code, "{what}: {lines:?} {output:?}");
        let last = lines.last().expect("it says why");
        assert_eq!(last["error"]["code"], error);
    }
}

#[tokio::test]
async fn interrupted_follow_prints_the_resume_command_and_the_run_continues() {
    let gate = Gate::new();
    let model = model_that_stops_midway(&gate);
    let server = with_model(&model).start().await;
    let cli = Cli::at(&server);
    let start = ["run", "start", "Leave", "--rounds", "1", "--follow"];
    let mut followed = FollowProcess::start(&cli, &start);
    let first = followed.until("turn").await;
    let id = first["debate_id"].as_str().expect("it has an id").to_owned();
    let pid = i32::try_from(followed.child.id().expect("it runs")).expect("it is small");
    let pid = rustix::process::Pid::from_raw(pid).expect("no process has the id 0");
    rustix::process::kill_process(pid, rustix::process::Signal::INT).expect("it is our own child");
    let (lines, output) = followed.rest().await;
    assert_eq!(output.code, 130, "{output:?}");
    let error = &lines.last().expect("it says so")["error"];
    assert_eq!(error["code"], "INTERRUPTED");
    let suggestion = error["suggestion"].as_str().expect("it says what to do");
    assert!(suggestion.contains(&format!("aw run follow {id}")), "{suggestion}");
    let run = Run { server: &server, id };
    assert_eq!(run.debate().await["status"], "running");
    gate.open();
}

#[tokio::test]
async fn closed_pipe_does_not_cause_a_panic() {
    let server = Server::start().await;
    let run = Run::complete_demo(&server, 3).await;
    let cli = Cli::at(&server);
    for command in ["follow", "show", "export"] {
        for format in ["json", "markdown", "text"] {
            let line = format!("aw run {command} {} --format {format} | head -c 1", run.id);
            let line = format!("set -o pipefail; {line}; echo \" ${{PIPESTATUS[0]}}\"");
            let mut bash = cli.program("bash");
            bash.args(["-c", &line]);
            let output = crate::support::Output::run(bash).await;
            assert!(output.out.ends_with(" 0\n"), "{command}: {output:?}");
            assert!(!output.err.contains("panicked"), "{command}: {output:?}");
        }
    }
}
