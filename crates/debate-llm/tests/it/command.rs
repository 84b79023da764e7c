//! Local commands: their input, their output, and the end of their processes.

use std::path::Path;
use std::process::Command as Tool;
use std::time::Duration;

use debate_app::llm::{DeltaSender, FinishReason, Llm};
use debate_core::{CallFailure, Usage};
use debate_llm::{Configuration, LocalCommand, Registry};
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::{OpenOptions, Receiver};
use tokio::time::timeout;

use crate::support::{HANG, PROMPT, registry, request, watched};

fn running(argv: &[&str]) -> Registry {
    let command = LocalCommand {
        name: "it".to_owned(),
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        timeout: HANG,
        withheld: vec!["CARGO_MANIFEST_DIR".to_owned()],
    };
    registry(Configuration { providers: Vec::new(), commands: vec![command] })
}

/// A command that runs this shell script.
fn script(text: &str) -> Registry {
    running(&["/bin/sh", "-c", text, "it"])
}

async fn answer_text(registry: &Registry) -> String {
    let (answer, shown) = watched(registry, request("command:it")).await;
    let answer = answer.expect("it answers");
    assert_eq!(shown.trim(), answer.text);
    assert_eq!((answer.finish_reason, answer.usage), (FinishReason::Complete, Usage::UNREPORTED));
    answer.text
}

async fn failure_text(registry: &Registry) -> String {
    let (answer, _) = watched(registry, request("command:it")).await;
    let err = answer.expect_err("it fails");
    assert_eq!(err.failure, CallFailure::Transient { retry_after: None });
    assert_eq!(err.usage, Usage::UNREPORTED);
    err.to_string()
}

#[tokio::test]
async fn command_reads_the_prompt_and_its_output_is_the_answer() {
    let whole = format!("You are debater A.\n\n{PROMPT}");
    assert_eq!(answer_text(&running(&["/bin/cat"])).await, whole);
    assert_eq!(answer_text(&script("echo ' naturally – ✓ '")).await, "naturally – ✓");
}

#[tokio::test]
async fn command_arguments_are_not_interpreted_by_a_shell() {
    let odd = "$(id); `id` > /tmp/x && 'quoted' *";
    assert_eq!(answer_text(&running(&["/bin/echo", odd])).await, odd);
}

#[tokio::test]
async fn command_does_not_inherit_withheld_variables() {
    let seen = answer_text(&script("echo ${CARGO_MANIFEST_DIR-withheld} ${CARGO_PKG_NAME}")).await;
    assert_eq!(seen, "withheld debate-llm");
}

#[tokio::test]
async fn command_failure_contains_exit_status_and_last_stderr_lines() {
    let told = failure_text(&script("echo first >&2; echo no credits left >&2; exit 3")).await;
    assert_eq!(told, "command:it failed with exit status: 3: first / no credits left");
    let lengthy = script("i=0; while [ $i -lt 2000 ]; do echo $i >&2; i=$((i+1)); done; exit 1");
    let long = failure_text(&lengthy).await;
    assert!(long.len() < 800 && long.ends_with("1998 / 1999"), "{long}");
    let odd = failure_text(&script(r"printf 'red \033[31m\007 alert' >&2; exit 1")).await;
    assert_eq!(odd, "command:it failed with exit status: 1: red  [31m  alert");
}

#[tokio::test]
async fn command_failure_does_not_contain_the_prompt() {
    let told =
        failure_text(&script("echo 'error: can not parse:' >&2; /bin/cat >&2; exit 1")).await;
    let expected = "command:it failed with exit status: 1: error: can not parse: / \
                    [prompt omitted]";
    assert_eq!(told, expected);
    let told = failure_text(&script("read a; read a; read a; echo \"bad: $a!\" >&2; exit 1")).await;
    assert!(!told.contains("wombat") && !told.contains("spaces"), "{told}");
}

#[tokio::test]
async fn empty_or_invalid_utf_8_output_is_transient() {
    assert_eq!(failure_text(&script("/bin/cat >/dev/null")).await, "command:it wrote no output");
    let odd = failure_text(&script(r"printf '\377\376'")).await;
    assert_eq!(odd, "command:it wrote output that is not UTF-8");
}

