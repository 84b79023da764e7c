//! An imitated model provider: a server that speaks the protocols of OpenAI and Anthropic, answers
//! by a script, and records its requests.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// One step of a scripted response.
#[derive(Debug, Clone)]
pub enum ScriptStep {
    /// Sends this text as one part of the stream.
    Say(String),
    /// Ends the response with this usage: prompt tokens and completion tokens.
    End(u32, u32),
    /// Ends the response with this value as its usage; null leaves the usage out.
    EndWith(Value),
    /// Waits until the gate is opened.
    Wait(Gate),
    /// Sends these bytes instead of an event of the protocol.
    Raw(Vec<u8>),
}

impl ScriptStep {
    /// A complete response with this text and this number of tokens.
    #[must_use]
    pub fn answer(words: &str, tokens: u32) -> Vec<Self> {
        vec![Self::Say(words.to_owned()), Self::End(10, tokens)]
    }

    /// An error response with a status, additional headers and a JSON body.
    #[must_use]
    pub fn status(status: &str, headers: &str, body: &Value) -> Vec<Self> {
        let body = body.to_string();
        let head = format!(
            "HTTP/1.1 {status}\r\ncontent-type: application/json\r\ncontent-length: {}\r\n\
             connection: close\r\n{headers}\r\n",
            body.len()
        );
        vec![Self::Raw((head + &body).into_bytes())]
    }

    /// The response that a run needs: an argument from debaters, a verdict from judges.
    #[must_use]
    pub fn debate(request: &ModelRequest) -> Vec<Self> {
        if request.is_for_judge() {
            let verdict = json!({
                "summary": "A answered more.", "score_a": 7, "score_b": 5, "winner": "a",
                "no_new_substantive_arguments": false,
            });
            return Self::answer(&verdict.to_string(), 20);
        }
        let data = request.data();
        let (round, who) =
            (field(&data, "round"), field(&data, "you").as_str().unwrap_or_default());
        Self::answer(&format!("Argument of {who} in round {round}."), 20)
    }
}

/// The interval at which a waiting response checks whether its client is still connected.
const POLL_INTERVAL: Duration = Duration::from_millis(10);

/// A point at which a response waits until the test opens it.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// A new, closed gate.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets all current and later waiters continue.
    pub fn open(&self) {
        *lock(&self.0.0) = true;
        self.0.1.notify_all();
    }

    /// Waits until the gate opens or the client disconnects; returns whether it is still connected.
    fn wait_open(&self, mut client: &TcpStream) -> anyhow::Result<bool> {
        client.set_read_timeout(Some(POLL_INTERVAL))?;
        loop {
            let open = lock(&self.0.0);
            let (open, _) =
                self.0.1.wait_timeout(open, POLL_INTERVAL).unwrap_or_else(PoisonError::into_inner);
            if *open {
                return Ok(true);
            }
            drop(open);
            // After its request a client sends nothing, so a read returns only at a disconnect.
            if matches!(client.read(&mut [0]), Ok(0)) {
                return Ok(false);
            }
        }
    }
}

/// A request that the server received.
#[derive(Debug, Clone)]
pub struct ModelRequest {
    /// Its number in order of arrival; the first is 1.
    pub number: usize,
    /// The path of the request.
    pub path: String,
    /// The head as received.
    pub head: String,
    /// The body, parsed as JSON.
    pub body: Value,
}

impl ModelRequest {
    /// The texts of all messages, concatenated.
    #[must_use]
    pub fn text(&self) -> String {
        let messages =
            field(&self.body, "messages").as_array().map(Vec::as_slice).unwrap_or_default();
        let system = std::iter::once(field(&self.body, "system"));
        let said = messages.iter().map(|message| field(message, "content"));
        let texts = system
            .chain(said)
            .map(|text| text.as_str().map_or_else(|| text.to_string(), str::to_owned));
        texts.collect::<Vec<_>>().join("\n")
    }

    /// The fenced data: the last line that is a JSON object with a task.
    #[must_use]
    pub fn data(&self) -> Value {
        let text = self.text();
        let mut objects = text.lines().filter_map(|line| serde_json::from_str::<Value>(line).ok());
        objects.rfind(|value| field(value, "task").is_string()).unwrap_or_default()
    }

    /// Whether the request asks for a verdict.
    #[must_use]
    pub fn is_for_judge(&self) -> bool {
        field(&self.data(), "task") == "judge"
    }

    /// The topic of the debate.
    #[must_use]
    pub fn topic(&self) -> String {
        field(&self.data(), "topic").as_str().unwrap_or_default().to_owned()
    }

    /// The maximum number of tokens of the response.
    #[must_use]
    pub fn max_tokens(&self) -> u64 {
        let either = [field(&self.body, "max_tokens"), field(&self.body, "max_completion_tokens")];
        either.into_iter().find_map(Value::as_u64).unwrap_or_default()
    }
}

/// Returns the steps of the response to a request.
type Script = dyn Fn(&ModelRequest) -> Vec<ScriptStep> + Send + Sync;

struct ModelServer {
    script: Box<Script>,
    requests: Mutex<Vec<ModelRequest>>,
    request_arrived: Condvar,
    /// The number of clients that disconnected before their response was complete.
    clients_left: Mutex<usize>,
    client_left: Condvar,
    is_over: AtomicBool,
}

/// The server. Dropping it stops it.
pub struct Model {
    url: String,
    address: SocketAddr,
    server: Arc<ModelServer>,
}

