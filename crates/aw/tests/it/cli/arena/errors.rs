//! Errors of `aw debate` in every format, and exit codes.

use insta::assert_snapshot;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{Cli, Debate, Record, Server, Setup, argument_id, free_port};

const FORMATS: [&str; 3] = ["json", "markdown", "text"];
const UNKNOWN_DEBATE: &str = "00000000-0000-7000-8000-000000000001";
const UNKNOWN_ARGUMENT: &str = "00000000-0000-7000-8000-000000000002";

/// Every command that sends a request, with the debate `id` and the argument `target`.
fn commands<'w>(id: &'w str, target: &'w str) -> Vec<Vec<&'w str>> {
    let here = ["--debate-id", id];
    let with = |name: &'w str, more: &[&'w str]| {
        [&["debate", name], &here[..], more, &["--client-request-id", "k-1"]].concat()
    };
    vec![
        with("create", &["--title", "T", "--type", "general_debate", "--content", "We should."]),
        with("submit", &["--role", "opponent", "--target-id", target, "--content", "No."]),
        with("appeal", &["--target-id", target, "--content", "May we?"]),
        with("request-completion", &["--target-id", target, "--content", "Done."]),
        with("ruling", &["--content", "You may."]),
        with("intervention", &[]),
        [&["debate", "get-context"], &here[..]].concat(),
        vec!["debate", "list"],
        [&["debate", "wait"], &here[..], &["--role", "opponent"]].concat(),
        [&["debate", "delete"], &here[..], &["--yes"]].concat(),
        [&["debate", "watch"], &here[..]].concat(),
        [&["debate", "export"], &here[..]].concat(),
    ]
}

/// Runs commands in every format and records their output.
struct Case<'s> {
    record: Record,
    server: &'s Server,
    cli: Cli,
    exit: i32,
}

impl<'s> Case<'s> {
    fn new(server: &'s Server, cli: &Cli, exit: i32) -> Self {
        Self { record: Record::default(), server, cli: cli.clone(), exit }
    }

    async fn assert_fails(&mut self, words: &[&str]) {
        for format in FORMATS {
            let words = [words, &["--format", format]].concat();
            let output = self.cli.run(&words).await;
            assert_eq!(output.code, self.exit, "{words:?}: {output:?}");
            match format {
                "json" => assert_eq!(output.json()["success"], false),
                "markdown" => assert!(output.out.starts_with("## ❌ Error: "), "{output:?}"),
                _ => assert!(output.out.is_empty() && !output.err.is_empty(), "{output:?}"),
            }
            self.record.note_command(self.server, &words, &output);
        }
    }

    async fn assert_all_fail(&mut self, commands: &[Vec<&str>]) {
        for words in commands {
            self.assert_fails(words).await;
        }
    }
}

/// Commands without a server, or with a foreign one, are tried once without retries.
fn without_retries(cli: Cli) -> Cli {
    cli.env("DEBATE_RETRY_DEADLINE", "0").env("DEBATE_WAIT_DEADLINE", "0")
}

#[tokio::test]
async fn missing_debate_exits_with_2() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 2);
    for words in commands(UNKNOWN_DEBATE, UNKNOWN_ARGUMENT) {
        if !["create", "list"].contains(&words[1]) {
            case.assert_fails(&words).await;
        }
    }
    let debate = Debate::open(&server).await;
    let submit = ["debate", "submit", "--debate-id", &debate.id, "--role", "opponent"];
    let words = [&submit[..], &["--target-id", UNKNOWN_ARGUMENT, "--content", "No."]].concat();
    case.assert_fails(&words).await;
    assert_snapshot!(case.record.render());
}

#[tokio::test]
async fn invalid_usage_exits_with_2_and_suggests_a_correction() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 2);
    case.assert_fails(&["debate", "submitt"]).await;
    case.assert_fails(&["debate", "submit", "--debate-id", UNKNOWN_DEBATE]).await;
    case.assert_fails(&["debate", "wait", "--debate-id", UNKNOWN_DEBATE, "--role", "opponnent"])
        .await;
    case.assert_fails(&["debate", "list", "--state", "OPEN"]).await;
    case.assert_fails(&["debate", "list", "--limit", "many"]).await;
    case.assert_fails(&["debate", "list", "--limit", "-1"]).await;
    case.assert_fails(&["debate", "get-context", "--debat-id", UNKNOWN_DEBATE]).await;
    assert_snapshot!(case.record.render());
    let output = Cli::at(&server).run(&["debat", "list"]).await;
    assert_eq!(output.code, 2);
    assert!(output.err.contains("'debate'"), "{}", output.err);
}

