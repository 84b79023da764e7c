//! A server on a socket that sends exact bytes.

use std::sync::{Arc, Mutex};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};
use tokio::task::JoinSet;

/// A step of the server after it has read a request. After the last step it closes the connection.
#[derive(Debug, Clone)]
pub(crate) enum Step {
    /// Sends these bytes, in their own packet if possible.
    Send(Vec<u8>),
    /// Sends these bytes repeatedly until the client disconnects.
    Endless(Vec<u8>),
    /// Sends nothing more and keeps the connection open.
    Hang,
}

impl Step {
    pub(crate) fn send(text: impl Into<Vec<u8>>) -> Self {
        Self::Send(text.into())
    }
}

/// A running server, which ends with its test.
pub(crate) struct Raw {
    pub(crate) url: String,
    requests: Arc<Mutex<Vec<String>>>,
    _serving: JoinSet<()>,
}

impl Raw {
    pub(crate) async fn start(steps: Vec<Step>) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let url = format!("http://{}/v1", listener.local_addr().expect("it is bound"));
        let requests = Arc::new(Mutex::new(Vec::new()));
        let seen = Arc::clone(&requests);
        let mut serving = JoinSet::new();
        serving.spawn(async move {
            loop {
                let (stream, _) = listener.accept().await.expect("someone connects");
                serve(stream, &steps, &seen).await;
            }
        });
        Self { url, requests, _serving: serving }
    }

    /// Every request so far, head and body.
    pub(crate) fn requests(&self) -> Vec<String> {
        self.requests.lock().expect("no test panics while it holds this").clone()
    }
}

async fn serve(mut stream: TcpStream, steps: &[Step], seen: &Mutex<Vec<String>>) {
    let Some(request) = read_request(&mut stream).await else { return };
    seen.lock().expect("no test panics while it holds this").push(request);
    for step in steps {
        match step {
            Step::Send(bytes) => {
                let _ = stream.write_all(bytes).await;
                let _ = stream.flush().await;
                // Lets the client read these bytes before the next ones are written.
                tokio::task::yield_now().await;
            }
            Step::Endless(bytes) => while stream.write_all(bytes).await.is_ok() {},
            Step::Hang => std::future::pending().await,
        }
    }
    let _ = stream.shutdown().await;
}

async fn read_request(stream: &mut TcpStream) -> Option<String> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                line.to_ascii_lowercase().strip_prefix("content-length:")?.trim().parse().ok()
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(text);
            }
        }
        match stream.read_buf(&mut bytes).await {
            Ok(0) | Err(_) => return None,
            Ok(_) => {}
        }
    }
}

/// The head of an event stream, which lasts until the connection closes.
pub(crate) fn event_stream() -> Step {
    Step::send("HTTP/1.1 200 OK\r\nContent-Type: text/event-stream\r\nConnection: close\r\n\r\n")
}

/// A complete stream of these data lines.
pub(crate) fn events(data: &[&str]) -> Vec<Step> {
    let events = data.iter().map(|data| Step::send(format!("data: {data}\n\n")));
    std::iter::once(event_stream()).chain(events).collect()
}
