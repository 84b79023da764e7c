//! A proxy that drops responses: the server executes the request, and the client receives nothing.

use std::sync::Arc;
use std::sync::atomic::{AtomicUsize, Ordering};

use tokio::io::{AsyncReadExt, AsyncWriteExt};
use tokio::net::{TcpListener, TcpStream};

use crate::support::Server;

pub(crate) struct LossyProxy {
    pub(crate) url: String,
    lost: Arc<AtomicUsize>,
}

/// Called after the server has answered and before the client receives the response.
type Hook = Arc<dyn Fn() + Send + Sync>;

#[derive(Clone)]
struct Plan {
    from: String,
    to: String,
    about: String,
    times: usize,
    lost: Arc<AtomicUsize>,
    hook: Hook,
}

impl LossyProxy {
    /// Drops the first `times` responses to requests that begin with `about`.
    pub(crate) async fn to(server: &Server, about: &str, times: usize) -> Self {
        Self::begin(server, about, times, Arc::new(|| ())).await
    }

    /// Drops no response; calls `hook` before a response to `about` is forwarded.
    pub(crate) async fn with(server: &Server, about: &str, hook: Hook) -> Self {
        Self::begin(server, about, 0, hook).await
    }

    async fn begin(server: &Server, about: &str, times: usize, hook: Hook) -> Self {
        let listener = TcpListener::bind("127.0.0.1:0").await.expect("a free port");
        let from = listener.local_addr().expect("it is bound").to_string();
        let url = format!("http://{from}");
        let lost = Arc::new(AtomicUsize::new(0));
        let (to, about) = (server.address().to_owned(), about.to_owned());
        let plan = Plan { from, to, about, times, lost: Arc::clone(&lost), hook };
        tokio::spawn(async move {
            while let Ok((stream, _)) = listener.accept().await {
                tokio::spawn(forward(stream, plan.clone()));
            }
        });
        Self { url, lost }
    }

    pub(crate) fn dropped(&self) -> usize {
        self.lost.load(Ordering::SeqCst)
    }
}

async fn forward(mut stream: TcpStream, plan: Plan) {
    let Some(request) = read_message(&mut stream).await else { return };
    // The server accepts only its own host name.
    let request = String::from_utf8(request).expect("it is text").replace(&plan.from, &plan.to);
    let mut server = TcpStream::connect(&plan.to).await.expect("the server listens");
    server.write_all(request.as_bytes()).await.expect("the server reads");
    let Some(answer) = read_message(&mut server).await else { return };
    if request.starts_with(&plan.about) {
        (plan.hook)();
        let is_lost = |lost: usize| (lost < plan.times).then_some(lost + 1);
        if plan.lost.fetch_update(Ordering::SeqCst, Ordering::SeqCst, is_lost).is_ok() {
            return;
        }
    }
    let _ = stream.write_all(&answer).await;
}

/// Reads one request or response with its Content-Length.
async fn read_message(stream: &mut TcpStream) -> Option<Vec<u8>> {
    let mut bytes = Vec::new();
    loop {
        let text = String::from_utf8_lossy(&bytes).into_owned();
        if let Some((head, body)) = text.split_once("\r\n\r\n") {
            let length = head.lines().find_map(|line| {
                let (name, value) = line.split_once(':')?;
                name.eq_ignore_ascii_case("content-length").then(|| value.trim().parse().ok())?
            });
            if body.len() >= length.unwrap_or(0) {
                return Some(bytes);
            }
        }
        let mut chunk = [0; 4096];
        let count = stream.read(&mut chunk).await.ok().filter(|count| *count > 0)?;
        bytes.extend_from_slice(&chunk[..count]);
    }
}
