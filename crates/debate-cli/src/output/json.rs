//! JSON output in which control characters of terminals are escaped too, which JSON does not
//! require.

use std::io::{self, Write};

use debate_core::is_misleading;
use debate_wire::agent::Response;
use serde::Serialize;
use serde_json::Serializer;
use serde_json::ser::{CompactFormatter, Formatter, PrettyFormatter};

/// The envelope, indented by two.
pub(crate) fn pretty(response: &Response) -> String {
    serialize(response, PrettyFormatter::new())
}

/// The envelope on one line.
pub(crate) fn line(response: &Response) -> String {
    serialize(response, CompactFormatter)
}

/// Any other value of the API, indented by two.
pub(super) fn any_pretty(value: &impl Serialize) -> String {
    serialize(value, PrettyFormatter::new())
}

fn serialize(value: &impl Serialize, formatter: impl Formatter) -> String {
    let mut bytes = Vec::new();
    let mut serializer = Serializer::with_formatter(&mut bytes, Escaping(formatter));
    value.serialize(&mut serializer).expect("types of the API serialize to JSON");
    bytes.push(b'\n');
    String::from_utf8(bytes).expect("JSON is UTF-8")
}

/// A formatter that escapes misleading characters in strings.
struct Escaping<F>(F);

impl<F: Formatter> Formatter for Escaping<F> {
    fn write_string_fragment<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        fragment: &str,
    ) -> io::Result<()> {
        let mut rest = fragment;
        while let Some((at, found)) = rest.char_indices().find(|(_, c)| is_misleading(*c)) {
            let (before, after) = rest.split_at(at);
            self.0.write_string_fragment(writer, before)?;
            for unit in found.encode_utf16(&mut [0; 2]) {
                write!(writer, "\\u{unit:04x}")?;
            }
            rest = after.get(found.len_utf8()..).unwrap_or_default();
        }
        self.0.write_string_fragment(writer, rest)
    }

    fn begin_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_array(writer)
    }

    fn end_array<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array(writer)
    }

    fn begin_array_value<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_array_value(writer, first)
    }

    fn end_array_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_array_value(writer)
    }

    fn begin_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object(writer)
    }

    fn end_object<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object(writer)
    }

    fn begin_object_key<W: ?Sized + Write>(
        &mut self,
        writer: &mut W,
        first: bool,
    ) -> io::Result<()> {
        self.0.begin_object_key(writer, first)
    }

    fn begin_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.begin_object_value(writer)
    }

    fn end_object_value<W: ?Sized + Write>(&mut self, writer: &mut W) -> io::Result<()> {
        self.0.end_object_value(writer)
    }
}

#[cfg(test)]
mod tests {
    use proptest::prelude::*;
    use serde_json::{Value, json};

    use super::{Response, any_pretty, is_misleading, line, pretty};

    proptest! {
        #[test]
        fn any_text_round_trips_without_control_characters(text in any::<String>()) {
            let data = json!({ "content": text.clone(), text.clone(): [1, {}] });
            let response = Response::new(&data);
            for json in [pretty(&response), line(&response)] {
                let back: Value = serde_json::from_str(&json).expect("it is JSON");
                let data = &back["content"][0]["data"];
                prop_assert_eq!(data["content"].as_str(), Some(text.as_str()));
                prop_assert!(!json.chars().any(|c| c != '\n' && is_misleading(c)));
            }
        }
    }

    #[test]
    fn indentation_is_two_spaces() {
        let value = json!({ "a": [1, "two", {}], "b": { "c": null }, "d": [] });
        let expected = serde_json::to_string_pretty(&value).expect("it is JSON");
        assert_eq!(any_pretty(&value), format!("{expected}\n"));
    }
}
