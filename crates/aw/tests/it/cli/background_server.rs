//! The background server: concurrent commands start one server, its files are private, and the
//! servers of others are not touched.

use std::os::unix::fs::PermissionsExt;
use std::process::Stdio;

use serde_json::Value;
use tempfile::TempDir;
use tokio::io::{AsyncBufReadExt, BufReader};
use tokio::task::JoinSet;

use crate::support::{Cli, Machine, Output, Server, client, free_port, new_id};

#[tokio::test]
async fn twenty_concurrent_commands_start_one_server_and_open_twenty_debates() {
    let machine = Machine::new();
    let mut creating = JoinSet::new();
    for number in 0..20 {
        let cli = machine.cli();
        creating.spawn(async move {
            let (id, title) = (new_id(), format!("Debate {number}"));
            let words = ["debate", "create", "--debate-id", &id, "--title", &title];
            let rest = ["--type", "general_debate", "--content", "We should."];
            cli.run(&[&words[..], &rest[..]].concat()).await
        });
    }
    let output = creating.join_all().await;
    for each in &output {
        assert_eq!(each.data()["debate_state"], "AWAITING_OPPONENT");
    }
    let starters = output.iter().filter(|each| each.err.contains("starting a server at")).count();
    assert_eq!(starters, 1, "one of them started it");
    assert_eq!(machine.servers(), 1, "and one is there");
    let list = machine.cli().run(&["debate", "list"]).await.json();
    assert_eq!(list["total_count"], 20);
}

#[tokio::test]
async fn first_command_on_a_new_machine_starts_the_server_and_opens_a_debate() {
    let machine = Machine::new();
    let start = ["run", "start", "Tabs or spaces?", "--rounds", "1", "--follow"];
    let fast = ["--model", "demo:fast", "--judge", "demo:fast", "--format", "text"];
    let output = machine.cli().run(&[&start[..], &fast[..]].concat()).await;
    assert_eq!(output.code, 0, "{output:?}");
    assert!(output.err.contains("starting a server at"), "{output:?}");
    for shown in ["Demo mode:", "Round 1 · Judge", "Finished: the only round was played."] {
        assert!(output.out.contains(shown), "{output:?}");
    }
    assert_eq!(machine.servers(), 1);
}

#[tokio::test]
async fn two_users_share_the_server_that_bound_the_port_first() {
    let (one, mut two) = (Machine::new(), Machine::new());
    two.port = one.port;
    let mut creating = JoinSet::new();
    for cli in [one.cli(), two.cli(), one.cli(), two.cli(), one.cli(), two.cli()] {
        creating.spawn(async move { create(&cli).await });
    }
    for output in creating.join_all().await {
        assert_eq!(output.data()["debate_state"], "AWAITING_OPPONENT");
    }
    assert_eq!(one.servers(), 1);
    assert_eq!(one.cli().run(&["debate", "list"]).await.json()["total_count"], 6);
    assert!(one.pid().is_some() != two.pid().is_some(), "one of them is its owner");
}

