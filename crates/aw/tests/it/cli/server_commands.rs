//! `aw` without arguments, `aw open`, `status`, `stop`, `logs`, and `aw serve` beside a server.

use std::process::Stdio;

use tokio::io::{AsyncBufReadExt, BufReader};

use crate::support::{Cli, Debate, HANG, Machine, Output, Server, Setup, free_port};

fn on_terminal(cli: Cli) -> Cli {
    cli.env("TERM", "xterm").env("NO_COLOR", "1")
}

#[tokio::test]
async fn aw_on_a_terminal_starts_the_server_and_names_three_commands() {
    let machine = Machine::new();
    let shown = on_terminal(machine.cli()).in_terminal("aw").await;
    assert!(shown.contains("starting a server at"), "{shown}");
    assert!(shown.contains(&format!("is running at {}", machine.url())), "{shown}");
    assert!(shown.contains("Nothing needs you now."), "{shown}");
    let commands = shown.split("Next commands").nth(1).expect("they are listed");
    assert_eq!(commands.matches("  aw ").count(), 3, "{shown}");
    assert_eq!(machine.servers(), 1);
    let again = on_terminal(machine.cli()).in_terminal("aw").await;
    assert!(!again.contains("starting a server"), "{again}");
}

#[tokio::test]
async fn aw_on_a_terminal_lists_pending_rulings_first_waiting_first() {
    let server = Server::start().await;
    let mut slugs = Vec::new();
    for number in 0..7 {
        let debate = Debate::open_with(&server, |body| {
            body["title"] = format!("Plan {number}").into();
        })
        .await;
        debate.intervene().await;
        let reply = server.get(&debate.path("?limit=0")).await;
        let slug = reply.data()["debate"]["slug"].as_str().expect("it has one").to_owned();
        slugs.push(slug);
    }
    let shown = on_terminal(Cli::at(&server)).in_terminal("aw").await;
    for number in 0..5 {
        assert!(shown.contains(&format!("Plan {number}")), "{shown}");
    }
    assert!(!shown.contains("Plan 6"), "{shown}");
    assert!(shown.contains("2 more debates"), "{shown}");
    let first = slugs.first().expect("there are some");
    assert!(shown.contains(&format!("aw rule {first}")), "{shown}");
    assert!(shown.contains(&format!("aw open {first}")), "{shown}");
}

#[tokio::test]
async fn aw_without_a_terminal_prints_the_help_and_starts_nothing() {
    let machine = Machine::new();
    let output = machine.cli().run(&[]).await;
    assert_eq!(output.code, 2, "{output:?}");
    assert!(output.err.contains("Usage: aw"), "{output:?}");
    assert_eq!(machine.servers(), 0);
}

#[tokio::test]
async fn top_level_commands_control_the_background_server() {
    let machine = Machine::new();
    let cli = machine.cli();
    assert_eq!(cli.data(&["status"]).await["status"], "not_running");
    let opened = cli.data(&["open"]).await;
    assert_eq!(opened["url"], format!("{}/", machine.url()));
    let status = cli.data(&["status"]).await;
    assert_eq!(status, cli.data(&["debate", "services", "status"]).await);
    assert_eq!(status["status"], "running");
    let (id, _) = cli.create("Cache the index").await;
    let opened = cli.data(&["open", &id]).await;
    assert_eq!(opened["url"], format!("{}/arena/{id}", machine.url()));
    assert_eq!(cli.data(&["stop"]).await["status"], "stopped");
    assert_eq!(machine.servers(), 0);
}

#[tokio::test]
async fn stop_and_restart_leave_a_foreground_server_alone() {
    let server = Server::start().await;
    for command in ["stop", "restart"] {
        let output = Cli::at(&server).run(&[command]).await;
        assert_eq!((output.code, output.error_code().as_str()), (3, "SERVER_NOT_STOPPED"));
    }
    assert_eq!(server.get("/health").await.status, 200);
}

