//! A paid model, imitated: a server that speaks the protocols of OpenAI and Anthropic, says what it
//! is told to say, and counts who asked.

use std::io::{BufRead, BufReader, Read, Write};
use std::net::{Ipv4Addr, SocketAddr, TcpListener, TcpStream};
use std::sync::atomic::{AtomicBool, Ordering};
use std::sync::{Arc, Condvar, Mutex, MutexGuard, PoisonError};
use std::thread;
use std::time::Duration;

use serde_json::{Value, json};

/// One thing that the server does for an answer.
#[derive(Debug, Clone)]
pub enum Play {
    /// Says these words, as one piece of a stream.
    Say(String),
    /// Ends the answer: so many tokens were asked and answered.
    End(u32, u32),
    /// Ends the answer with this value as its usage, whatever it is; null leaves the usage out.
    EndWith(Value),
    /// Goes on when the gate is opened.
    Wait(Gate),
    /// Sends these bytes instead of anything of the protocol.
    Raw(Vec<u8>),
}

impl Play {
    /// A whole answer of these words, which cost so many tokens.
    #[must_use]
    pub fn answer(words: &str, tokens: u32) -> Vec<Self> {
        vec![Self::Say(words.to_owned()), Self::End(10, tokens)]
    }

    /// A refusal with a status, headers of its own and a body of JSON.
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

    /// What a debate needs: an argument from debaters, a verdict from judges.
    #[must_use]
    pub fn debate(asked: &Asked) -> Vec<Self> {
        if asked.is_for_judge() {
            let verdict = json!({
                "summary": "A answered more.", "score_a": 7, "score_b": 5, "winner": "a",
                "no_new_substantive_arguments": false,
            });
            return Self::answer(&verdict.to_string(), 20);
        }
        let data = asked.data();
        let (round, who) =
            (field(&data, "round"), field(&data, "you").as_str().unwrap_or_default());
        Self::answer(&format!("Argument of {who} in round {round}."), 20)
    }
}

/// How often whoever waits looks whether its client is still there.
const LOOK_EVERY: Duration = Duration::from_millis(10);

/// Something that waits until a test lets it go on.
#[derive(Debug, Clone, Default)]
pub struct Gate(Arc<(Mutex<bool>, Condvar)>);

impl Gate {
    /// A closed one.
    #[must_use]
    pub fn new() -> Self {
        Self::default()
    }

    /// Lets everyone through, now and later.
    pub fn open(&self) {
        *lock(&self.0.0) = true;
        self.0.1.notify_all();
    }

    /// Waits for the gate, or for the client to hang up: whether it is still there.
    fn pass(&self, mut client: &TcpStream) -> anyhow::Result<bool> {
        client.set_read_timeout(Some(LOOK_EVERY))?;
        loop {
            let open = lock(&self.0.0);
            let (open, _) =
                self.0.1.wait_timeout(open, LOOK_EVERY).unwrap_or_else(PoisonError::into_inner);
            if *open {
                return Ok(true);
            }
            drop(open);
            // A client that has asked sends nothing more; it can only go.
            if matches!(client.read(&mut [0]), Ok(0)) {
                return Ok(false);
            }
        }
    }
}

/// One request.
#[derive(Debug, Clone)]
pub struct Asked {
    /// Its place among all; the first is 1.
    pub number: usize,
    /// Where it was sent.
    pub path: String,
    /// The head, as it came.
    pub head: String,
    /// The body.
    pub body: Value,
}

impl Asked {
    /// Everything that was said to the model, in one piece.
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

    /// Whether a verdict is wanted.
    #[must_use]
    pub fn is_for_judge(&self) -> bool {
        field(&self.data(), "task") == "judge"
    }

    /// What the debate is about.
    #[must_use]
    pub fn topic(&self) -> String {
        field(&self.data(), "topic").as_str().unwrap_or_default().to_owned()
    }

    /// How much may be answered.
    #[must_use]
    pub fn max_tokens(&self) -> u64 {
        let either = [field(&self.body, "max_tokens"), field(&self.body, "max_completion_tokens")];
        either.into_iter().find_map(Value::as_u64).unwrap_or_default()
    }
}

