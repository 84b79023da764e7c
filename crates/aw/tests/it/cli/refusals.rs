//! Errors of `aw debate` in every format, and exit codes.

use insta::assert_snapshot;
use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::TcpListener;

use crate::support::{Cli, Debate, Record, Server, Setup, free_port, id_of};

const FORMATS: [&str; 3] = ["json", "markdown", "text"];
const NOWHERE: &str = "00000000-0000-7000-8000-000000000001";
const NOTHING: &str = "00000000-0000-7000-8000-000000000002";

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

    async fn fails(&mut self, words: &[&str]) {
        for format in FORMATS {
            let words = [words, &["--format", format]].concat();
            let told = self.cli.run(&words).await;
            assert_eq!(told.code, self.exit, "{words:?}: {told:?}");
            match format {
                "json" => assert_eq!(told.json()["success"], false),
                "markdown" => assert!(told.out.starts_with("## ❌ Error: "), "{told:?}"),
                _ => assert!(told.out.is_empty() && !told.err.is_empty(), "{told:?}"),
            }
            self.record.told(self.server, &words, &told);
        }
    }

    async fn all_fail(&mut self, commands: &[Vec<&str>]) {
        for words in commands {
            self.fails(words).await;
        }
    }
}

/// Commands without a server, or with a foreign one, are tried once without retries.
fn hasty(cli: Cli) -> Cli {
    cli.env("DEBATE_RETRY_DEADLINE", "0").env("DEBATE_WAIT_DEADLINE", "0")
}

#[tokio::test]
async fn a_debate_that_is_not_there_is_2() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 2);
    for words in commands(NOWHERE, NOTHING) {
        if !["create", "list"].contains(&words[1]) {
            case.fails(&words).await;
        }
    }
    let debate = Debate::open(&server).await;
    let submit = ["debate", "submit", "--debate-id", &debate.id, "--role", "opponent"];
    let words = [&submit[..], &["--target-id", NOTHING, "--content", "No."]].concat();
    case.fails(&words).await;
    assert_snapshot!(case.record.render());
}

#[tokio::test]
async fn a_command_line_that_makes_no_sense_is_2_and_says_what_was_meant() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 2);
    case.fails(&["debate", "submitt"]).await;
    case.fails(&["debate", "submit", "--debate-id", NOWHERE]).await;
    case.fails(&["debate", "wait", "--debate-id", NOWHERE, "--role", "opponnent"]).await;
    case.fails(&["debate", "list", "--state", "OPEN"]).await;
    case.fails(&["debate", "list", "--limit", "many"]).await;
    case.fails(&["debate", "list", "--limit", "-1"]).await;
    case.fails(&["debate", "get-context", "--debat-id", NOWHERE]).await;
    assert_snapshot!(case.record.render());
    let told = Cli::at(&server).run(&["debat", "list"]).await;
    assert_eq!(told.code, 2);
    assert!(told.err.contains("'debate'"), "{}", told.err);
}

#[tokio::test]
async fn no_server_is_3() {
    let server = Server::start().await;
    let url = format!("http://127.0.0.1:{}", free_port());
    let cli = hasty(Cli::at(&server)).env("DEBATE_SERVER_URL", &url);
    let mut case = Case::new(&server, &cli, 3);
    case.all_fail(&commands(NOWHERE, NOTHING)).await;
    assert_snapshot!(case.record.render().replace(&url, "http://NOBODY"));
}

#[tokio::test]
async fn a_server_that_is_not_ours_to_stop_is_3() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 3);
    case.fails(&["debate", "services", "stop"]).await;
    assert_snapshot!(case.record.render());
}