#[tokio::test]
async fn logs_print_the_log_and_follow_it() {
    let machine = Machine::new();
    let cli = machine.cli();
    let output = cli.run(&["logs"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"));
    cli.data(&["debate", "services", "start"]).await;
    let log = machine.home.path().join(format!(".aweave/run/server-{}.log", machine.port));
    std::fs::write(&log, "one\ntwo\nthree\n").expect("the home is ours");
    assert_eq!(cli.run(&["logs", "--lines", "2"]).await.out, "two\nthree\n");
    let mut following = cli.command(&["logs", "-f", "--lines", "1"]).spawn().expect("it starts");
    let mut lines = BufReader::new(following.stdout.take().expect("it was piped")).lines();
    let mut next = async || {
        let line = tokio::time::timeout(HANG, lines.next_line()).await.expect("no hang");
        line.expect("it is text").expect("it goes on")
    };
    assert_eq!(next().await, "three");
    std::fs::write(&log, "new\u{1b}[2J\n").expect("the home is ours");
    assert_eq!(next().await, "new␛[2J", "an emptied log is read from its start");
    following.kill().await.expect("it is our own child");
}

#[tokio::test]
async fn serve_beside_a_running_server_names_it_and_how_to_open_it() {
    let machine = Machine::new();
    let cli = machine.cli();
    let started = cli.data(&["debate", "services", "start"]).await;
    let pid = &started["server"]["pid"];
    let port = machine.port.to_string();
    let output = cli.run(&["serve", "--port", &port]).await;
    assert_eq!(output.code, 1, "{output:?}");
    let url = machine.url();
    let expected = format!(
        "aweave is already running (process {pid}, {url}); open it with `aw open --server {url}`, \
         or stop it with `aw stop --server {url}`"
    );
    assert!(output.err.contains(&expected), "{output:?}");
    assert_eq!(machine.servers(), 1);
}

#[tokio::test]
async fn serve_beside_a_foreground_server_does_not_suggest_to_stop_it() {
    let server = Server::start().await;
    let port = server.url.rsplit(':').next().expect("it has a port").to_owned();
    let output = Cli::at(&server).run(&["serve", "--port", &port]).await;
    let named = format!("aweave is already running (process {}, {})", server.pid(), server.url);
    assert!(output.err.contains(&named), "{output:?}");
    assert!(output.err.contains("aw open") && !output.err.contains("aw stop"), "{output:?}");
}

fn is_default_port_free() -> bool {
    std::net::TcpStream::connect("127.0.0.1:3456").is_err()
}

#[tokio::test]
async fn commands_without_an_address_find_the_running_server_by_its_record() {
    let server = Setup::bare().start().await;
    let debate = Debate::open(&server).await;
    let cli = Cli::with_home(server.home().path());
    let record = server.home().path().join(".aweave/run");
    assert!(record.read_dir().is_ok_and(|mut files| files.next().is_some()), "it is recorded");
    if !is_default_port_free() {
        // A server on the default port has precedence.
        return;
    }
    let listed = cli.run(&["debate", "list"]).await;
    assert_eq!(listed.json()["total_count"], 1, "{listed:?}");
    assert!(listed.err.contains(&format!("using the running server at {}", server.url)));
    let created = cli.create("Second").await;
    let waiting = cli.env("DEBATE_WAIT_DEADLINE", "0");
    let words = ["debate", "wait", "--debate-id", &created.0, "--role", "proposer"];
    let retry = waiting.data(&words).await["retry_command"].clone();
    let retry = retry.as_str().expect("it is text");
    assert!(retry.contains(&format!("--server {}", server.url)), "{retry}");
    assert_eq!(server.get(&debate.path("")).await.status, 200);
}

#[tokio::test]
async fn reads_fail_at_once_without_a_server_and_writes_retry() {
    let machine = Machine::new();
    let cli = machine.cli().env("DEBATE_AUTO_START", "false");
    let id = crate::support::new_id();
    let here = ["--debate-id", id.as_str()];
    let reads = [
        vec!["debate", "list"],
        [&["debate", "get-context"], &here[..]].concat(),
        [&["debate", "export"], &here[..]].concat(),
        vec!["run", "list"],
        vec!["run", "show", &id],
        vec!["forum", "problem", "list"],
    ];
    // A retry would last until this deadline, and the test with it.
    let patient = cli.clone().env("DEBATE_RETRY_DEADLINE", "3600");
    for words in reads {
        let output = patient.run(&words).await;
        assert_eq!((output.code, output.error_code().as_str()), (3, "SERVER_UNREACHABLE"));
        assert!(!output.err.contains("retrying"), "{output:?}");
        let suggestion = output.error()["suggestion"].to_string();
        assert!(suggestion.contains("aw serve") && suggestion.contains("aw open"), "{suggestion}");
    }
    let write = [&["debate", "ruling"], &here[..], &["--content", "Yes."]].concat();
    let output = cli.env("DEBATE_RETRY_DEADLINE", "1").run(&write).await;
    assert_eq!(output.code, 3, "{output:?}");
    assert_eq!(output.err.matches("retrying for up to 1 s").count(), 1, "{output:?}");
}

#[tokio::test]
async fn record_of_a_killed_server_is_ignored() {
    let server = Setup::bare().start().await;
    let home = server.home().path().to_owned();
    let (cli, url) = (Cli::with_home(&home).env("DEBATE_AUTO_START", "false"), server.url.clone());
    let mut killed = cli.command(&["serve", "--port", &free_port().to_string()]);
    killed.env("DEBATE_DB_PATH", home.join("other.db")).stdout(Stdio::piped());
    let mut killed = killed.spawn().expect("it starts");
    let stdout = killed.stdout.take().expect("it was piped");
    let line = BufReader::new(stdout).lines().next_line().await.expect("it is text");
    assert!(line.is_some_and(|line| line.contains("is listening")), "it runs");
    let two = Output::run(cli.command(&["debate", "list"])).await;
    assert!(!two.err.contains("using the running server"), "two are ambiguous: {two:?}");
    killed.kill().await.expect("it is our own child");
    let one = cli.run(&["debate", "list"]).await;
    assert!(
        !is_default_port_free() || one.err.contains(&format!("using the running server at {url}")),
        "{one:?}"
    );
}
