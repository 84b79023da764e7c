//! The commands in README.md, docs/guide.md, docs/http.md and docs/agents.md work when a person
//! pastes them into a terminal.

use std::path::Path;
use std::process::Stdio;
use std::time::Duration;

use serde_json::Value;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::process::{Child, ChildStdin, ChildStdout};

use crate::support::{Cli, HANG, Server, Setup, until};

const README: &str = include_str!("../../../../README.md");
const GUIDE: &str = include_str!("../../../../docs/guide.md");
const HTTP: &str = include_str!("../../../../docs/http.md");
const AGENTS: &str = include_str!("../../../../docs/agents.md");

/// The slug in the examples, in place of the one that a reader gets.
const EXAMPLE_SLUG: &str = "cache-the-index-k3f7";

const BASH: &str = "bash --norc -i";
/// Without its configuration zsh takes no comments and no unmatched patterns at the prompt.
const ZSH: &str = "zsh -f -i";

fn blocks(document: &'static str) -> Vec<&'static str> {
    let blocks = document.split("```sh\n").skip(1);
    blocks.map(|rest| rest.split("```").next().expect("the block ends")).collect()
}

/// Whether the test pastes a block. The others build the project, start a server on the default
/// port, ask for a key, or call a paid model.
fn is_pasted(block: &str) -> bool {
    let others = ["cargo ", "scripts/test", "aw serve", "openai:", "aw config set-key"];
    !others.iter().any(|other| block.contains(other))
}

/// An interactive shell on a pseudo-terminal.
struct Terminal {
    _child: Child,
    input: ChildStdin,
    output: ChildStdout,
    screen: String,
}

impl Terminal {
    async fn open(shell: &str, cli: &Cli, folder: &Path) -> Self {
        let mut command = cli.program("script");
        command.args(["-qfec", shell, "/dev/null"]).env("TERM", "dumb").stdin(Stdio::piped());
        // The blocks write files.
        command.current_dir(folder);
        let mut child = command.spawn().expect("scripts/test installs script and zsh");
        let input = child.stdin.take().expect("it was piped");
        let output = child.stdout.take().expect("it was piped");
        let mut terminal = Self { _child: child, input, output, screen: String::new() };
        // With this option the shell exits at the first command that fails.
        terminal.paste("set -e\n").await;
        terminal
    }

    /// Pastes a block and waits until the shell has executed all of it.
    async fn paste(&mut self, block: &str) {
        let seen = self.screen.len();
        // The shell prints the result of the sum; the echo of the input contains the sum itself.
        let typed = format!("{block}echo finished-$((6 * 7))\n");
        self.input.write_all(typed.as_bytes()).await.expect("the shell reads");
        self.input.flush().await.expect("the shell reads");
        let mut buffer = [0; 4096];
        while !self.screen.get(seen..).is_some_and(|new| new.contains("finished-42")) {
            let read = tokio::time::timeout(HANG, self.output.read(&mut buffer)).await;
            let count = read.unwrap_or_else(|_| panic!("no end of {block} in {}", self.screen));
            let count = count.expect("the terminal can be read");
            assert!(count > 0, "the shell ended at {block} in {}", self.screen);
            self.screen.push_str(&String::from_utf8_lossy(buffer.get(..count).unwrap_or_default()));
        }
    }
}

/// A server whose demo models answer at once and whose forum approves posts.
async fn server() -> Server {
    let setup = Setup::new().env("RUNNER_MODEL_DEBATER", "demo:fast");
    let setup = setup.env("RUNNER_MODEL_JUDGE", "demo:fast");
    setup.env("GUARDRAIL_AUTO_APPROVE", "true").start().await
}

/// Pastes the blocks of a document into one terminal; returns everything that the terminal showed.
async fn paste_all(document: &'static str, shell: &str, server: &Server) -> String {
    let cli = Cli::at(server);
    let mut terminal = Terminal::open(shell, &cli, server.home().path()).await;
    for block in blocks(document).into_iter().filter(|block| is_pasted(block)) {
        terminal.paste(&block.replace("http://127.0.0.1:3456", &server.url)).await;
    }
    terminal.screen
}

async fn titles(server: &Server) -> Vec<String> {
    let debates = server.get("/debates").await.data()["debates"].clone();
    let debates = debates.as_array().expect("a list").iter();
    debates.filter_map(|debate| debate["title"].as_str().map(str::to_owned)).collect()
}

async fn runs(server: &Server) -> Vec<Value> {
    let runs = server.get("/runner/debates").await.json();
    runs["debates"].as_array().or(runs.as_array()).cloned().unwrap_or_default()
}

async fn check_readme(shell: &str) {
    let server = server().await;
    let screen = paste_all(README, shell, &server).await;
    assert!(screen.contains("Tabs are better than spaces"), "{screen}");
    assert_eq!(titles(&server).await, ["Shard the queue", "Cache the index"], "{screen}");
    let runs = runs(&server).await;
    assert_eq!(runs.len(), 1, "{runs:?}");
    assert_eq!(runs.first().map(|run| run["status"].clone()), Some("completed".into()));
}

#[tokio::test]
async fn readme_blocks_work_when_pasted_into_bash() {
    check_readme(BASH).await;
}

#[tokio::test]
async fn readme_blocks_work_when_pasted_into_zsh() {
    check_readme(ZSH).await;
}

async fn check_guide(shell: &str) {
    let server = server().await;
    let screen = paste_all(GUIDE, shell, &server).await;
    assert_eq!(titles(&server).await, ["Cache the index"], "{screen}");
    assert_eq!(runs(&server).await.len(), 1, "{screen}");
}

#[tokio::test]
async fn guide_blocks_work_when_pasted_into_bash() {
    check_guide(BASH).await;
}

#[tokio::test]
async fn guide_blocks_work_when_pasted_into_zsh() {
    check_guide(ZSH).await;
}

async fn check_http(shell: &str) {
    let server = server().await;
    let screen = paste_all(HTTP, shell, &server).await;
    for shown in [
        "\"action\":\"respond\"",
        "\"code\":\"ACTION_NOT_ALLOWED\"",
        "\"state\":\"CLOSED\"",
        "\"reason\":\"debate_closed\"",
        "{\"enqueued\":true}",
        "\"reason\":\"debate_completed\"",
        "\"guardrailStatus\":\"pending\"",
    ] {
        assert!(screen.contains(shown), "{shown} in {screen}");
    }
    let debates = server.get("/debates").await.data()["debates"].clone();
    let id = debates[0]["id"].as_str().expect("it was created").to_owned();
    let transcript = server.get(&format!("/debates/{id}")).await.data();
    assert_eq!(transcript["arguments"].as_array().map(Vec::len), Some(5), "{transcript}");
    until("the problem is public", || async {
        let problems = server.get("/api/v1/problems").await.json();
        // The rate limit without a key is low: poll slowly.
        tokio::time::sleep(Duration::from_millis(200)).await;
        problems["data"][0]["title"] == "Clean water for small villages"
    })
    .await;
}

#[tokio::test]
async fn http_blocks_work_when_pasted_into_bash() {
    check_http(BASH).await;
}

#[tokio::test]
async fn http_blocks_work_when_pasted_into_zsh() {
    check_http(ZSH).await;
}

async fn check_two_terminals(shell: &str) {
    let server = server().await;
    let cli = Cli::at(&server);
    let section = AGENTS.split("## Two agents in two terminals").nth(1).expect("it exists");
    let &[first, second, ..] = blocks(section).as_slice() else { panic!("two blocks: {section}") };
    let mut proposer = Terminal::open(shell, &cli, server.home().path()).await;
    let mut opponent = Terminal::open(shell, &cli, server.home().path()).await;
    let oppose = async {
        until("the debate exists", || async { titles(&server).await.len() == 1 }).await;
        let debates = server.get("/debates").await.data()["debates"].clone();
        let slug = debates[0]["slug"].as_str().expect("each debate has one").to_owned();
        assert!(second.contains(EXAMPLE_SLUG), "{second}");
        opponent.paste(&second.replace(EXAMPLE_SLUG, &slug)).await;
    };
    tokio::join!(proposer.paste(first), oppose);
    assert!(opponent.screen.contains("Resolution by the proposer"), "{}", opponent.screen);
    let debates = server.get("/debates").await.data()["debates"].clone();
    assert_eq!(debates[0]["state"], "CLOSED", "{debates}");
}

#[tokio::test]
async fn two_agents_hold_a_debate_in_two_terminals_of_bash() {
    check_two_terminals(BASH).await;
}

#[tokio::test]
async fn two_agents_hold_a_debate_in_two_terminals_of_zsh() {
    check_two_terminals(ZSH).await;
}

#[test]
fn blocks_that_the_tests_do_not_paste_are_listed() {
    let others = [README, GUIDE, HTTP].into_iter().flat_map(blocks);
    let others: Vec<_> = others.filter(|block| !is_pasted(block)).collect();
    assert_eq!(
        others,
        [
            "cargo run --release -- serve\n",
            "cargo install --locked --path crates/aw\n",
            "scripts/test\n",
            "aw serve\n",
            "aw config set-key openai\naw restart\n",
            "aw run start 'Remote work makes teams stronger' --model openai:gpt-4.1 \
             --judge openai:gpt-4.1 --rounds 3 --follow\n",
        ]
    );
}

#[test]
fn blocks_use_no_syntax_that_some_shell_or_system_lacks() {
    for block in [README, GUIDE, HTTP].into_iter().flat_map(blocks) {
        assert!(!block.lines().any(|line| line.trim_start().starts_with('#')), "{block}");
        assert!(!block.contains('!') && !block.contains("() {"), "{block}");
        assert!(!block.contains("/proc/"), "{block}");
        for line in block.lines() {
            assert_eq!(line.matches('\'').count() % 2, 0, "{line}");
            let outside_quotes: String = line.split('\'').step_by(2).collect();
            assert_eq!(outside_quotes.matches('"').count() % 2, 0, "{line}");
        }
    }
}

/// Documents that name source files of the project.
const DEVELOPER_DOCUMENTS: [&str; 4] = [
    include_str!("../../../../ARCHITECTURE.md"),
    include_str!("../../../../CONTRIBUTING.md"),
    include_str!("../../../../docs/glossary.md"),
    include_str!("../../../../docs/guarantees.md"),
];

const SOURCE_ENDINGS: [&str; 8] = [".rs", ".html", ".sql", ".toml", ".py", ".patch", ".js", ".css"];

/// The source files that a document names in code font, such as `arena/crash.rs`. Names with
/// alternatives (`{a,b}`) or placeholders (`<context>`) are left out.
fn named_sources(document: &str) -> impl Iterator<Item = &str> {
    document.split('`').skip(1).step_by(2).filter(|name| {
        let is_source = SOURCE_ENDINGS.iter().any(|ending| name.ends_with(ending));
        is_source && !name.contains([' ', '{', '<', '*'])
    })
}

#[test]
fn source_files_named_in_documents_exist() {
    let root = Path::new(env!("CARGO_MANIFEST_DIR")).join("../..");
    let mut files = Vec::new();
    let mut folders = vec![root.clone()];
    while let Some(folder) = folders.pop() {
        for entry in std::fs::read_dir(folder).expect("the folder can be read") {
            let path = entry.expect("the folder can be read").path();
            let name = path.file_name().unwrap_or_default().to_string_lossy().into_owned();
            if path.is_dir() && name != "target" && name != ".git" {
                folders.push(path);
            } else {
                files.push(format!("/{}", path.strip_prefix(&root).unwrap_or(&path).display()));
            }
        }
    }
    let names: Vec<&str> = DEVELOPER_DOCUMENTS.into_iter().flat_map(named_sources).collect();
    assert!(names.len() > 50, "the documents name {} source files", names.len());
    let missing: Vec<_> = names
        .into_iter()
        .filter(|name| {
            let end = format!("/{}", name.trim_start_matches("../"));
            files.iter().all(|file| !file.ends_with(&end))
        })
        .collect();
    assert!(missing.is_empty(), "documents name files that do not exist: {missing:?}");
}
