//! `aw debate wait`: across restarts, up to its deadline, and with all missed arguments.

use serde_json::{Value, json};

use crate::support::{Cli, Debate, HANG, Output, Server, Setup, argument_id, free_port, until};

#[tokio::test]
async fn wait_returns_the_argument_across_a_restart() {
    let setup = Setup::bare().env("DEBATE_SERVER_PORT", &free_port().to_string());
    let server = setup.start().await;
    let cli = Cli::at(&server);
    let (id, motion) = cli.create("Cache the index").await;
    let waiting = cli
        .command(&[
            "debate",
            "wait",
            "--debate-id",
            &id,
            "--role",
            "proposer",
            "--argument-id",
            &motion,
        ])
        .spawn()
        .expect("the binary starts");
    until("it waits", || async { server.metric("aw_waiters").await >= 1.0 }).await;
    server.kill().await;
    let server = setup.start().await;
    let submit = ["debate", "submit", "--debate-id", &id, "--role", "opponent"];
    let claim = ["--target-id", &motion, "--content", "It will not fit."];
    let claim = cli.data(&[&submit[..], &claim[..]].concat()).await;
    let ended = tokio::time::timeout(HANG, waiting.wait_with_output()).await.expect("no hang");
    let output = Output::from(ended.expect("it is our own child"));
    let news = output.data();
    assert_eq!(news["status"], "new_argument");
    assert_eq!(news["action"], "respond");
    assert_eq!(news["next_argument_id_to_wait"], claim["argument_id"]);
    assert_eq!(news["argument"]["content"], "It will not fit.");
    drop(server);
}

#[tokio::test]
async fn wait_prints_a_working_command_to_continue_at_its_deadline() {
    let server = Server::start().await;
    let hasty = Cli::at(&server).env("DEBATE_WAIT_DEADLINE", "0.2");
    let (id, motion) = hasty.create("Cache the index").await;
    // A token file whose name needs correct quoting; the server requires no token.
    let file = server.home().path().join("my token's $HOME `file`");
    std::fs::write(&file, "t0k3n\n").expect("the folder is ours");
    let private = <std::fs::Permissions as std::os::unix::fs::PermissionsExt>::from_mode(0o600);
    std::fs::set_permissions(&file, private).expect("the file is ours");
    let token_file = file.display().to_string();
    let wait = ["debate", "wait", "--debate-id", &id, "--role", "proposer"];
    let flags = ["--argument-id", &motion, "--server", &server.url];
    let more = ["--token-file", &token_file, "--format", "json", "--quiet"];
    let words = [&wait[..], &flags[..], &more[..]].concat();
    let ended = hasty.run(&words).await.data();
    assert_eq!(ended["status"], "timeout");
    assert_eq!(ended["last_argument_id"], motion.as_str());
    assert_eq!(ended["last_seen_seq"], 1);
    let keys: Vec<_> = ended.as_object().expect("an object").keys().collect();
    let expected =
        ["status", "message", "debate_id", "last_argument_id", "last_seen_seq", "retry_command"];
    assert_eq!(keys, expected);

    let debate = Debate { server: &server, id: id.clone(), motion: motion.clone() };
    let claim = argument_id(&debate.claim("opponent", &motion, "c-1").await);
    let command = ended["retry_command"].as_str().expect("it is text");
    // The printed command contains everything: no variable names the server.
    let mut shell = Cli::with_home(server.home().path()).program("sh");
    shell.args(["-c", command]);
    let news = Output::run(shell).await.data();
    assert_eq!(news["status"], "new_argument", "{command}");
    assert_eq!(news["next_argument_id_to_wait"], claim.as_str());
}

#[tokio::test]
async fn wait_returns_all_missed_arguments_even_beyond_one_response() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let debate = Debate::open(&server).await;
    // Thirty claims of 10 KB exceed the 256 KB of one response.
    let mut last = debate.motion.clone();
    for turn in 0..30_usize {
        let role = if turn.is_multiple_of(2) { "opponent" } else { "proposer" };
        let content = format!("{turn} {}", "x".repeat(10_000));
        let body = json!({ "role": role, "target_id": last, "content": content,
                           "client_request_id": format!("t-{turn}") });
        let reply = server.post(&debate.path("/arguments"), &body).await;
        last = argument_id(&reply);
    }
    let asked = server.get(&debate.path("/poll?role=opponent")).await.data();
    assert!(asked["arguments_omitted"].as_u64().expect("a number") > 0, "some are left out");
    for seen in [None, Some(&debate.motion)] {
        let mut words = vec!["debate", "wait", "--debate-id", &debate.id, "--role", "opponent"];
        words.extend(seen.iter().flat_map(|id| ["--argument-id", id.as_str()]));
        let news = cli.run(&words).await.data();
        let seqs = |value: &Value| value["seq"].as_u64().expect("it has a place");
        let earlier = news["arguments"].as_array().expect("a list");
        let seqs: Vec<_> = earlier.iter().chain([&news["argument"]]).map(seqs).collect();
        let first = if seen.is_none() { 1 } else { 2 };
        assert_eq!(seqs, (first..=31).collect::<Vec<_>>());
        assert_eq!(news["next_argument_id_to_wait"], last.as_str());
    }
}

