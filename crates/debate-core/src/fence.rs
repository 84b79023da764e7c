//! Text of others inside a prompt: data in a block that it can't end.
//!
//! Three things hold, each by itself enough. What is fenced is one line of JSON, so no text in it
//! can begin a line, and the fences are lines. The fence is random and made for one call, so
//! nobody can have written it. And where a text contains it nevertheless, it is taken out.

use std::fmt::Write as _;

use crate::sight::{is_unseen, misleads};

/// The name of one data block, from random bytes made for one call.
#[derive(Clone, PartialEq, Eq)]
pub struct Fence(String);

/// Not shown: whoever knows it could write it.
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

    /// The line after it.
    #[must_use]
    pub fn end(&self) -> String {
        format!("<<<END DATA {}>>>", self.0)
    }

    /// A JSON string that says `text`, but for the fence itself.
    pub(crate) fn quoted(&self, text: &str) -> String {
        let mut text = text.to_owned();
        // Taking it out may bring two halves of it together.
        while text.contains(&self.0) {
            text = text.replace(&self.0, "");
        }
        quoted(&text)
    }
}

/// A JSON string of one line in every sense of the word, with everything that isn't seen written
/// out: controls, marks of direction, spaces of no width, tags.
fn quoted(text: &str) -> String {
    let mut json = String::with_capacity(text.len() + 2);
    json.push('"');
    for letter in text.chars() {
        match letter {
            '"' => json.push_str("\\\""),
            '\\' => json.push_str("\\\\"),
            '\n' => json.push_str("\\n"),
            '\r' => json.push_str("\\r"),
            '\t' => json.push_str("\\t"),
            // Half of a fence should not even look like one.
            '<' | '>' => escape(&mut json, letter),
            letter if misleads(letter) || is_unseen(letter) => escape(&mut json, letter),
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
