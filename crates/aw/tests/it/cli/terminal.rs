//! Help, completions, manual pages, and control characters on a terminal.

use crate::support::{Cli, Debate, Output, Server};

const COMMANDS: [&str; 20] = [
    "new",
    "join",
    "say",
    "next",
    "show",
    "generate-id",
    "create",
    "submit",
    "appeal",
    "request-completion",
    "ruling",
    "intervention",
    "get-context",
    "list",
    "wait",
    "delete",
    "watch",
    "export",
    "open",
    "services",
];

const RUN_COMMANDS: [&str; 11] = [
    "start", "list", "show", "follow", "stop", "resume", "retry", "cancel", "delete", "export",
    "attempts",
];

const FORUM_COMMANDS: [&str; 11] = [
    "register",
    "me",
    "rotate-key",
    "problem",
    "solution",
    "post",
    "thread",
    "status",
    "upvote",
    "appeal",
    "review",
];

/// Every command with its group.
fn all_commands() -> impl Iterator<Item = (&'static str, &'static str)> {
    let debate = COMMANDS.into_iter().map(|command| ("debate", command));
    let run = RUN_COMMANDS.into_iter().map(|command| ("run", command));
    debate.chain(run).chain(FORUM_COMMANDS.into_iter().map(|command| ("forum", command)))
}

fn cli() -> Cli {
    Cli::with_home(std::path::Path::new("/nonexistent"))
}

#[tokio::test]
async fn help_of_every_command_has_an_example() {
    let mut all = String::new();
    for (family, command) in all_commands() {
        let output = cli().run(&[family, command, "--help"]).await;
        assert_eq!(output.code, 0, "{output:?}");
        let example = format!("aw {family} {command}");
        assert!(output.out.contains("Example") && output.out.contains(&example), "{}", output.out);
        all.extend(["$ aw ", family, " ", command, " --help\n", &output.out, "\n"]);
    }
    for command in ["start", "stop", "status"] {
        let output = cli().run(&["debate", "services", command, "--help"]).await;
        assert!(output.out.contains(&format!("aw debate services {command}")), "{}", output.out);
    }
    for (family, commands) in [
        ("problem", &["raise", "list", "show", "delete"][..]),
        ("solution", &["propose", "list", "show", "delete"]),
        ("review", &["list", "show", "claim", "release", "approve", "reject"]),
    ] {
        for command in commands {
            let output = cli().run(&["forum", family, command, "--help"]).await;
            assert!(output.out.contains(&format!("aw forum {family} {command}")), "{}", output.out);
            all.extend(["$ aw forum ", family, " ", command, " --help\n", &output.out, "\n"]);
        }
    }
    for command in ["rule", "prompt", "open", "status", "stop", "restart", "logs"] {
        let output = cli().run(&[command, "--help"]).await;
        assert!(output.out.contains(&format!("aw {command}")), "{}", output.out);
        all.extend(["$ aw ", command, " --help\n", &output.out, "\n"]);
    }
    for command in ["init", "show", "path", "set-key"] {
        let output = cli().run(&["config", command, "--help"]).await;
        assert!(output.out.contains(&format!("aw config {command}")), "{}", output.out);
        all.extend(["$ aw config ", command, " --help\n", &output.out, "\n"]);
    }
    let mut tops = Vec::new();
    for family in ["debate", "run", "forum", "config"] {
        let output = cli().run(&[family, "--help"]).await;
        tops.push(format!("$ aw {family} --help\n{}", output.out));
    }
    let tops = tops.join("\n");
    insta::assert_snapshot!(format!("{tops}\n{all}"));
}

#[tokio::test]
async fn aw_without_arguments_prints_its_purpose_and_three_commands_that_work() {
    let output = cli().run(&[]).await;
    insta::assert_snapshot!(output.err);
    let tried = output.err.split("Try first:").nth(1).expect("it says what to try");
    assert_eq!(tried.lines().filter(|line| line.starts_with("  aw ")).count(), 3);
}

