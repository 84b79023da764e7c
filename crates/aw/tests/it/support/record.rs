//! A record of responses for one snapshot: complete bodies, with ids and times
//! replaced by stable text.

use debate_core::arena::is_slug;
use serde_json::Value;

use crate::support::{Output, Reply, Server};

const UUID_LENGTH: usize = 36;

/// Other values that differ between executions, by the shape of their digits: times,
/// agent keys, request ids.
const SHAPES: [(&str, &str); 5] = [
    ("dddd-dd-dd dd:dd:dd", "<time>"),
    ("dddd-dd-ddTdd:dd:dd.ddddddZ", "<time>"),
    ("dddd-dd-ddTdd:dd:dd.dddZ", "<time>"),
    ("awk_hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", "<key>"),
    ("req_hhhhhhhhhhhhhhhhhhhhhhhhhhhhhhhh", "<request>"),
];

#[derive(Default)]
pub(crate) struct Record {
    entries: Vec<String>,
}

impl Record {
    /// Records a response under a title.
    pub(crate) fn note(&mut self, sentence: &str, reply: &Reply) {
        let body = match serde_json::from_str::<Value>(&reply.text) {
            // In the server's order of keys.
            Ok(_) => reply.text.clone(),
            Err(_) => format!("(no JSON) {}", reply.text),
        };
        let headers: String =
            ["idempotent-replayed", "retry-after", "www-authenticate", "allow", "link"]
                .into_iter()
                .filter_map(|name| Some(format!("{name}: {}\n", reply.header(name)?)))
                .collect();
        self.entries.push(format!("# {sentence}\n{}\n{headers}{body}\n", reply.status));
    }

    /// Records a command line with its exit code and both outputs.
    pub(crate) fn note_command(&mut self, server: &Server, words: &[&str], output: &Output) {
        let typed: Vec<_> = words.iter().map(|word| quote_word(word)).collect();
        let mut entry = format!("$ aw {}\n[{}]\n{}", typed.join(" "), output.code, output.out);
        entry.extend(output.err.lines().flat_map(|line| ["! ", line, "\n"]));
        let entry = entry.replace(&server.url, "http://SERVER");
        let port = server.url.rsplit(':').next().expect("a URL has a port");
        let entry = entry.replace(&format!("\"port\": {port}"), "\"port\": 3456");
        let entry = entry.replace(&format!("port     {port}"), "port     3456");
        self.entries.push(entry.replace(&server.home().path().display().to_string(), "~"));
    }

    pub(crate) fn render(&self) -> String {
        redact(&self.entries.join("\n"))
    }
}

fn quote_word(word: &str) -> String {
    if word.is_empty() || word.contains([' ', '\n', '\'']) {
        return format!("'{word}'");
    }
    word.to_owned()
}

/// The name of the debate whose slug begins a text, as in `<slug cache-the-index>`, and its length.
fn slug_at_start(text: &str, before: Option<char>) -> Option<(String, usize)> {
    let is_part = |c: char| c.is_ascii_lowercase() || c.is_ascii_digit() || c == '-';
    if before.is_some_and(|c| is_part(c) || c == '_') {
        return None;
    }
    let end = text.find(|c| !is_part(c)).unwrap_or(text.len());
    // Versions, such as 1-3b951d82, have the form of a slug too.
    let begins_with_letter = text.starts_with(|c: char| c.is_ascii_lowercase());
    let slug = text.get(..end).filter(|text| begins_with_letter && is_slug(text))?;
    let (words, _) = slug.rsplit_once('-')?;
    Some((format!("<slug {words}>"), end))
}

/// Numbers the ids in the order of their first occurrence, and replaces times, slugs, keys and
/// request ids.
fn redact(text: &str) -> String {
    let mut ids: Vec<String> = Vec::new();
    let mut out = String::with_capacity(text.len());
    let mut rest = text;
    while let Some(first) = rest.chars().next() {
        let uuid = rest.get(..UUID_LENGTH).filter(|text| is_uuid(text));
        let other = SHAPES.into_iter().find(|(shape, _)| {
            rest.get(..shape.len()).is_some_and(|text| matches_shape(text, shape))
        });
        let taken = match (uuid, other) {
            (Some(uuid), _) => {
                let at = ids.iter().position(|id| id == uuid).unwrap_or_else(|| {
                    ids.push(uuid.to_owned());
                    ids.len() - 1
                });
                out.extend(["<id ", &(at + 1).to_string(), ">"]);
                UUID_LENGTH
            }
            (None, Some((shape, name))) => {
                out.push_str(name);
                shape.len()
            }
            (None, None) => {
                let slug = slug_at_start(rest, out.chars().next_back());
                let (text, length) = slug.unwrap_or((first.to_string(), first.len_utf8()));
                out.push_str(&text);
                length
            }
        };
        rest = rest.get(taken..).unwrap_or_default();
    }
    out
}

fn is_uuid(text: &str) -> bool {
    matches_shape(text, "hhhhhhhh-hhhh-hhhh-hhhh-hhhhhhhhhhhh")
}

fn matches_shape(text: &str, shape: &str) -> bool {
    text.len() == shape.len()
        && text.bytes().zip(shape.bytes()).all(|(byte, shape)| match shape {
            b'h' => byte.is_ascii_hexdigit(),
            b'd' => byte.is_ascii_digit(),
            other => byte == other,
        })
}