impl Model {
    /// Starts a server that answers as `script` says.
    pub fn start(
        script: impl Fn(&ModelRequest) -> Vec<ScriptStep> + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let server = Arc::new(ModelServer {
            script: Box::new(script),
            requests: Mutex::default(),
            request_arrived: Condvar::new(),
            clients_left: Mutex::default(),
            client_left: Condvar::new(),
            is_over: AtomicBool::new(false),
        });
        let serving = Arc::clone(&server);
        thread::spawn(move || {
            for client in listener.incoming() {
                if serving.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(client) = client else { continue };
                let server = Arc::clone(&serving);
                // An error here means that the client disconnected.
                thread::spawn(move || server.serve(&client).ok());
            }
        });
        Ok(Self { url: format!("http://{address}/v1"), address, server })
    }

    /// The base URL of the server.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Every request so far, in order of arrival.
    #[must_use]
    pub fn requests(&self) -> Vec<ModelRequest> {
        lock(&self.server.requests).clone()
    }

    /// Waits until `count` requests have arrived.
    pub fn wait_for(&self, count: usize) {
        let mut requests = lock(&self.server.requests);
        while requests.len() < count {
            requests =
                self.server.request_arrived.wait(requests).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until `count` clients have disconnected at a gate.
    pub fn wait_until_left(&self, count: usize) {
        let mut clients_left = lock(&self.server.clients_left);
        while *clients_left < count {
            clients_left =
                self.server.client_left.wait(clients_left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.server.is_over.store(true, Ordering::Relaxed);
        // The accepting thread checks for the end only after a connection.
        TcpStream::connect(self.address).ok();
    }
}

impl ModelServer {
    fn serve(&self, client: &TcpStream) -> anyhow::Result<()> {
        client.set_nodelay(true)?;
        let Some((head, body)) = read(client)? else { return Ok(()) };
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut all = lock(&self.requests);
        let request = ModelRequest { number: all.len() + 1, path, head, body };
        all.push(request.clone());
        drop(all);
        self.request_arrived.notify_all();
        let mut answer =
            Stream { client, has_begun: false, is_messages: request.path.ends_with("/messages") };
        for step in (self.script)(&request) {
            match step {
                ScriptStep::Say(words) => answer.say(&words)?,
                ScriptStep::End(prompt, completion) => answer.end(prompt, completion)?,
                ScriptStep::EndWith(usage) => answer.end_with(&usage)?,
                ScriptStep::Wait(gate) => {
                    if !gate.wait_open(client)? {
                        *lock(&self.clients_left) += 1;
                        self.client_left.notify_all();
                        return Ok(());
                    }
                }
                ScriptStep::Raw(bytes) => answer.raw(&bytes)?,
            }
        }
        Ok(())
    }
}

fn read(client: &TcpStream) -> anyhow::Result<Option<(String, Value)>> {
    let mut reader = BufReader::new(client);
    let (mut head, mut length) = (String::new(), 0);
    loop {
        let mut line = String::new();
        if reader.read_line(&mut line)? == 0 {
            return Ok(None);
        }
        if line == "\r\n" {
            break;
        }
        if let Some(value) = line.to_ascii_lowercase().strip_prefix("content-length:") {
            length = value.trim().parse()?;
        }
        head.push_str(&line);
    }
    let mut body = vec![0; length];
    reader.read_exact(&mut body)?;
    Ok(Some((head, serde_json::from_slice(&body)?)))
}

/// A response as a stream of events in the imitated provider's protocol.
struct Stream<'c> {
    client: &'c TcpStream,
    has_begun: bool,
    /// Anthropic's protocol; otherwise OpenAI's.
    is_messages: bool,
}

impl Stream<'_> {
    fn say(&mut self, words: &str) -> anyhow::Result<()> {
        self.begin()?;
        let event = if self.is_messages {
            json!({"type": "content_block_delta", "index": 0,
                   "delta": {"type": "text_delta", "text": words}})
        } else {
            json!({"model": "imitated-1", "choices": [{"index": 0, "delta": {"content": words}}]})
        };
        self.event(&event)
    }

    fn end(&mut self, prompt: u32, completion: u32) -> anyhow::Result<()> {
        let usage = if self.is_messages {
            json!({"output_tokens": completion})
        } else {
            json!({"prompt_tokens": prompt, "completion_tokens": completion})
        };
        self.end_with(&usage)
    }

    fn end_with(&mut self, usage: &Value) -> anyhow::Result<()> {
        self.begin()?;
        if self.is_messages {
            self.event(&json!({"type": "message_delta", "delta": {"stop_reason": "end_turn"},
                               "usage": usage}))?;
            return self.event(&json!({"type": "message_stop"}));
        }
        self.event(&json!({"choices": [{"index": 0, "delta": {}, "finish_reason": "stop"}]}))?;
        if !usage.is_null() {
            self.event(&json!({"choices": [], "usage": usage}))?;
        }
        self.raw(b"data: [DONE]\n\n")
    }

    fn begin(&mut self) -> anyhow::Result<()> {
        if !std::mem::replace(&mut self.has_begun, true) {
            self.raw(
                b"HTTP/1.1 200 OK\r\ncontent-type: text/event-stream\r\nconnection: close\r\n\r\n",
            )?;
            if self.is_messages {
                let usage = json!({"input_tokens": 10, "output_tokens": 1});
                let message = json!({"model": "imitated-1", "usage": usage});
                self.event(&json!({"type": "message_start", "message": message}))?;
            }
        }
        Ok(())
    }

    fn event(&mut self, data: &Value) -> anyhow::Result<()> {
        let name = field(data, "type").as_str().map(|name| format!("event: {name}\n"));
        self.raw(format!("{}data: {data}\n\n", name.unwrap_or_default()).as_bytes())
    }

    fn raw(&mut self, bytes: &[u8]) -> anyhow::Result<()> {
        self.client.write_all(bytes)?;
        Ok(())
    }
}

/// The field of an object; null if it is missing.
fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