/// Serves the same response to every request; returns the URL.
async fn answering(answer: &'static str) -> String {
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
async fn a_server_that_is_not_ours_is_3() {
    let server = Server::start().await;
    let answer = "HTTP/1.1 200 OK\r\nServer: bakery/1.0\r\nContent-Length: 5\r\n\
                  Connection: close\r\n\r\nbread";
    let url = answering(answer).await;
    let cli = hasty(Cli::at(&server)).env("DEBATE_SERVER_URL", &url);
    let mut case = Case::new(&server, &cli, 3);
    for words in commands(NOWHERE, NOTHING) {
        // A stream of other content is a stream that ends: it is reported as a lost connection.
        case.fails(&words).await;
    }
    let garbage = answering("220 mail.example ESMTP\r\n").await;
    case.fails(&["debate", "list", "--server", &garbage]).await;
    let shown = case.record.render().replace(&url, "http://BAKERY");
    assert_snapshot!(shown.replace(&garbage, "http://MAIL"));
}

#[tokio::test]
async fn a_server_in_trouble_is_3() {
    let server = Server::start().await;
    let answer = "HTTP/1.1 503 Service Unavailable\r\nRetry-After: 7\r\nContent-Length: 89\r\n\
                  Content-Type: application/json\r\nConnection: close\r\n\r\n\
                  {\"success\":false,\"error\":{\"code\":\"STORAGE_UNAVAILABLE\",\
                  \"message\":\"not now, please wait\"}}";
    assert_eq!(answer.split("\r\n\r\n").nth(1).map(str::len), Some(89));
    let url = answering(answer).await;
    let cli = hasty(Cli::at(&server)).env("DEBATE_SERVER_URL", &url);
    let mut case = Case::new(&server, &cli, 3);
    case.all_fail(&commands(NOWHERE, NOTHING)).await;
    assert_snapshot!(case.record.render().replace(&url, "http://UNWELL"));
}

#[tokio::test]
async fn what_can_not_be_used_is_4() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 4);
    for words in commands(" ", NOTHING) {
        if words[1] != "list" {
            case.fails(&words).await;
        }
    }
    case.fails(&["debate", "open", "--debate-id", " "]).await;
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
        case.fails(&[&submit[..], content].concat()).await;
    }
    case.fails(&["debate", "delete", "--debate-id", &debate.id]).await;
    case.fails(&["debate", "list", "--limit", "501"]).await;
    case.fails(&["debate", "list", "--server", "localhost:3456"]).await;
    case.fails(&["debate", "list", "--token-file", &file]).await;
    let elsewhere = "https://debates.example.org";
    case.fails(&["debate", "services", "start", "--server", elsewhere]).await;
    let out = ["debate", "export", "--debate-id", &debate.id, "--out", "/no/such/folder/file"];
    case.fails(&out).await;
    assert_snapshot!(case.record.render());
    let told = Cli::at(&server).run(&[&submit[..], &["--content", &long]].concat()).await;
    assert_eq!((told.code, told.error_code().as_str()), (4, "CONTENT_TOO_LARGE"));
    let told = Cli::at(&server).run_with(&[&submit[..], &["--stdin"]].concat(), b"\xff\xfe").await;
    assert_eq!((told.code, told.error_code().as_str()), (4, "INVALID_INPUT"));
    let endless = vec![b'x'; 3 << 20];
    let told = Cli::at(&server).run_with(&[&submit[..], &["--stdin"]].concat(), &endless).await;
    assert_eq!((told.code, told.error_code().as_str()), (4, "CONTENT_TOO_LARGE"));
    let bad = [("DEBATE_WAIT_DEADLINE", "soon"), ("DEBATE_AUTO_START", "maybe")];
    for (variable, value) in bad {
        let told = Cli::at(&server).env(variable, value).run(&["debate", "list"]).await;
        assert_eq!((told.code, told.error_code().as_str()), (4, "INVALID_INPUT"));
        assert!(told.out.contains(&format!("{variable}={value}")), "{}", told.out);
    }
}

#[tokio::test]
async fn what_the_rules_or_an_earlier_request_forbid_is_5() {
    let server = Server::start().await;
    let mut case = Case::new(&server, &Cli::at(&server), 5);
    let debate = Debate::open(&server).await;
    debate.intervene().await;
    let closing = id_of(&debate.rule(true).await);
    for words in commands(&debate.id, &closing) {
        if ["submit", "appeal", "request-completion", "ruling", "intervention"].contains(&words[1])
        {
            case.fails(&words).await;
        }
    }
    // The id is taken, and the request id belongs to another request.
    case.fails(&commands(&debate.id, &closing)[0]).await;
    let other = Debate::open(&server).await;
    other.claim("opponent", &other.motion, "k-1").await;
    case.fails(&commands(&other.id, &other.motion)[1]).await;
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
        let mut create = commands(&debate.id, NOTHING).swap_remove(0);
        create.pop();
        let told = cli.run(&[&create[..], &[key]].concat()).await;
        assert_eq!(told.code, 5, "{told:?}");
        assert_eq!(told.json()["error"]["code"], "DEBATE_DELETED");
    }
    let show = ["debate", "get-context", "--debate-id", &debate.id];
    assert_eq!(cli.run(&show).await.code, 2);
}

#[tokio::test]
async fn a_wrong_token_is_6() {
    let server = Setup::new().env("DEBATE_AUTH_TOKEN", "right").start().await;
    let cli = Cli::at(&server).env("DEBATE_AUTH_TOKEN", "wr0ng");
    let mut case = Case::new(&server, &cli, 6);
    case.all_fail(&commands(NOWHERE, NOTHING)).await;
    let shown = case.record.render();
    assert!(!shown.contains("wr0ng"), "no token is shown");
    assert_snapshot!(shown);
    let told = Cli::at(&server).env("DEBATE_AUTH_TOKEN", "right").run(&["debate", "list"]).await;
    assert_eq!(told.code, 0);
}

#[tokio::test]
async fn a_write_is_tried_again_under_the_same_request_id_until_there_is_a_server() {
    let home = TempDir::new().expect("there is room");
    let port = free_port();
    let url = format!("http://127.0.0.1:{port}");
    let setup = Setup::bare().env("DEBATE_SERVER_PORT", &port.to_string());
    let server = setup.start().await;
    let debate = Debate::open(&server).await;
    let (id, motion) = (debate.id.clone(), debate.motion.clone());
    server.kill().await;
    let cli = Cli::of(home.path()).env("DEBATE_SERVER_URL", &url);
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
    let written = crate::support::Told::from(ended).data();
    assert_eq!(written["argument_seq"], 2);
    let key = written["client_request_id"].as_str().expect("it has one").to_owned();
    let again = cli.data(&[&words[..], &["--client-request-id", &key]].concat()).await;
    assert_eq!(again["argument_id"], written["argument_id"], "the same again is no second write");
    let kept = server.get(&format!("/debates/{id}")).await.data();
    assert_eq!(kept["arguments"].as_array().map(Vec::len), Some(1));
}
