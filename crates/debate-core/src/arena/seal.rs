//! What a seal takes of the arena: debates in the order of their ids, each followed by its
//! arguments in theirs.

use super::argument::{Argument, Entry};
use super::decide::Head;
use crate::{Fingerprint, Seal};

impl Seal {
    /// Takes a debate, before its arguments.
    pub fn debate(&mut self, head: &Head) {
        let Head { debate, last_seq, auto_ruling } = head;
        self.field(b"debate");
        self.field(debate.id.uuid().as_bytes());
        self.field(debate.title.as_bytes());
        self.field(debate.debate_type.name().as_bytes());
        self.field(debate.state.name().as_bytes());
        self.field(&last_seq.number().to_le_bytes());
        self.maybe(auto_ruling.map(|auto_ruling| [u8::from(auto_ruling)]).as_ref());
        self.field(&debate.created_at.as_microsecond().to_le_bytes());
        self.field(&debate.updated_at.as_microsecond().to_le_bytes());
        self.take();
    }

    /// Takes the type that a debate had in the server it was carried over from, after the debate.
    /// A debate without one adds nothing.
    pub fn original_type(&mut self, original: Option<&str>) {
        if let Some(original) = original {
            self.field(b"original type");
            self.field(original.as_bytes());
            self.take();
        }
    }

    /// Takes the next argument of the debate.
    pub fn argument(&mut self, entry: &Entry) {
        let Entry { argument, fingerprint } = entry;
        let Argument { id, debate, parent, kind, role, content, .. } = argument;
        self.field(b"argument");
        self.field(id.uuid().as_bytes());
        self.field(debate.uuid().as_bytes());
        self.maybe(parent.map(|parent| parent.uuid().into_bytes()).as_ref());
        self.field(kind.name().as_bytes());
        self.field(role.name().as_bytes());
        self.field(content.as_bytes());
        self.maybe(argument.request_key.as_ref());
        self.maybe(fingerprint.as_ref().map(Fingerprint::as_bytes));
        self.field(&argument.seq.number().to_le_bytes());
        self.field(argument.state_after.name().as_bytes());
        self.field(&argument.created_at.as_microsecond().to_le_bytes());
        self.take();
    }
}
