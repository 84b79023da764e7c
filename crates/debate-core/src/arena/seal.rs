//! Everything that is kept of any number of debates, as one digest: the same whatever keeps it.
//!
//! Two databases with the same digest hold the same bytes, but for rows that follow from others.

use std::fmt;

use sha2::Sha256;

use super::argument::{Argument, Entry};
use super::decide::Head;
use crate::Fingerprint;

/// What a seal comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Takes debates in the order of their ids, each followed by its arguments in theirs.
#[derive(Default)]
pub struct Seal {
    hash: Sha256,
    /// What is being taken: hashed at once, since many small pieces cost more than their bytes.
    record: Vec<u8>,
}

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

    /// What all of it comes to.
    #[must_use]
    pub fn digest(self) -> Digest {
        Digest(sha2::Digest::finalize(self.hash).into())
    }

    /// Nothing is not the same as an empty field.
    fn maybe(&mut self, field: Option<&impl AsRef<[u8]>>) {
        match field {
            None => self.field(b"none"),
            Some(bytes) => {
                self.field(b"some");
                self.field(bytes.as_ref());
            }
        }
    }

    /// Each field is preceded by its length: "ab","c" and "a","bc" must differ.
    fn field(&mut self, bytes: &[u8]) {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.record.extend_from_slice(&length.to_le_bytes());
        self.record.extend_from_slice(bytes);
    }

    fn take(&mut self) {
        sha2::Digest::update(&mut self.hash, &self.record);
        self.record.clear();
    }
}