#[tokio::test]
async fn wait_prints_each_argument_once() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let debate = Debate::open(&server).await;
    let mut last = debate.motion.clone();
    let content = |turn: usize| format!("turn {turn}: {}", "x".repeat(2_000));
    for turn in 0..20_usize {
        let role = if turn.is_multiple_of(2) { "opponent" } else { "proposer" };
        let body = json!({ "role": role, "target_id": last, "content": content(turn),
                           "client_request_id": format!("t-{turn}") });
        last = argument_id(&server.post(&debate.path("/arguments"), &body).await);
    }
    let wait = ["debate", "wait", "--debate-id", &debate.id, "--role", "opponent"];
    for format in ["json", "markdown", "text"] {
        let output = cli.run(&[&wait[..], &["--format", format]].concat()).await;
        for turn in 0..20 {
            let count = output.out.matches(&format!("turn {turn}: ")).count();
            assert_eq!(count, 1, "{format}, turn {turn}");
        }
        let contents: usize = (0..20).map(|turn| content(turn).len()).sum();
        let bound = contents * 13 / 10 + 1024 + 21 * 400;
        assert!(output.out.len() <= bound, "{format}: {} bytes", output.out.len());
    }
    let poll = server.get(&debate.path("/poll?role=opponent&missed=earlier")).await.data();
    assert_eq!(poll["arguments"].as_array().map(Vec::len), Some(20));
    assert_eq!(poll["argument"]["seq"], 21);
    let bad = server.get(&debate.path("/poll?role=opponent&missed=some")).await;
    assert_eq!((bad.status, &bad.json()["error"]["field"]), (400, &json!("missed")));
}

#[tokio::test]
async fn wait_ends_immediately_when_the_server_refuses_it() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let (id, _) = cli.create("Cache the index").await;
    let elsewhere = Debate::open(&server).await;
    let wait = ["debate", "wait", "--debate-id", &id, "--role", "proposer"];
    let output = cli.run(&[&wait[..], &["--argument-id", &elsewhere.motion]].concat()).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"));
    let nowhere = crate::support::new_id();
    let output = cli.run(&["debate", "wait", "--debate-id", &nowhere, "--role", "opponent"]).await;
    assert_eq!((output.code, output.error_code().as_str()), (2, "DEBATE_NOT_FOUND"));
}

#[tokio::test]
async fn wait_after_the_last_argument_reports_that_the_debate_is_closed() {
    let server = Server::start().await;
    let debate = Debate::open(&server).await;
    debate.intervene().await;
    let last = argument_id(&debate.rule(true).await);
    let cli = Cli::at(&server).env("DEBATE_WAIT_DEADLINE", "0.1");
    let wait = ["debate", "wait", "--debate-id", &debate.id, "--role", "proposer"];
    let ended = cli.data(&[&wait[..], &["--argument-id", &last]].concat()).await;
    assert_eq!(ended["status"], "timeout");
    let message = ended["message"].as_str().expect("it is text");
    assert_eq!(message, "The debate is closed; there will be no more arguments.");
}

#[tokio::test]
async fn wait_ends_when_the_debate_is_deleted() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let (id, motion) = cli.create("Cache the index").await;
    let wait = ["debate", "wait", "--debate-id", &id, "--role", "proposer"];
    let waiting = cli.command(&[&wait[..], &["--argument-id", &motion]].concat()).spawn();
    let waiting = waiting.expect("the binary starts");
    until("it waits", || async { server.metric("aw_waiters").await >= 1.0 }).await;
    cli.data(&["debate", "delete", "--debate-id", &id, "--yes"]).await;
    let ended = tokio::time::timeout(HANG, waiting.wait_with_output()).await.expect("no hang");
    let output = Output::from(ended.expect("it is our own child"));
    assert_eq!((output.code, output.error_code().as_str()), (2, "DEBATE_NOT_FOUND"));
}

#[tokio::test]
async fn wait_without_a_server_fails_and_prints_the_command_to_repeat() {
    let home = tempfile::tempdir().expect("there is room for temporary files");
    let url = format!("http://127.0.0.1:{}", free_port());
    let cli = Cli::with_home(home.path()).env("DEBATE_WAIT_DEADLINE", "0.3");
    let id = crate::support::new_id();
    let output = cli
        .run(&["debate", "wait", "--debate-id", &id, "--role", "opponent", "--server", &url])
        .await;
    assert_eq!((output.code, output.error_code().as_str()), (3, "SERVER_UNREACHABLE"));
    let suggestion = output.error()["suggestion"].as_str().unwrap_or_default().to_owned();
    let command = format!("aw debate wait --debate-id {id} --role opponent --server {url}");
    assert!(suggestion.ends_with(&command), "{suggestion}");
}
