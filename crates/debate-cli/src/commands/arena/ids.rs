//! IDs in flags: UUIDs, and the original IDs of data that was migrated from the Node servers.

use std::fmt;
use std::str::FromStr;

use debate_core::{ArgumentId, DebateId, Reference};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};

use crate::failure::Failure;

/// The characters of a UUID are not encoded.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// The ID of a new debate.
pub(super) fn new_debate_id(text: &str) -> Result<DebateId, Failure> {
    text.trim().parse().map_err(|err| not_an_id("--debate-id", text, err))
}

/// The debate that `--debate-id` names.
pub(super) fn debate_id(text: &str) -> Result<Reference<DebateId>, Failure> {
    parse("--debate-id", text)
}

/// The argument that a flag names.
pub(super) fn argument_id(flag: &str, text: &str) -> Result<Reference<ArgumentId>, Failure> {
    parse(flag, text)
}

/// Spaces around a UUID are ignored; in an original ID they are significant.
fn parse<I: FromStr>(flag: &str, text: &str) -> Result<Reference<I>, Failure> {
    if let Ok(id) = text.trim().parse() {
        return Ok(Reference::Id(id));
    }
    text.parse().map_err(|err| not_an_id(flag, text, err))
}

/// The API path of a debate, followed by `rest`.
pub(super) fn debate_path(debate: &Reference<DebateId>, rest: impl fmt::Display) -> String {
    format!("/debates/{}{rest}", path_segment(debate))
}

/// An ID as a segment of a path.
pub(super) fn path_segment(debate: &Reference<DebateId>) -> String {
    utf8_percent_encode(&debate.to_string(), ENCODED).to_string()
}

fn not_an_id(flag: &str, text: &str, err: impl fmt::Display) -> Failure {
    let suggestion = match flag {
        "--debate-id" => {
            "find the ID with `aw debate list`, or make a new one with `aw debate generate-id`"
        }
        _ => "`aw debate get-context` shows the IDs of a debate's arguments",
    };
    Failure::input(format!("{flag} {text:?} {err}"), suggestion)
}