#[tokio::test]
async fn completions_load_in_their_shells_and_complete_the_commands() {
    for shell in ["bash", "zsh", "fish", "elvish", "powershell"] {
        let output = cli().run(&["completions", shell]).await;
        assert_eq!(output.code, 0, "{output:?}");
        assert!(output.out.contains("AW_COMPLETE"), "{shell}: {output:?}");
    }
    for shell in ["bash", "zsh", "fish"] {
        for (words, completed) in [
            (&["debate", "request-c"][..], "request-completion"),
            (&["run", "att"], "attempts"),
            (&["run", "start", "--judge-m"], "--judge-mode"),
        ] {
            let index = words.len().to_string();
            let asking = cli().env("AW_COMPLETE", shell).env("_CLAP_COMPLETE_INDEX", &index);
            let output = asking.run(&[&["--", "aw"], words].concat()).await;
            assert!(output.out.contains(completed), "{shell}: {output:?}");
        }
    }
    for (shell, test) in [
        ("bash", "eval \"$(aw completions bash)\"; complete -p aw"),
        (
            "zsh",
            "autoload -Uz compinit; compinit -D; eval \"$(aw completions zsh)\"; \
                 print aw ${_comps[aw]}",
        ),
    ] {
        let mut command = cli().program(shell);
        command.args(["-c", test]);
        let output = Output::run(command).await;
        assert!(output.out.contains("aw"), "{shell}: {output:?}");
        assert_eq!(output.code, 0, "{shell}: {output:?}");
    }
}

#[tokio::test]
async fn there_is_a_manual_page_for_every_command() {
    let folder = tempfile::tempdir().expect("there is room");
    let out = folder.path().join("man1").display().to_string();
    let output = cli().run(&["man", "--out", &out]).await;
    assert_eq!(output.code, 0, "{output:?}");
    for (family, command) in all_commands() {
        let page = folder.path().join(format!("man1/aw-{family}-{command}.1"));
        let page = std::fs::read_to_string(&page).expect("it is there");
        let named = page.contains(&format!("aw {family}"));
        assert!(page.contains(".SH NAME") && named, "{page}");
    }
}

#[tokio::test]
async fn control_characters_of_arguments_are_escaped_on_a_terminal() {
    let server = Server::start().await;
    let nasty = "\u{1b}]0;owned\u{7}\u{1b}[2J\u{9b}31m\r\u{202e}over\u{8}\u{8}";
    let debate = Debate::open_with(&server, |body| {
        body["title"] = nasty.into();
        body["motion_content"] = format!("{nasty}\nsecond line").into();
    })
    .await;
    let cli = Cli::at(&server).env("TERM", "xterm").env("NO_COLOR", "1");
    for command in ["get-context", "wait --role opponent", "export", "list"] {
        for format in ["", "--format text", "--format markdown", "--format json"] {
            let about = if command == "list" { "" } else { "--debate-id" };
            let id = if command == "list" { "" } else { &debate.id };
            let line = format!("stty cols 200; aw debate {command} {about} {id} {format}");
            let shown = cli.in_terminal(&line).await;
            assert!(shown.contains("over"), "{line}: {shown:?}");
            let obeyed = |c: char| c.is_control() && !"\n\r\t".contains(c) || c == '\u{202e}';
            assert!(!shown.contains(obeyed), "{line}: {shown:?}");
            // The terminal itself writes CR LF.
            assert!(!shown.replace("\r\n", "\n").contains('\r'), "{line}: {shown:?}");
        }
    }
}

#[tokio::test]
async fn terminal_output_is_coloured_unless_disabled() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    let line = format!("aw debate get-context --debate-id {}", debate.id);
    let cli = Cli::at(&server).env("TERM", "xterm");
    let shown = cli.in_terminal(&line).await;
    assert!(shown.contains("\u{1b}[1mCache the index\u{1b}[0m"), "{shown:?}");
    let plain = cli.clone().env("NO_COLOR", "1").in_terminal(&line).await;
    assert!(plain.starts_with("Cache the index\r\n"), "{plain:?}");
    assert!(!cli.clone().env("TERM", "dumb").in_terminal(&line).await.contains('\u{1b}'));
    let piped = cli.run(&["debate", "get-context", "--debate-id", &debate.id]).await;
    assert_eq!(piped.json()["success"], true, "elsewhere it is JSON");
}

#[tokio::test]
async fn delete_requires_confirmation_on_a_terminal() {
    let server = Server::start().await;
    let cli = Cli::at(&server).env("TERM", "dumb");
    for (answer, is_gone) in [("n", false), ("y", true)] {
        let debate = Debate::open(&server).await;
        let line = format!("aw debate delete --debate-id {}", debate.id);
        let text = cli.answer_in_terminal(&line, "[y/N]", answer).await.out;
        assert!(text.contains("Delete “Cache the index”"), "{text}");
        let status = server.get(&debate.path("")).await.status;
        assert_eq!(status == 404, is_gone, "{text}");
    }
}
