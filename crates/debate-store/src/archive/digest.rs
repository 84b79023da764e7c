//! The digest of a database: equal for equal content, whichever engine stores it.

use std::fmt;

use sha2::{Digest as _, Sha256};

use crate::sql::Value;

/// SHA-256 over every row of the tables that a copy contains.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Digest([u8; 32]);

impl fmt::Display for Digest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        self.0.iter().try_for_each(|byte| write!(f, "{byte:02x}"))
    }
}

/// Computes a digest from rows, whose order matters.
#[derive(Default)]
pub(crate) struct DigestBuilder {
    hash: Sha256,
    /// The bytes of one row: hashing many short pieces costs more than one long one.
    row: Vec<u8>,
}

impl DigestBuilder {
    pub(crate) fn finish(self) -> Digest {
        Digest(self.hash.finalize().into())
    }

    pub(crate) fn add_row(&mut self, table: &str, values: &[Value<'_>]) {
        self.field(table.as_bytes());
        for value in values {
            match value {
                Value::Null => self.field(b"null"),
                Value::Id(id) => self.typed_field(b"id", id.as_bytes()),
                Value::Number(number) => self.typed_field(b"number", &number.to_le_bytes()),
                Value::Flag(flag) => self.typed_field(b"flag", &[u8::from(*flag)]),
                Value::Text(text) => self.typed_field(b"text", text.as_bytes()),
                Value::Bytes(bytes) => self.typed_field(b"bytes", bytes),
            }
        }
        self.hash.update(&self.row);
        self.row.clear();
    }

    fn typed_field(&mut self, kind: &[u8], bytes: &[u8]) {
        self.field(kind);
        self.field(bytes);
    }

    /// A field is preceded by its length: "ab" and "c" differ from "a" and "bc".
    fn field(&mut self, bytes: &[u8]) {
        let length = u64::try_from(bytes.len()).unwrap_or(u64::MAX);
        self.row.extend_from_slice(&length.to_le_bytes());
        self.row.extend_from_slice(bytes);
    }
}
