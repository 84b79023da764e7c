//! Ids in flags: UUIDs, and the original ids of what was carried over from an earlier server.

use std::fmt;
use std::str::FromStr;

use debate_core::{ArgumentId, DebateId, Reference};
use percent_encoding::{AsciiSet, NON_ALPHANUMERIC, utf8_percent_encode};
use uuid::Uuid;

use crate::fault::Fault;

/// A UUID is sent as it is.
const ENCODED: &AsciiSet = &NON_ALPHANUMERIC.remove(b'-').remove(b'_');

/// A fresh id. Ids that follow one another are neighbours in the server's indexes.
pub(super) fn new_id() -> String {
    Uuid::now_v7().to_string()
}

/// The id of a debate to be opened, as the server spells it.
pub(super) fn new_debate_id(text: &str) -> Result<DebateId, Fault> {
    text.trim().parse().map_err(|err| not_an_id("--debate-id", text, err))
}

/// The debate that `--debate-id` names.
pub(super) fn debate_id(text: &str) -> Result<Reference<DebateId>, Fault> {
    parse("--debate-id", text)
}

/// The argument that a flag names.
pub(super) fn argument_id(flag: &str, text: &str) -> Result<Reference<ArgumentId>, Fault> {
    parse(flag, text)
}

/// Blanks around a UUID are ignored; in an original id they count.
fn parse<I: FromStr>(flag: &str, text: &str) -> Result<Reference<I>, Fault> {
    if let Ok(id) = text.trim().parse() {
        return Ok(Reference::Id(id));
    }
    text.parse().map_err(|err| not_an_id(flag, text, err))
}

/// The path of a debate and what is below it.
pub(super) fn debate_path(debate: &Reference<DebateId>, rest: impl fmt::Display) -> String {
    format!("/debates/{}{rest}", path_segment(debate))
}

/// An id as a part of a path.
pub(super) fn path_segment(debate: &Reference<DebateId>) -> String {
    utf8_percent_encode(&debate.to_string(), ENCODED).to_string()
}

fn not_an_id(flag: &str, text: &str, err: impl fmt::Display) -> Fault {
    let suggestion = match flag {
        "--debate-id" => {
            "find the ID with `aw debate list`, or make a new one with `aw debate generate-id`"
        }
        _ => "`aw debate get-context` shows the IDs of a debate's arguments",
    };
    Fault::input(format!("{flag} {text:?} {err}"), suggestion)
}
