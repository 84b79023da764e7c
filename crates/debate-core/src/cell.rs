//! Rows of a table as they are stored, for tables that are copied and digested row by row.

use std::fmt;

use uuid::Uuid;

use crate::Seal;

/// One value of a row, whatever keeps it.
#[derive(Clone, PartialEq, Eq)]
pub enum Cell {
    /// Nothing.
    Nothing,
    /// An id.
    Id(Uuid),
    /// A whole number; also a time, in microseconds.
    Number(i64),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text(String),
    /// Bytes.
    Bytes(Vec<u8>),
}

/// Leaves out what a text says: it never reaches a log.
impl fmt::Debug for Cell {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Nothing => f.write_str("nothing"),
            Self::Id(id) => id.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => write!(f, "a text of {} bytes", text.len()),
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
        }
    }
}

impl Seal {
    /// Takes the next row of a table.
    pub fn cells(&mut self, table: &str, row: &[Cell]) {
        self.field(table.as_bytes());
        for cell in row {
            match cell {
                Cell::Nothing => self.field(b"nothing"),
                Cell::Id(id) => self.marked(b"id", id.as_bytes()),
                Cell::Number(number) => self.marked(b"number", &number.to_le_bytes()),
                Cell::Flag(flag) => self.marked(b"flag", &[u8::from(*flag)]),
                Cell::Text(text) => self.marked(b"text", text.as_bytes()),
                Cell::Bytes(bytes) => self.marked(b"bytes", bytes),
            }
        }
        self.take();
    }

    fn marked(&mut self, mark: &[u8], bytes: &[u8]) {
        self.field(mark);
        self.field(bytes);
    }
}