#[tokio::test]
async fn missing_or_non_executable_command_is_permanent() {
    for program in ["/nowhere/claude", "/etc/hostname"] {
        let (answer, _) = watched(&running(&[program]), request("command:it")).await;
        let err = answer.expect_err("it can't be run");
        assert_eq!((err.failure, err.usage), (CallFailure::Permanent, Usage::ZERO));
        assert!(err.to_string().starts_with("cannot start command:it: "), "{err}");
    }
}

#[tokio::test]
async fn command_that_ignores_its_input_may_answer() {
    let mut request = request("command:it");
    request.prompt[1].text = "x".repeat(1024 * 1024);
    let (answer, _) = watched(&script("exec <&-; echo fine"), request).await;
    assert_eq!(answer.map(|answer| answer.text), Ok("fine".to_owned()));
}

/// A pipe that stays open as long as a process of the group lives; its end is the group's end.
struct GroupPipe {
    folder: TempDir,
    end: Receiver,
}

impl GroupPipe {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder for temporary files");
        let path = folder.path().join("pipe");
        let made = Tool::new("mkfifo").arg(&path).status().expect("mkfifo is installed");
        assert!(made.success());
        let end = OpenOptions::new().open_receiver(&path).expect("it can be read");
        Self { folder, end }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    async fn wait_until_started(&mut self) {
        let mut line = [0; 6];
        let begun = timeout(HANG, self.end.read_exact(&mut line)).await;
        begun.expect("it begins").expect("it can be read");
        assert_eq!(&line, b"begun\n");
    }

    async fn wait_until_ended(mut self) {
        let mut rest = Vec::new();
        let over = self.end.read_to_end(&mut rest);
        timeout(HANG, over).await.expect("no process is left").expect("it can be read");
    }
}

/// A command with a background child that outlives it and ignores SIGTERM.
fn with_background_child(pipe: &GroupPipe, then: &str) -> Registry {
    let path = pipe.path().join("pipe");
    let path = path.display();
    script(&format!("trap '' TERM HUP; exec 3>{path}; /bin/sleep 1000 & echo begun >&3; {then}"))
}

#[tokio::test]
async fn dropped_call_kills_the_process_group() {
    let mut pipe = GroupPipe::new();
    let registry = with_background_child(&pipe, "/bin/sleep 1000");
    let request_with = tokio::spawn(async move {
        registry.call(request("command:it"), DeltaSender::without_receiver()).await
    });
    pipe.wait_until_started().await;
    request_with.abort();
    assert!(request_with.await.expect_err("it was given up").is_cancelled());
    pipe.wait_until_ended().await;
}

#[tokio::test]
async fn command_is_killed_with_its_process_group_at_the_time_limit() {
    let mut pipe = GroupPipe::new();
    let registry = with_background_child(&pipe, "/bin/sleep 1000");
    let mut request = request("command:it");
    request.deadline += Duration::from_secs(1000);
    let begun = async {
        pipe.wait_until_started().await;
        // From here on only the paused clock moves.
        tokio::time::pause();
    };
    let (answer, ()) = tokio::join!(registry.call(request, DeltaSender::without_receiver()), begun);
    tokio::time::resume();
    let err = answer.expect_err("it sleeps");
    assert_eq!(err.failure, CallFailure::Transient { retry_after: None });
    assert_eq!(err.to_string(), "command:it did not answer within 60 s");
    pipe.wait_until_ended().await;
}

#[tokio::test]
async fn command_output_beyond_the_limit_is_cut_and_its_process_group_killed() {
    let mut pipe = GroupPipe::new();
    let flood = "while :; do echo 'tabs – tabs'; done";
    let registry = with_background_child(&pipe, flood);
    let (answer, ()) = tokio::join!(
        registry.call(request("command:it"), DeltaSender::without_receiver()),
        pipe.wait_until_started()
    );
    let answer = answer.expect("it is cut, not lost");
    assert_eq!(answer.finish_reason, FinishReason::Truncated);
    assert!(answer.text.len() <= 600 * 32 + 1024);
    assert!(answer.text.starts_with("tabs – tabs\ntabs"));
    pipe.wait_until_ended().await;
}
