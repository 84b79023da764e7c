//! Server-sent events, followed as a browser does: the last id is the position.

use futures_util::StreamExt;

use super::{ConnectionEnd, Following};
use crate::shared_state::Entry;

/// The content of a stream that cannot be served at present.
const RETRY_LATER: &[u8] = b"retry: 5000\n";

/// An event of the standard.
#[derive(Debug, Default, PartialEq, Eq)]
struct Event {
    name: String,
    id: Option<String>,
    data: String,
}

/// Parses a stream of bytes. Lines end with LF, CR or both; comments are dropped.
#[derive(Debug, Default)]
struct Parser {
    line: Vec<u8>,
    after_cr: bool,
    event: Event,
    retry: Option<String>,
    done: Vec<Event>,
}

impl Parser {
    fn push(&mut self, bytes: &[u8]) {
        for &byte in bytes {
            let second_half = byte == b'\n' && self.after_cr;
            self.after_cr = byte == b'\r';
            match byte {
                b'\n' if second_half => {}
                b'\n' | b'\r' => self.end_line(),
                _ => self.line.push(byte),
            }
        }
    }

    fn end_line(&mut self) {
        let line = String::from_utf8_lossy(&std::mem::take(&mut self.line)).into_owned();
        if line.is_empty() {
            let event = std::mem::take(&mut self.event);
            if !event.data.is_empty() {
                self.done.push(event);
            }
            return;
        }
        let (field, value) = line.split_once(':').unwrap_or((&line, ""));
        let value = value.strip_prefix(' ').unwrap_or(value).to_owned();
        match field {
            "event" => self.event.name = value,
            "id" => self.event.id = Some(value),
            "data" if self.event.data.is_empty() => self.event.data = value,
            "data" => self.event.data = format!("{}\n{value}", self.event.data),
            "retry" => self.retry = Some(value),
            _ => {}
        }
    }
}

/// Reads one stream to its end.
pub(super) async fn listen(following: &mut Following) -> ConnectionEnd {
    let response = match request(following).send().await {
        Ok(response) => response,
        Err(err) if err.is_connect() => {
            return ConnectionEnd::Broken("no server listens".to_owned());
        }
        Err(_) => return ConnectionEnd::Broken("was cut off before its answer".to_owned()),
    };
    match response.status().as_u16() {
        200 => {}
        // The server says that everything was seen; the checker verifies that.
        204 => {
            following.shared.count("Sse was told that there is nothing more (204)");
            return ConnectionEnd::Complete;
        }
        other => return following.report_wrong(format!("was answered {other}")),
    }
    let mut bytes = response.bytes_stream();
    let mut parser = Parser::default();
    while let Some(chunk) = bytes.next().await {
        let Ok(chunk) = chunk else { return ConnectionEnd::Broken("was cut off".to_owned()) };
        parser.push(&chunk);
        for event in std::mem::take(&mut parser.done) {
            if parser.retry.as_deref() != Some("2000") {
                return following.report_wrong("was not told when to come back first");
            }
            if let Some(end) = take(following, &event).await {
                return end;
            }
        }
    }
    ConnectionEnd::Broken("stream was ended by the server".to_owned())
}

/// Some subscribers send their position in the header, as browsers do, others in the query, by seq.
fn request(following: &Following) -> reqwest::RequestBuilder {
    let path = format!("/debates/{}/events", following.debate);
    let api = following.shared.api();
    match (following.position.id, following.position.seq) {
        (Some(_), seq @ 1..) if following.sub.is_multiple_of(3) => {
            api.stream(&format!("{path}?after={seq}"))
        }
        (Some(id), _) => api.stream(&path).header("last-event-id", id.to_string()),
        (None, _) => api.stream(&path),
    }
}

/// Parses a complete stream that was not read while it ran.
pub(super) async fn take_all(following: &mut Following, text: &str) -> Option<ConnectionEnd> {
    let mut parser = Parser::default();
    parser.push(text.as_bytes());
    for event in std::mem::take(&mut parser.done) {
        if let Some(end) = take(following, &event).await {
            return Some(end);
        }
    }
    None
}

async fn take(following: &mut Following, event: &Event) -> Option<ConnectionEnd> {
    match event.name.as_str() {
        "argument" => {
            let entry = match serde_json::from_str::<Entry>(&event.data) {
                Ok(entry) => entry,
                Err(err) => return Some(following.report_wrong(format!("could not read: {err}"))),
            };
            if event.id.as_deref() != Some(entry.argument.id.to_string().as_str()) {
                return Some(following.report_wrong("was given an id that is not the argument's"));
            }
            following.receive(&entry.argument, Some(entry.debate.state));
            None
        }
        "reset" => {
            following.reset();
            None
        }
        "end" => Some(check_no_content(following).await),
        other => Some(following.report_wrong(format!("was sent an event called {other:?}"))),
    }
}

/// A reconnect after the end of the debate must be answered with 204.
async fn check_no_content(following: &Following) -> ConnectionEnd {
    let Some(id) = following.position.id else {
        return following.report_wrong("was told of the end before anything else");
    };
    let path = format!("/debates/{}/events", following.debate);
    let request = following.shared.api().stream(&path).header("last-event-id", id.to_string());
    match request.send().await {
        Ok(response) if response.status().as_u16() == 204 => ConnectionEnd::Complete,
        Ok(mut response) => {
            let status = response.status().as_u16();
            let beginning = response.chunk().await.ok().flatten().unwrap_or_default();
            if following.shared.may_lack_storage() && beginning.starts_with(RETRY_LATER) {
                return ConnectionEnd::Broken("was put off after the end".to_owned());
            }
            following.report_wrong(format!("came back after the end and was answered {status}"))
        }
        Err(_) => ConnectionEnd::Broken("was cut off after the end".to_owned()),
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    fn parse(chunks: &[&str]) -> Vec<(String, Option<String>, String)> {
        let mut parser = Parser::default();
        for chunk in chunks {
            parser.push(chunk.as_bytes());
        }
        parser.done.into_iter().map(|event| (event.name, event.id, event.data)).collect()
    }

    #[test]
    fn events_are_parsed_from_any_chunks_and_line_ends() {
        let expected = vec![("argument".to_owned(), Some("7".to_owned()), "a\nb".to_owned())];
        let text = "retry: 2000\n\n: hello\nevent: argument\nid:7\ndata: a\ndata:b\n\n";
        assert_eq!(parse(&[text]), expected);
        let pieces: Vec<_> = text.split_inclusive(|_| true).collect();
        assert_eq!(parse(&pieces), expected);
        assert_eq!(parse(&[&text.replace('\n', "\r\n")]), expected);
        assert_eq!(parse(&[&text.replace('\n', "\r")]), expected);
    }

    #[test]
    fn block_without_data_or_end_is_not_an_event() {
        assert!(parse(&["event: argument\nid: 1\n\n", "data: never ended\n"]).is_empty());
    }
}
