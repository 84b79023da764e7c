//! A transcript as a self-contained document.

use askama::Template;
use debate_wire::arena::{Argument, Newer, Transcript};

use super::{json, labels, markdown, safe};
use crate::args::{Document, name};
use crate::fault::Fault;

pub(crate) fn render(transcript: &Transcript, document: Document) -> Result<String, Fault> {
    match document {
        Document::Json => Ok(json::any_pretty(transcript)),
        Document::Markdown => {
            let mut out = markdown::heading(transcript);
            out.extend(all(transcript).map(markdown::argument));
            Ok(out)
        }
        Document::Html => {
            let debate = &transcript.debate;
            let page = Page {
                title: safe::line(&debate.title),
                id: &debate.id,
                debate_type: name(&debate.debate_type),
                state: labels::state(debate.state),
                created: &debate.created_at,
                changed: &debate.updated_at,
                entries: all(transcript).map(Entry::from).collect(),
            };
            page.render().map_err(|err| Fault::Local(err.to_string()))
        }
    }
}

fn all(transcript: &Transcript) -> impl Iterator<Item = &Argument> {
    std::iter::once(&transcript.motion).chain(&transcript.arguments)
}

/// One page without a script; everything in it is escaped by the template.
#[derive(Template)]
#[template(path = "debate.html")]
struct Page<'d> {
    title: String,
    id: &'d str,
    debate_type: String,
    state: &'static str,
    created: &'d str,
    changed: &'d str,
    entries: Vec<Entry<'d>>,
}

struct Entry<'d> {
    seq: u32,
    kind: String,
    author: String,
    role: String,
    id: &'d str,
    parent: Option<&'d str>,
    time: &'d str,
    content: String,
}

impl<'d> From<&'d Argument> for Entry<'d> {
    fn from(argument: &'d Argument) -> Self {
        Self {
            seq: argument.seq,
            kind: name(&argument.r#type),
            author: labels::author(&Newer::from(argument.clone()), |role| name(&role)),
            role: name(&argument.role),
            id: &argument.id,
            parent: argument.parent_id.as_deref(),
            time: &argument.created_at,
            content: safe::block(&argument.content),
        }
    }
}
