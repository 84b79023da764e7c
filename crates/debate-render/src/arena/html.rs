//! Debates as HTML.

use std::collections::HashMap;

use askama::Template;
use debate_wire::arena::{Debate, Role, Transcript};

use super::{Entry, facts, role_label, state_class, state_label};
use crate::page::{self, DocumentHead};
use crate::{Html, time_tag, visible};

/// The beginning of an HTML export. Arguments and [`crate::HTML_FOOT`] follow.
#[must_use]
pub fn html_head(debate: &Debate) -> String {
    let badge = (state_class(debate.state), state_label(debate.state));
    let mut head = DocumentHead::new("Debate", &debate.title, badge);
    head.facts = facts(debate);
    page::render(&head)
}

/// A debate with all arguments of the transcript, as one file.
#[must_use]
pub fn html_transcript(transcript: &Transcript) -> String {
    let mut out = html_head(&transcript.debate);
    let mut positions: HashMap<&str, u32> = HashMap::new();
    for argument in std::iter::once(&transcript.motion).chain(&transcript.arguments) {
        let parent = argument.parent_id.as_deref().and_then(|id| positions.get(id).copied());
        out.push_str(&ArgumentItem::for_export(argument.into(), parent).to_html().0);
        positions.insert(&argument.id, argument.seq);
    }
    out.push_str(page::FOOT);
    out
}

/// One argument as an item of an ordered list.
#[derive(Debug, Template)]
#[template(path = "argument.html")]
pub struct ArgumentItem<'p> {
    seq: u32,
    role: &'static str,
    letter: &'static str,
    title: &'static str,
    /// Name of the author, if it is known.
    author: Option<String>,
    time: Html,
    /// Position of the argument that this one answers.
    parent: Option<u32>,
    content: Option<Html>,
    /// Size of the content if it is cut off.
    cut_bytes: Option<usize>,
    /// Path of the debate's page; empty in an export.
    page: &'p str,
}

impl<'p> ArgumentItem<'p> {
    /// An item with the whole content; its links stay inside the file.
    #[must_use]
    pub fn for_export(entry: Entry<'_>, parent: Option<u32>) -> Self {
        Self::new(entry, parent, "", usize::MAX)
    }

    /// An item with the first 64 KiB of the content; its links lead to the page of the debate.
    #[must_use]
    pub fn for_page(entry: Entry<'_>, parent: Option<u32>, page: &'p str) -> Self {
        Self::new(entry, parent, page, page::PAGE_BYTES_MAX)
    }

    fn new(entry: Entry<'_>, parent: Option<u32>, page: &'p str, bytes_max: usize) -> Self {
        let letter = match entry.role {
            Role::Proposer => "P",
            Role::Opponent => "O",
            Role::Arbitrator if entry.is_automatic => "✓",
            Role::Arbitrator => "A",
        };
        let (content, cut_bytes) = page::content(entry.content, bytes_max);
        Self {
            seq: entry.seq,
            role: role_label(entry.role),
            letter,
            title: entry.title(),
            author: entry.author().map(visible::line),
            time: time_tag(entry.created_at),
            parent,
            content,
            cut_bytes,
            page,
        }
    }

    /// The item as HTML.
    #[must_use]
    pub fn to_html(&self) -> Html {
        Html(page::render(self))
    }

    #[expect(clippy::trivially_copy_pass_by_ref, reason = "templates pass references")]
    fn href(&self, seq: &u32) -> String {
        match self.page {
            "" => format!("#seq-{seq}"),
            page => format!("{page}?at={seq}#seq-{seq}"),
        }
    }
}
