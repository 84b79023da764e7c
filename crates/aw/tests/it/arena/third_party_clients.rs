//! Clients that this project did not write, each following one debate across five restarts of the
//! server: each seq once, in order.

use std::path::Path;
use std::process::Stdio;
use std::sync::Arc;

use tempfile::TempDir;
use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::process::{Child, Command};
use tokio::sync::mpsc::Sender;

use crate::support::{Debate, HANG, Server, Setup, argument_id, free_port, npm_packages};

const RESTARTS: usize = 5;

fn node(script: &str, arguments: [&str; 2]) -> Child {
    let script = Path::new(env!("CARGO_MANIFEST_DIR")).join("tests/it/arena/clients").join(script);
    Command::new("node")
        .arg(script)
        .args(arguments)
        .env("NODE_PATH", npm_packages())
        .stdout(Stdio::piped())
        .kill_on_drop(true)
        .spawn()
        .expect("node is installed")
}

/// A debate whose server is stopped or killed, and restarted, after each exchange.
struct RestartedDebate {
    setup: Setup,
    server: Server,
    id: String,
    motion: String,
}

impl RestartedDebate {
    /// The server keeps its port across restarts and accepts the page of `origin`.
    async fn begin(origin: &str) -> Self {
        let setup = Setup::bare()
            .env("DEBATE_SERVER_PORT", &free_port().to_string())
            .env("DEBATE_ALLOWED_ORIGINS", origin);
        let server = setup.start().await;
        let debate = Debate::open(&server).await;
        let (id, motion) = (debate.id, debate.motion);
        Self { setup, server, id, motion }
    }

    /// Plays the debate to its end; returns the number of arguments, and the server, which
    /// must outlive its readers.
    async fn play(mut self) -> (usize, Server) {
        let mut count = 1;
        for restart in 0..RESTARTS {
            count += self.exchange(restart).await;
            if restart % 2 == 0 {
                self.server.kill().await;
            } else {
                self.server.terminate();
                assert!(self.server.wait_for_exit().await.success());
            }
            self.server = self.setup.start().await;
        }
        count += self.exchange(RESTARTS).await;
        let debate = self.debate();
        let claim = debate.claim("opponent", &self.motion, "last").await;
        debate.ask("resolution", &argument_id(&claim), "end").await;
        (count + 3, self.server)
    }

    async fn exchange(&self, round: usize) -> usize {
        let debate = self.debate();
        for role in ["opponent", "proposer"] {
            let reply = debate.claim(role, &self.motion, &format!("{role}-{round}")).await;
            assert_eq!(reply.status, 201, "{}", reply.text);
        }
        2
    }

    fn debate(&self) -> Debate<'_> {
        Debate { server: &self.server, id: self.id.clone(), motion: self.motion.clone() }
    }
}

async fn read_output(mut child: Child) -> Vec<usize> {
    let mut text = String::new();
    let mut stdout = child.stdout.take().expect("it was piped");
    let read = stdout.read_to_string(&mut text);
    tokio::time::timeout(HANG, read).await.expect("it ends by itself").expect("it prints text");
    text.lines().map(|line| line.parse().expect("it prints numbers")).collect()
}

#[tokio::test]
async fn npm_ws_and_eventsource_receive_each_argument_once_across_restarts() {
    assert!(npm_packages().join("ws").exists(), "scripts/test installs the packages");
    let story = RestartedDebate::begin("http://none.test").await;
    let (url, id) = (story.server.url.clone(), story.id.clone());
    let socket = node("ws.js", [&url, &id]);
    let stream = node("eventsource.js", [&url, &id]);
    crate::support::until("both follow", || async {
        story.server.metric("aw_waiters").await >= 2.0
    })
    .await;
    let (count, _server) = story.play().await;
    let all: Vec<usize> = (1..=count).collect();
    assert_eq!(read_output(socket).await, all, "ws");
    assert_eq!(read_output(stream).await, all, "eventsource");
}

/// Serves the page and returns the text that the page posts at its end. A browser opens connections
/// that it may never use, so each is served on its own.
async fn serve_until_posted(listener: TcpListener) -> String {
    let (done, mut posted) = tokio::sync::mpsc::channel(1);
    let serving = async {
        loop {
            let (stream, _) = listener.accept().await.expect("the browser connects");
            tokio::spawn(serve_page(stream, done.clone()));
        }
    };
    tokio::select! {
        () = serving => unreachable!("it serves for ever"),
        posted = posted.recv() => posted.expect("the page posts"),
    }
}

async fn serve_page(mut stream: TcpStream, done: Sender<String>) {
    let page = include_str!("clients/page.html");
    let mut request = Vec::new();
    let mut chunk = [0; 4096];
    while !is_complete(&request) {
        match stream.read(&mut chunk).await {
            Ok(0) | Err(_) => return,
            Ok(count) => request.extend_from_slice(&chunk[..count]),
        }
    }
    let head = "HTTP/1.1 200 OK\r\nContent-Type: text/html\r\nConnection: close\r\n";
    let answer = format!("{head}Content-Length: {}\r\n\r\n{page}", page.len());
    stream.write_all(answer.as_bytes()).await.expect("the browser reads");
    let request = String::from_utf8_lossy(&request);
    if request.starts_with("POST /done") {
        let body = request.split("\r\n\r\n").nth(1).unwrap_or_default();
        done.send(body.to_owned()).await.expect("somebody waits for it");
    }
}

fn is_complete(request: &[u8]) -> bool {
    let text = String::from_utf8_lossy(request);
    let Some((head, body)) = text.split_once("\r\n\r\n") else { return false };
    let length = head.lines().find_map(|line| {
        let (name, value) = line.split_once(':')?;
        name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse::<usize>().ok())?
    });
    body.len() >= length.unwrap_or_default()
}

#[tokio::test]
async fn chromium_eventsource_and_websocket_receive_each_argument_once_across_restarts() {
    let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
    let origin = format!("http://{}", listener.local_addr().expect("it is bound"));
    let story = RestartedDebate::begin(&origin).await;
    let host = tokio::spawn(serve_until_posted(listener));
    let profile = Arc::new(TempDir::new().expect("a folder for temporary files"));
    let browser = Command::new("chromium")
        .args(["--headless", "--no-sandbox", "--disable-gpu", "--disable-quic", "--no-first-run"])
        .args(["--disable-background-networking", "--disable-component-update", "--disable-sync"])
        .arg(format!("--user-data-dir={}", profile.path().display()))
        .arg("--remote-debugging-port=0")
        .arg(format!("{origin}/#{},{}", story.id, story.server.url))
        .stdin(Stdio::null())
        .stdout(Stdio::null())
        .stderr(Stdio::null())
        .kill_on_drop(true)
        .spawn()
        .expect("chromium is installed");
    crate::support::until("both follow", || async {
        story.server.metric("aw_waiters").await >= 2.0
    })
    .await;
    let (count, _server) = story.play().await;
    let seen = tokio::time::timeout(HANG, host).await.expect("the page finishes");
    let seen: serde_json::Value =
        serde_json::from_str(&seen.expect("it was served")).expect("JSON");
    let all = serde_json::json!((1..=count).collect::<Vec<_>>());
    assert_eq!(seen, serde_json::json!({ "stream": all, "socket": all }));
    drop(browser);
}
