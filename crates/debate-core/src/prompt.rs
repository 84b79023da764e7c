//! Prompts: the messages that a model receives, and untrusted text inside them: a block of data
//! whose content cannot end the block.
//!
//! Three properties protect the block, and each of them is sufficient. The data is one line of
//! JSON, so no text in it can begin a line, and fences are whole lines. The fence is random and
//! used for one call, so an author cannot know it. If a text contains the fence nevertheless, it is
//! removed.

use std::fmt::Write as _;

use crate::invisible_chars::{is_invisible, is_misleading};

/// The author of a message, as providers name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum MessageRole {
    /// The server's instructions to the model.
    System,
    /// The server's request and its data.
    User,
    /// An earlier answer of the model.
    Assistant,
}

/// One message of a prompt.
#[derive(Clone, PartialEq, Eq)]
pub struct Message {
    /// The author of the message.
    pub role: MessageRole,
    /// The content of the message.
    pub text: String,
}

/// Shows the size only: prompts must not reach a log.
impl std::fmt::Debug for Message {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Message({:?}, {} bytes)", self.role, self.text.len())
    }
}

/// The messages in order. The first one has the role [`MessageRole::System`].
pub type Prompt = Vec<Message>;

/// The name of one data block, from random bytes made for one call.
#[derive(Clone, PartialEq, Eq)]
pub struct Fence(String);

/// Hides the fence: a text that contains it could end the block.
impl std::fmt::Debug for Fence {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Fence")
    }
}

impl Fence {
    /// The fence of these random bytes.
    #[must_use]
    pub fn new(random: [u8; 16]) -> Self {
        Self(format!("{:032x}", u128::from_be_bytes(random)))
    }

    /// The line before the data.
    #[must_use]
    pub fn begin(&self) -> String {
        format!("<<<BEGIN DATA {}>>>", self.0)
    }

    /// The line after the data.
    #[must_use]
    pub fn end(&self) -> String {
        format!("<<<END DATA {}>>>", self.0)
    }

    /// `text` as a JSON string, without any occurrence of the fence.
    pub(crate) fn quote(&self, text: &str) -> String {
        let mut text = text.to_owned();
        // Removing an occurrence may join two halves into another one.
        while text.contains(&self.0) {
            text = text.replace(&self.0, "");
        }
        json_string(&text)
    }
}

/// A JSON string without line breaks of any kind. Invisible characters are escaped: control
/// characters, direction marks, zero-width spaces, tags.
fn json_string(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            // Escaped so that no text looks like a part of a fence.
            '<' | '>' => escape(&mut json, letter),
            letter if is_misleading(letter) || is_invisible(letter) => escape(&mut json, letter),
            letter => json.push(letter),
        }
    }
    json.push('"');
    json
}

fn escape(json: &mut String, letter: char) {
    for unit in letter.encode_utf16(&mut [0; 2]) {
        write!(json, "\\u{unit:04x}").expect("a String takes whatever is written");
    }
}