#[tokio::test]
async fn unreachable_server_exits_with_3() {
    let server = Server::start().await;
    let url = format!("http://127.0.0.1:{}", free_port());
    let cli = without_retries(Cli::at(&server)).env("DEBATE_SERVER_URL", &url);
    let mut case = Case::new(&server, &cli, 3);
    case.assert_all_fail(&commands(UNKNOWN_DEBATE, UNKNOWN_ARGUMENT)).await;
    assert_snapshot!(case.record.render().replace(&url, "http://NOBODY"));
}

#[tokio::test]
async fn stopping_a_manually_started_server_exits_with_3() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 3);
    case.assert_fails(&["debate", "services", "stop"]).await;
    assert_snapshot!(case.record.render());
}

/// Serves the same response to every request; returns the URL.
async fn serve_response(answer: &'static str) -> String {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a port is free");
    let url = format!("http://{}", listener.local_addr().expect("it is bound"));
    tokio::spawn(async move {
        while let Ok((mut stream, _)) = listener.accept().await {
            tokio::spawn(async move {
                let mut asked = [0; 4096];
                let _ = stream.read(&mut asked).await;
                let _ = stream.write_all(answer.as_bytes()).await;
            });
        }
    });
    url
}

#[tokio::test]
async fn foreign_server_exits_with_3() {
    let server = Server::start().await;
    let answer = "HTTP/1.1 200 OK\r\nServer: bakery/1.0\r\nContent-Length: 5\r\n\
                  Connection: close\r\n\r\nbread";
    let url = serve_response(answer).await;
    let cli = without_retries(Cli::at(&server)).env("DEBATE_SERVER_URL", &url);
    let mut case = Case::new(&server, &cli, 3);
    for words in commands(UNKNOWN_DEBATE, UNKNOWN_ARGUMENT) {
        // A stream of other content is a stream that ends: it is reported as a lost connection.
        case.assert_fails(&words).await;
    }
    let garbage = serve_response("220 mail.example ESMTP\r\n").await;
    case.assert_fails(&["debate", "list", "--server", &garbage]).await;
    let shown = case.record.render().replace(&url, "http://BAKERY");
    assert_snapshot!(shown.replace(&garbage, "http://MAIL"));
}

#[tokio::test]
async fn server_with_a_storage_failure_exits_with_3() {
    let server = Server::start().await;
    let answer = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 89\r\n\
                  Content-Type: application/json\r\nConnection: close\r\n\r\n\
                  {\"success\":false,\"error\":{\"code\":\"STORAGE_UNAVAILABLE\",\
                  \"message\":\"not now, please wait\"}}";
    assert_eq!(answer.split("\r\n\r\n").nth(1).map(str::len), Some(89));
    let url = serve_response(answer).await;
    let cli = without_retries(Cli::at(&server)).env("DEBATE_SERVER_URL", &url);
    let mut case = Case::new(&server, &cli, 3);
    case.assert_all_fail(&commands(UNKNOWN_DEBATE, UNKNOWN_ARGUMENT)).await;
    assert_snapshot!(case.record.render().replace(&url, "http://UNWELL"));
}

#[tokio::test]
async fn invalid_input_exits_with_4() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 4);
    for words in commands(" ", UNKNOWN_ARGUMENT) {
        if words[1] != "list" {
            case.assert_fails(&words).await;
        }
    }
    case.assert_fails(&["debate", "open", "--debate-id", " "]).await;
    let debate = Debate::open(&server).await;
    let submit = ["debate", "submit", "--debate-id", &debate.id, "--role", "opponent"];
    let submit = [&submit[..], &["--target-id", &debate.motion]].concat();
    let long = "x".repeat(10_241);
    let file = server.home().path().join("content").display().to_string();
    std::fs::write(&file, "Something.").expect("the home is ours");
    let contents: [&[&str]; 6] = [
        &[],
        &["--content", "a", "--stdin"],
        &["--content", "a", "--file", &file],
        &["--content", " \n "],
        &["--file", "/no/such/file"],
        &["--stdin"],
    ];
    for content in contents {
        case.assert_fails(&[&submit[..], content].concat()).await;
    }
    case.assert_fails(&["debate", "delete", "--debate-id", &debate.id]).await;
    case.assert_fails(&["debate", "list", "--limit", "501"]).await;
    case.assert_fails(&["debate", "list", "--server", "localhost:3456"]).await;
    case.assert_fails(&["debate", "list", "--token-file", &file]).await;
    let elsewhere = "https://debates.example.org";
    case.assert_fails(&["debate", "services", "start", "--server", elsewhere]).await;
    let out = ["debate", "export", "--debate-id", &debate.id, "--out", "/no/such/folder/file"];
    case.assert_fails(&out).await;
    assert_snapshot!(case.record.render());
    let output = Cli::at(&server).run(&[&submit[..], &["--content", &long]].concat()).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "CONTENT_TOO_LARGE"));
    let output =
        Cli::at(&server).run_with(&[&submit[..], &["--stdin"]].concat(), b"\xff\xfe").await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"));
    let endless = vec![b'x'; 3 << 20];
    let output = Cli::at(&server).run_with(&[&submit[..], &["--stdin"]].concat(), &endless).await;
    assert_eq!((output.code, output.error_code().as_str()), (4, "CONTENT_TOO_LARGE"));
    let bad = [("DEBATE_WAIT_DEADLINE", "soon"), ("DEBATE_AUTO_START", "maybe")];
    for (variable, value) in bad {
        let output = Cli::at(&server).env(variable, value).run(&["debate", "list"]).await;
        assert_eq!((output.code, output.error_code().as_str()), (4, "INVALID_INPUT"));
        assert!(output.out.contains(&format!("{variable}={value}")), "{}", output.out);
    }
}