/// What to do about a request.
type Script = dyn Fn(&Asked) -> Vec<Play> + Send + Sync;

struct Theatre {
    script: Box<Script>,
    asked: Mutex<Vec<Asked>>,
    came: Condvar,
    /// How many hung up before they had their answer.
    left: Mutex<usize>,
    went: Condvar,
    is_over: AtomicBool,
}

/// The server. Ends with this value.
pub struct Model {
    url: String,
    address: SocketAddr,
    theatre: Arc<Theatre>,
}

impl Model {
    /// One that answers as `script` says.
    pub fn start(
        script: impl Fn(&Asked) -> Vec<Play> + Send + Sync + 'static,
    ) -> anyhow::Result<Self> {
        let listener = TcpListener::bind((Ipv4Addr::LOCALHOST, 0))?;
        let address = listener.local_addr()?;
        let theatre = Arc::new(Theatre {
            script: Box::new(script),
            asked: Mutex::default(),
            came: Condvar::new(),
            left: Mutex::default(),
            went: Condvar::new(),
            is_over: AtomicBool::new(false),
        });
        let serving = Arc::clone(&theatre);
        thread::spawn(move || {
            for client in listener.incoming() {
                if serving.is_over.load(Ordering::Relaxed) {
                    return;
                }
                let Ok(client) = client else { continue };
                let theatre = Arc::clone(&serving);
                // Whoever hangs up has had enough.
                thread::spawn(move || theatre.serve(&client).ok());
            }
        });
        Ok(Self { url: format!("http://{address}/v1"), address, theatre })
    }

    /// Where it is.
    #[must_use]
    pub fn url(&self) -> &str {
        &self.url
    }

    /// Every request so far.
    #[must_use]
    pub fn asked(&self) -> Vec<Asked> {
        lock(&self.theatre.asked).clone()
    }

    /// Waits until so many have asked.
    pub fn wait_for(&self, count: usize) {
        let mut asked = lock(&self.theatre.asked);
        while asked.len() < count {
            asked = self.theatre.came.wait(asked).unwrap_or_else(PoisonError::into_inner);
        }
    }

    /// Waits until so many have hung up at a gate.
    pub fn wait_until_left(&self, count: usize) {
        let mut left = lock(&self.theatre.left);
        while *left < count {
            left = self.theatre.went.wait(left).unwrap_or_else(PoisonError::into_inner);
        }
    }
}

impl Drop for Model {
    fn drop(&mut self) {
        self.theatre.is_over.store(true, Ordering::Relaxed);
        // Whoever accepts looks up only when somebody comes.
        TcpStream::connect(self.address).ok();
    }
}

impl Theatre {
    fn serve(&self, client: &TcpStream) -> anyhow::Result<()> {
        client.set_nodelay(true)?;
        let Some((head, body)) = read(client)? else { return Ok(()) };
        let path = head.split(' ').nth(1).unwrap_or_default().to_owned();
        let mut all = lock(&self.asked);
        let asked = Asked { number: all.len() + 1, path, head, body };
        all.push(asked.clone());
        drop(all);
        self.came.notify_all();
        let mut answer =
            Stream { client, has_begun: false, is_messages: asked.path.ends_with("/messages") };
        for play in (self.script)(&asked) {
            match play {
                Play::Say(words) => answer.say(&words)?,
                Play::End(prompt, completion) => answer.end(prompt, completion)?,
                Play::EndWith(usage) => answer.end_with(&usage)?,
                Play::Wait(gate) => {
                    if !gate.pass(client)? {
                        *lock(&self.left) += 1;
                        self.went.notify_all();
                        return Ok(());
                    }
                }
                Play::Raw(bytes) => answer.raw(&bytes)?,
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

/// An answer as a stream of events, in the protocol of whoever is imitated.
struct Stream<'c> {
    client: &'c TcpStream,
    has_begun: bool,
    /// Anthropic's; else OpenAI's.
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

/// What an object has by this name, if it does.
fn field<'v>(value: &'v Value, name: &str) -> &'v Value {
    value.get(name).unwrap_or(&Value::Null)
}

fn lock<T>(mutex: &Mutex<T>) -> MutexGuard<'_, T> {
    mutex.lock().unwrap_or_else(PoisonError::into_inner)
}
