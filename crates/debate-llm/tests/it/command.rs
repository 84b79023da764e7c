//! Local programs: what they are given, what is taken of them, and that none is left behind.

use std::path::Path;
use std::process::Command as Tool;
use std::time::Duration;

use debate_app::llm::{Deltas, Finish, Llm};
use debate_core::{CallFailure, Usage};
use debate_llm::{Configuration, LocalCommand, Registry};
use tempfile::TempDir;
use tokio::io::AsyncReadExt;
use tokio::net::unix::pipe::{OpenOptions, Receiver};
use tokio::time::timeout;

use crate::support::{HANG, PROMPT, ask, registry, watched};

fn running(argv: &[&str]) -> Registry {
    let command = LocalCommand {
        name: "it".to_owned(),
        argv: argv.iter().map(|&word| word.to_owned()).collect(),
        timeout: HANG,
        withheld: vec!["CARGO_MANIFEST_DIR".to_owned()],
    };
    registry(Configuration { providers: Vec::new(), commands: vec![command] })
}

/// A script of the test's own; ours is not a shell.
fn script(text: &str) -> Registry {
    running(&["/bin/sh", "-c", text, "it"])
}

async fn said(registry: &Registry) -> String {
    let (answer, shown) = watched(registry, ask("command:it")).await;
    let answer = answer.expect("it answers");
    assert_eq!(shown.trim(), answer.text);
    assert_eq!((answer.finish, answer.usage), (Finish::Complete, Usage::UNREPORTED));
    answer.text
}

async fn complaint(registry: &Registry) -> String {
    let (answer, _) = watched(registry, ask("command:it")).await;
    let err = answer.expect_err("it fails");
    assert_eq!(err.failure, CallFailure::Transient { retry_after: None });
    assert_eq!(err.usage, Usage::UNREPORTED);
    err.to_string()
}

#[tokio::test]
async fn the_prompt_is_its_input_and_its_output_the_answer() {
    let whole = format!("You are debater A.\n\n{PROMPT}");
    assert_eq!(said(&running(&["/bin/cat"])).await, whole);
    assert_eq!(said(&script("echo ' naturally – ✓ '")).await, "naturally – ✓");
}

#[tokio::test]
async fn its_arguments_are_not_looked_at_by_any_shell() {
    let odd = "$(id); `id` > /tmp/x && 'quoted' *";
    assert_eq!(said(&running(&["/bin/echo", odd])).await, odd);
}

#[tokio::test]
async fn it_does_not_see_what_is_withheld() {
    let seen = said(&script("echo ${CARGO_MANIFEST_DIR-withheld} ${CARGO_PKG_NAME}")).await;
    assert_eq!(seen, "withheld debate-llm");
}

#[tokio::test]
async fn a_failure_says_how_it_ended_and_the_end_of_its_complaints() {
    let told = complaint(&script("echo first >&2; echo no credits left >&2; exit 3")).await;
    assert_eq!(told, "command:it failed with exit status: 3: first / no credits left");
    let lengthy = script("i=0; while [ $i -lt 2000 ]; do echo $i >&2; i=$((i+1)); done; exit 1");
    let long = complaint(&lengthy).await;
    assert!(long.len() < 800 && long.ends_with("1998 / 1999"), "{long}");
    let odd = complaint(&script(r"printf 'red \033[31m\007 alert' >&2; exit 1")).await;
    assert_eq!(odd, "command:it failed with exit status: 1: red  [31m  alert");
}

#[tokio::test]
async fn a_failure_does_not_repeat_the_prompt() {
    let told = complaint(&script("echo 'error: can not parse:' >&2; /bin/cat >&2; exit 1")).await;
    let expected = "command:it failed with exit status: 1: error: can not parse: / \
                    [prompt omitted]";
    assert_eq!(told, expected);
    let told = complaint(&script("read a; read a; read a; echo \"bad: $a!\" >&2; exit 1")).await;
    assert!(!told.contains("wombat") && !told.contains("spaces"), "{told}");
}

#[tokio::test]
async fn what_is_empty_or_not_utf_8_is_transient() {
    assert_eq!(complaint(&script("/bin/cat >/dev/null")).await, "command:it wrote no output");
    let odd = complaint(&script(r"printf '\377\376'")).await;
    assert_eq!(odd, "command:it wrote output that is not UTF-8");
}