#[tokio::test]
async fn forbidden_action_or_conflicting_request_exits_with_5() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 5);
    let debate = Debate::open(&server).await;
    debate.intervene().await;
    let closing = argument_id(&debate.rule(true).await);
    for words in commands(&debate.id, &closing) {
        if ["submit", "appeal", "request-completion", "ruling", "intervention"].contains(&words[1])
        {
            case.assert_fails(&words).await;
        }
    }
    // The id is taken, and the request id belongs to another request.
    case.assert_fails(&commands(&debate.id, &closing)[0]).await;
    let other = Debate::open(&server).await;
    other.claim("opponent", &other.motion, "k-1").await;
    case.assert_fails(&commands(&other.id, &other.motion)[1]).await;
    assert_snapshot!(case.record.render());
}

#[tokio::test]
async fn create_with_the_id_of_a_deleted_debate_exits_with_5() {
    let server = Server::start().await;
    let cli = Cli::at(&server);
    let debate = Debate::open(&server).await;
    server.delete(&debate.path("")).await;
    // A late retry of the request that created the debate, and a new request.
    for key in ["create-1", "k-2"] {
        let mut create = commands(&debate.id, UNKNOWN_ARGUMENT).swap_remove(0);
        create.pop();
        let output = cli.run(&[&create[..], &[key]].concat()).await;
        assert_eq!(output.code, 5, "{output:?}");
        assert_eq!(output.json()["error"]["code"], "DEBATE_DELETED");
    }
    let show = ["debate", "get-context", "--debate-id", &debate.id];
    assert_eq!(cli.run(&show).await.code, 2);
}

#[tokio::test]
async fn wrong_token_exits_with_6() {
    let server = Setup::new().env("DEBATE_AUTH_TOKEN", "right").start().await;
    let cli = Cli::at(&server).env("DEBATE_AUTH_TOKEN", "wr0ng");
    let mut case = Case::new(&server, &cli, 6);
    case.assert_all_fail(&commands(UNKNOWN_DEBATE, UNKNOWN_ARGUMENT)).await;
    let shown = case.record.render();
    assert!(!shown.contains("wr0ng"), "no token is shown");
    assert_snapshot!(shown);
    let output = Cli::at(&server).env("DEBATE_AUTH_TOKEN", "right").run(&["debate", "list"]).await;
    assert_eq!(output.code, 0);
}

#[tokio::test]
async fn write_is_retried_with_the_same_request_id_until_the_server_answers() {
    let home = TempDir::new().expect("there is room");
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}");
    let setup = Setup::bare().env("DEBATE_SERVER_PORT", &port.to_string());
    let server = setup.start().await;
    let debate = Debate::open(&server).await;
    let (id, motion) = (debate.id.clone(), debate.motion.clone());
    server.kill().await;
    let cli = Cli::with_home(home.path()).env("DEBATE_SERVER_URL", &url);
    let cli = cli.env("DEBATE_RETRY_DEADLINE", "60");
    let words = ["debate", "submit", "--debate-id", &id, "--role", "opponent", "--target-id"];
    let words = [&words[..], &[&motion, "--content", "It will not fit."]].concat();
    let mut submitting = cli.command(&words).spawn().expect("the binary starts");
    // The command reports that it found no server.
    let remarks = submitting.stderr.take().expect("it was piped");
    let mut remarks = tokio::io::BufReader::new(remarks);
    let mut remark = String::new();
    tokio::io::AsyncBufReadExt::read_line(&mut remarks, &mut remark).await.expect("it is text");
    assert!(remark.contains("retrying"), "{remark}");
    let server = setup.start().await;
    let ended = submitting.wait_with_output().await.expect("it is our own child");
    let written = crate::support::Output::from(ended).data();
    assert_eq!(written["argument_seq"], 2);
    let key = written["client_request_id"].as_str().expect("it has one").to_owned();
    let again = cli.data(&[&words[..], &["--client-request-id", &key]].concat()).await;
    assert_eq!(again["argument_id"], written["argument_id"], "the same again is no second write");
    let kept = server.get(&format!("/debates/{id}")).await.data();
    assert_eq!(kept["arguments"].as_array().map(Vec::len), Some(1));
}
