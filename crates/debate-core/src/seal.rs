//! Everything that is kept, as one digest: the same whatever keeps it.
//!
//! Two databases with the same digest hold the same bytes, but for rows that follow from others.

use std::fmt;

use sha2::Sha256;

/// What a seal comes to.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl Digest {
    /// Of two things that are kept together.
    #[must_use]
    pub fn joined(self, other: Self) -> Self {
        let both = [self.0, other.0].concat();
        Self(<Sha256 as sha2::Digest>::digest(both).into())
    }
}

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Takes what is kept, in one order everywhere. What a context keeps is described by that context.
#[derive(Default)]
pub struct Seal {
    hash: Sha256,
    /// What is being taken: hashed at once, since many small pieces cost more than their bytes.
    record: Vec<u8>,
}

impl Seal {
    /// What all of it comes to.
    #[must_use]
    pub fn digest(self) -> Digest {
        Digest(sha2::Digest::finalize(self.hash).into())
    }

    /// Nothing is not the same as an empty field.
    pub(crate) fn maybe(&mut self, field: Option<&impl AsRef<[u8]>>) {
        match field {
            None => self.field(b"none"),
            Some(bytes) => {
                self.field(b"some");
                self.field(bytes.as_ref());
            }
        }
    }

    /// Each field is preceded by its length: "ab","c" and "a","bc" must differ.
    pub(crate) fn field(&mut self, bytes: &[u8]) {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.record.extend_from_slice(&length.to_le_bytes());
        self.record.extend_from_slice(bytes);
    }

    /// Ends a row.
    pub(crate) fn take(&mut self) {
        sha2::Digest::update(&mut self.hash, &self.record);
        self.record.clear();
    }
}