#[tokio::test]
async fn what_does_not_exist_or_may_not_be_run_is_permanent() {
    for program in ["/nowhere/claude", "/etc/hostname"] {
        let (answer, _) = watched(&running(&[program]), ask("command:it")).await;
        let err = answer.expect_err("it can't be run");
        assert_eq!((err.failure, err.usage), (CallFailure::Permanent, Usage::ZERO));
        assert!(err.to_string().starts_with("cannot start command:it: "), "{err}");
    }
}

#[tokio::test]
async fn a_program_that_reads_nothing_may_still_answer() {
    let mut ask = ask("command:it");
    ask.prompt[1].text = "x".repeat(1024 * 1024);
    let (answer, _) = watched(&script("exec <&-; echo fine"), ask).await;
    assert_eq!(answer.map(|answer| answer.text), Ok("fine".to_owned()));
}

/// A pipe that is open for as long as anyone of a process group lives: the group's end is its end.
struct Lifeline {
    folder: TempDir,
    end: Receiver,
}

impl Lifeline {
    fn new() -> Self {
        let folder = TempDir::new().expect("a folder for temporary files");
        let path = folder.path().join("lifeline");
        let made = Tool::new("mkfifo").arg(&path).status().expect("mkfifo is installed");
        assert!(made.success());
        let end = OpenOptions::new().open_receiver(&path).expect("it can be read");
        Self { folder, end }
    }

    fn path(&self) -> &Path {
        self.folder.path()
    }

    async fn begun(&mut self) {
        let mut line = [0; 6];
        let begun = timeout(HANG, self.end.read_exact(&mut line)).await;
        begun.expect("it begins").expect("it can be read");
        assert_eq!(&line, b"begun\n");
    }

    async fn over(mut self) {
        let mut rest = Vec::new();
        let over = self.end.read_to_end(&mut rest);
        timeout(HANG, over).await.expect("nobody is left").expect("it can be read");
    }
}

/// A program with a child in the background that would outlive it, and that ignores a polite end.
fn with_offspring(lifeline: &Lifeline, then: &str) -> Registry {
    let path = lifeline.path().join("lifeline");
    let path = path.display();
    script(&format!("trap '' TERM HUP; exec 3>{path}; /bin/sleep 1000 & echo begun >&3; {then}"))
}

#[tokio::test]
async fn a_dropped_call_ends_the_whole_group() {
    let mut lifeline = Lifeline::new();
    let registry = with_offspring(&lifeline, "/bin/sleep 1000");
    let asking =
        tokio::spawn(async move { registry.ask(ask("command:it"), Deltas::unwatched()).await });
    lifeline.begun().await;
    asking.abort();
    assert!(asking.await.expect_err("it was given up").is_cancelled());
    lifeline.over().await;
}

#[tokio::test]
async fn a_program_that_takes_too_long_is_ended_with_its_whole_group() {
    let mut lifeline = Lifeline::new();
    let registry = with_offspring(&lifeline, "/bin/sleep 1000");
    let mut ask = ask("command:it");
    ask.deadline += Duration::from_secs(1000);
    let begun = async {
        lifeline.begun().await;
        // From here on nothing moves but the clock.
        tokio::time::pause();
    };
    let (answer, ()) = tokio::join!(registry.ask(ask, Deltas::unwatched()), begun);
    tokio::time::resume();
    let err = answer.expect_err("it sleeps");
    assert_eq!(err.failure, CallFailure::Transient { retry_after: None });
    assert_eq!(err.to_string(), "command:it did not answer within 60 s");
    lifeline.over().await;
}

#[tokio::test]
async fn a_program_that_says_too_much_is_cut_and_ended_with_its_whole_group() {
    let mut lifeline = Lifeline::new();
    let flood = "while :; do echo 'tabs – tabs'; done";
    let registry = with_offspring(&lifeline, flood);
    let (answer, ()) =
        tokio::join!(registry.ask(ask("command:it"), Deltas::unwatched()), lifeline.begun());
    let answer = answer.expect("it is cut, not lost");
    assert_eq!(answer.finish, Finish::Truncated);
    assert!(answer.text.len() <= 600 * 32 + 1024);
    assert!(answer.text.starts_with("tabs – tabs\ntabs"));
    lifeline.over().await;
}
