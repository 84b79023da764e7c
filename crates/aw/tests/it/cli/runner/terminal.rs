//! A run on a terminal: deltas are printed as they arrive, and control characters are escaped.

use aw_testbed::{Gate, Model, ModelRequest, ScriptStep};
use tokio::io::AsyncReadExt;
use tokio::process::Child;

use crate::support::{Cli, HANG, with_model};

/// Reads until the terminal shows `wanted`.
async fn until_shown(child: &mut Child, shown: &mut String, wanted: &str) {
    let stdout = child.stdout.as_mut().expect("it was piped");
    while !shown.contains(wanted) {
        let mut bytes = [0; 4096];
        let read = tokio::time::timeout(HANG, stdout.read(&mut bytes)).await.expect("no hang");
        let count = read.expect("it is read");
        assert!(count > 0, "it ended without {wanted:?}: {shown:?}");
        shown.push_str(&String::from_utf8_lossy(&bytes[..count]));
    }
}

#[tokio::test]
async fn terminal_shows_deltas_before_the_turn_is_complete() {
    let gate = Gate::new();
    let waiting = gate.clone();
    let model = Model::start(move |asked: &ModelRequest| {
        if asked.is_for_judge() {
            return ScriptStep::debate(asked);
        }
        let mut plays = vec![ScriptStep::Say("First\u{1b}[2J\u{1b}]0;owned\u{7} ".to_owned())];
        plays.push(ScriptStep::Wait(waiting.clone()));
        plays.extend(ScriptStep::answer("and last.", 20));
        plays
    });
    let model = model.expect("a port is free");
    let server = with_model(&model).start().await;
    let cli = Cli::at(&server).env("TERM", "xterm").env("NO_COLOR", "1");
    let mut script = cli.program("script");
    let line = "aw run start 'Live' --rounds 1 --follow";
    let mut child = script.args(["-qec", line, "/dev/null"]).spawn().expect("there is a terminal");
    let mut shown = String::new();
    // The first half of an answer is printed before the second half arrives.
    until_shown(&mut child, &mut shown, "First␛[2J␛]0;owned␇").await;
    until_shown(&mut child, &mut shown, "round 1 of 1 · Debater A (pro) · ").await;
    assert!(!shown.contains("and last."), "{shown:?}");
    gate.open();
    until_shown(&mut child, &mut shown, "Finished: the only round was played.").await;
    let ended = tokio::time::timeout(HANG, child.wait()).await.expect("no hang");
    assert!(ended.expect("it is our own child").success(), "{shown:?}");
    assert!(shown.contains("and last."), "{shown:?}");
    assert!(shown.contains("Winner: Debater A. Scores: A 7 of 10, B 5 of 10."), "{shown:?}");
    assert!(!shown.contains("\"score_a\""), "a judge's JSON is not for people: {shown:?}");
    // Only the command line moves the cursor; control characters of the model
    // are printed as symbols.
    assert!(!shown.contains("\u{1b}[2J") && !shown.contains("\u{1b}]"), "{shown:?}");
}

#[tokio::test]
async fn dumb_terminal_and_pipe_show_complete_turns_only() {
    let model = Model::start(ScriptStep::debate).expect("a port is free");
    let server = with_model(&model).start().await;
    let cli = Cli::at(&server).env("TERM", "dumb");
    let mut script = cli.program("script");
    script.args(["-qec", "aw run start Dumb --rounds 1 --follow", "/dev/null"]);
    let shown = crate::support::Output::run(script).await.out;
    assert!(!shown.contains('\u{1b}'), "{shown:?}");
    assert_eq!(shown.matches("Argument of A in round 1.").count(), 1, "{shown}");
    let words = ["run", "start", "Pipe", "--rounds", "1", "--follow", "--format", "text"];
    let piped = cli.run(&words).await.out;
    assert!(!piped.contains(['\u{1b}', '\r']), "{piped:?}");
    assert_eq!(piped.matches("Argument of A in round 1.").count(), 1, "{piped}");
}