#[tokio::test]
async fn foreign_server_on_the_port_is_reported_and_not_sent_the_token() {
    // The script counts the requests that carried a token.
    let script = "let shown = 0;
                  const s = require('http').createServer((q, r) => {
                    shown += q.headers.authorization ? 1 : 0;
                    r.end(`mine, and ${shown} tokens`);
                  });
                  s.listen(0, '127.0.0.1', () => console.log(s.address().port));";
    let mut stranger = tokio::process::Command::new("node")
        .args(["-e", script])
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node runs");
    let stdout = stranger.stdout.take().expect("it was piped");
    let port = BufReader::new(stdout).lines().next_line().await.expect("it prints text");
    let port = port.expect("it listens");
    let pid = stranger.id().expect("it runs");

    let home = TempDir::new().expect("there is room");
    let url = format!("http://127.0.0.1:{port}");
    let cli = Cli::with_home(home.path())
        .env("DEBATE_SERVER_URL", &url)
        .env("DEBATE_AUTH_TOKEN", "t0k3n");
    let id = new_id();
    let create = ["debate", "create", "--debate-id", &id, "--title", "Mine"];
    let content = ["--type", "general_debate", "--content", "We should."];
    for words in [&[&create[..], &content[..]].concat()[..], &["debate", "services", "start"][..]] {
        let output = cli.run(words).await;
        assert_eq!((output.code, output.error_code().as_str()), (3, "PORT_TAKEN"));
        let message = output.error()["message"].as_str().expect("it is text").to_owned();
        let named = format!("port {port} is in use by node, process {pid}");
        assert!(message.contains(&named) && message.contains("not an aweave server"), "{message}");
    }
    let status = cli.run(&["debate", "services", "status"]).await;
    assert_eq!(status.data()["status"], "not_running");
    assert!(status.json()["metadata"]["message"].as_str().unwrap_or_default().contains("node"));
    let stop = cli.run(&["debate", "services", "stop"]).await;
    assert_eq!(stop.data()["status"], "not_running");
    assert!(stranger.try_wait().expect("it is our own child").is_none(), "it runs on");
    let answer = client().get(&url).send().await.expect("it answers");
    let answer = answer.text().await.expect("it is text");
    assert_eq!(answer, "mine, and 0 tokens");
}

#[tokio::test]
async fn background_server_is_started_once_inspected_and_stopped() {
    let machine = Machine::new();
    let cli = machine.cli();
    let services = async |what: &str| cli.data(&["debate", "services", what]).await;
    assert_eq!(services("status").await["status"], "not_running");

    let started = services("start").await;
    assert_eq!(started["status"], "started");
    assert_eq!(started["server"]["port"], machine.port);
    assert_eq!(started["server"]["healthy"], true);
    let pid = started["server"]["pid"].clone();
    assert!(pid.is_u64(), "{pid}");
    let again = services("start").await;
    assert_eq!((&again["status"], &again["server"]["pid"]), (&"already_running".into(), &pid));
    let status = services("status").await;
    assert_eq!((&status["status"], &status["server"]["pid"]), (&"running".into(), &pid));

    for (path, mode) in [("", 0o700), ("run", 0o700), ("run/lock", 0o600)] {
        assert_eq!(mode_of(&machine, path), mode, "{path}");
    }
    for ending in ["json", "log"] {
        let path = format!("run/server-{}.{ending}", machine.port);
        assert_eq!(mode_of(&machine, &path), 0o600, "{path}");
    }

    let stopped = services("stop").await;
    assert_eq!((&stopped["status"], &stopped["server"]["pid"]), (&"stopped".into(), &Value::Null));
    assert_eq!(machine.servers(), 0);
    assert_eq!(services("stop").await["status"], "not_running");
    assert_eq!(services("status").await["status"], "not_running");
}

fn mode_of(machine: &Machine, path: &str) -> u32 {
    let path = machine.home.path().join(".aweave").join(path);
    std::fs::metadata(path).expect("it is there").permissions().mode() & 0o777
}

