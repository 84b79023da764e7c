//! Debates as Markdown.

use debate_wire::arena::{Debate, Transcript};

use super::{Entry, facts};
use crate::facts::utc;
use crate::{code_span, escape_line, quote};

/// The title and the facts of a debate.
#[must_use]
pub fn markdown_heading(debate: &Debate) -> String {
    crate::facts::markdown_heading(&debate.title, &facts(debate))
}

/// One argument. Its content is a block quote, so that it cannot imitate another argument.
pub fn markdown_argument<'a>(argument: impl Into<Entry<'a>>) -> String {
    let entry = argument.into();
    let by = entry.author().map(|name| format!(", by {}", escape_line(name)));
    let parent = entry.parent_id.map(|id| format!(", reply to {}", code_span(id)));
    format!(
        "## {}. {}\n\n{}{}, {}{}\n\n{}\n",
        entry.seq,
        entry.title(),
        utc(entry.created_at),
        by.unwrap_or_default(),
        code_span(entry.id),
        parent.unwrap_or_default(),
        quote(entry.content),
    )
}

/// A debate with all arguments of the transcript.
#[must_use]
pub fn markdown_transcript(transcript: &Transcript) -> String {
    let mut out = markdown_heading(&transcript.debate);
    let arguments = std::iter::once(&transcript.motion).chain(&transcript.arguments);
    out.extend(arguments.map(markdown_argument));
    out
}
