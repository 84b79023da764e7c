//! A minimal reader of server-sent events as the standard defines them.

use futures_util::StreamExt;
use reqwest::Method;
use serde_json::Value;

use crate::support::{HANG, Server, contract};

#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct Event {
    pub(crate) name: String,
    pub(crate) id: Option<String>,
    pub(crate) data: Value,
}

impl Event {
    pub(crate) fn seq(&self) -> u64 {
        self.data["argument"]["seq"].as_u64().expect("an argument has a seq")
    }
}

pub(crate) struct Events {
    path: String,
    pub(crate) status: u16,
    pub(crate) headers: reqwest::header::HeaderMap,
    chunks: std::pin::Pin<Box<dyn futures_util::Stream<Item = reqwest::Result<Vec<u8>>> + Send>>,
    text: String,
    /// Everything that was received.
    pub(crate) raw: String,
}

impl Events {
    pub(crate) async fn open(server: &Server, path: &str, last_event_id: Option<&str>) -> Self {
        let mut request = server.request(Method::GET, path);
        if let Some(id) = last_event_id {
            request = request.header("last-event-id", id);
        }
        Self::receive(request).await
    }

    /// Opens the stream that answers this request.
    pub(crate) async fn receive(request: reqwest::RequestBuilder) -> Self {
        let response = request.timeout(HANG * 2).send().await.expect("the server answers");
        let path = response.url().path().to_owned();
        let (status, headers) = (response.status().as_u16(), response.headers().clone());
        let chunks =
            Box::pin(response.bytes_stream().map(|chunk| chunk.map(|bytes| bytes.to_vec())));
        Self { path, status, headers, chunks, text: String::new(), raw: String::new() }
    }

    /// The next event; None when the stream ends.
    pub(crate) async fn next(&mut self) -> Option<Event> {
        loop {
            if let Some((block, rest)) = self.text.split_once("\n\n") {
                let event = parse(block);
                self.text = rest.into();
                match event {
                    Some(event) => {
                        let Event { name, id, data } = &event;
                        contract::check_event(&self.path, name, id.as_deref(), data);
                        return Some(event);
                    }
                    None => continue,
                }
            }
            let chunk = tokio::time::timeout(HANG, self.chunks.next()).await.expect("no hang");
            let chunk = String::from_utf8(chunk?.ok()?).expect("events are UTF-8");
            self.raw.push_str(&chunk);
            self.text.push_str(&chunk);
        }
    }

    pub(crate) async fn take(&mut self, count: usize) -> Vec<Event> {
        let mut events = Vec::new();
        while events.len() < count {
            events.push(self.next().await.expect("the stream goes on"));
        }
        events
    }

    /// Everything up to the end of the stream.
    pub(crate) async fn rest(&mut self) -> Vec<Event> {
        let mut events = Vec::new();
        while let Some(event) = self.next().await {
            events.push(event);
        }
        events
    }
}

fn parse(block: &str) -> Option<Event> {
    let (mut name, mut id, mut data) = (None, None, None);
    for line in block.lines() {
        let (field, value) = line.split_once(':')?;
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match field {
            "event" => name = Some(value),
            "id" => id = Some(value),
            "data" => data = Some(value),
            // `retry` lines and comments are not events.
            _ => return None,
        }
    }
    let data = serde_json::from_str(&data?).expect("data is one line of JSON");
    Some(Event { name: name.unwrap_or_else(|| "message".to_owned()), id, data })
}