#[tokio::test]
async fn manually_started_server_is_shown_but_not_stopped() {
    let mut server = Server::start().await;
    let cli = Cli::at(&server);
    let status = cli.data(&["debate", "services", "status"]).await;
    assert_eq!((&status["status"], &status["server"]["pid"]), (&"running".into(), &Value::Null));
    let started = cli.data(&["debate", "services", "start"]).await;
    assert_eq!(started["status"], "already_running");
    let output = cli.run(&["debate", "services", "stop"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (3, "SERVER_NOT_STOPPED"));
    assert_eq!(server.get("/health").await.status, 200);
    server.terminate();
    server.wait_for_exit().await;
}

#[tokio::test]
async fn process_with_the_reused_pid_of_a_dead_server_is_not_stopped() {
    let machine = Machine::new();
    let cli = machine.cli();
    cli.data(&["debate", "services", "start"]).await;
    let pid = machine.pid().and_then(rustix::process::Pid::from_raw).expect("it runs");
    rustix::process::kill_process(pid, rustix::process::Signal::KILL).expect("we started it");
    // Another process with the recorded process id, but with another start time.
    let mut other = tokio::process::Command::new("cat")
        .stdin(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("cat runs");
    let record = std::fs::read_to_string(machine.record()).expect("the record is there");
    let mut record: Value = serde_json::from_str(&record).expect("it is JSON");
    record["pid"] = other.id().expect("it runs").into();
    std::fs::write(machine.record(), record.to_string()).expect("the home is ours");
    assert_eq!(cli.data(&["debate", "services", "stop"]).await["status"], "not_running");
    assert!(other.try_wait().expect("it is our own child").is_none(), "it runs on");
    other.kill().await.expect("it is our own child");
    // The stale record does not prevent a new start.
    assert_eq!(cli.data(&["debate", "services", "start"]).await["status"], "started");
}

#[tokio::test]
async fn no_server_is_started_for_https_a_path_prefix_or_disabled_auto_start() {
    let home = TempDir::new().expect("there is room");
    let port = free_port();
    for url in [format!("https://127.0.0.1:{port}"), format!("http://127.0.0.1:{port}/behind")] {
        let cli = Cli::with_home(home.path()).env("DEBATE_SERVER_URL", &url);
        let cli = cli.env("DEBATE_RETRY_DEADLINE", "0");
        let output = create(&cli).await;
        assert_eq!((output.code, output.error_code().as_str()), (3, "SERVER_UNREACHABLE"), "{url}");
        let output = cli.run(&["debate", "services", "start"]).await;
        assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"), "{url}");
    }
    let url = format!("http://127.0.0.1:{port}");
    let cli = Cli::with_home(home.path())
        .env("DEBATE_SERVER_URL", &url)
        .env("DEBATE_AUTO_START", "false");
    let output = create(&cli.env("DEBATE_RETRY_DEADLINE", "0")).await;
    assert_eq!((output.code, output.error_code().as_str()), (3, "SERVER_UNREACHABLE"));
    assert!(!home.path().join(".aweave").exists(), "nothing was made");
}

async fn create(cli: &Cli) -> Output {
    let id = new_id();
    let words = ["debate", "create", "--debate-id", &id, "--title", "T", "--type"];
    cli.run(&[&words[..], &["general_debate", "--content", "We should."]].concat()).await
}

#[tokio::test]
async fn background_server_that_cannot_start_reports_the_reason() {
    let machine = Machine::new();
    let output = create(&machine.cli().env("DEBATE_DB_PATH", "/dev/null/debate.db")).await;
    assert_eq!((output.code, output.error_code().as_str()), (3, "SERVER_NOT_STARTED"));
    let message = output.error()["message"].as_str().expect("it is text").to_owned();
    assert!(message.contains("/dev/null/debate.db"), "{message}");
    assert!(!machine.record().exists(), "there is nothing to remember");
}

#[tokio::test]
async fn started_server_requires_the_token_of_the_command_that_started_it() {
    let machine = Machine::new();
    let file = machine.home.path().join("token");
    std::fs::write(&file, "t0k3n\n").expect("the home is ours");
    let private = std::fs::Permissions::from_mode(0o600);
    std::fs::set_permissions(&file, private).expect("the file is ours");
    let file = file.display().to_string();
    let words = ["debate", "services", "start", "--token-file", &file];
    assert_eq!(machine.cli().data(&words).await["status"], "started");
    assert_eq!(machine.cli().run(&["debate", "list"]).await.code, 6);
    let output = machine.cli().run(&["debate", "list", "--token-file", &file]).await;
    assert_eq!(output.json()["total_count"], 0);
}
