//! A value on its way into a column, whatever the engine.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use uuid::Uuid;

/// What a statement takes.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Value<'v> {
    /// Nothing.
    Null,
    /// An id.
    Id(Uuid),
    /// A whole number; also a time, in microseconds.
    Number(i64),
    /// Yes or no.
    Flag(bool),
    /// A text.
    Text(Cow<'v, str>),
    /// Bytes.
    Bytes(Cow<'v, [u8]>),
}

impl<'v> Value<'v> {
    /// A text, if there is one.
    pub(crate) fn maybe_text(text: Option<&'v str>) -> Self {
        text.map_or(Self::Null, Self::from)
    }

    /// A number, if there is one.
    pub(crate) fn maybe_number(number: Option<impl Into<i64>>) -> Self {
        number.map_or(Self::Null, |number| Self::Number(number.into()))
    }

    /// Whether PostgreSQL can't hold it.
    pub(crate) fn has_nul(&self) -> bool {
        match self {
            Self::Text(text) => text.contains('\0'),
            Self::Null | Self::Id(_) | Self::Number(_) | Self::Flag(_) | Self::Bytes(_) => false,
        }
    }

    /// A flag, if there is one.
    pub(crate) fn maybe_flag(flag: Option<bool>) -> Self {
        flag.map_or(Self::Null, Self::Flag)
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl<'v> From<&'v [u8]> for Value<'v> {
    fn from(bytes: &'v [u8]) -> Self {
        Self::Bytes(Cow::Borrowed(bytes))
    }
}

impl From<Vec<u8>> for Value<'_> {
    fn from(bytes: Vec<u8>) -> Self {
        Self::Bytes(Cow::Owned(bytes))
    }
}

impl From<Uuid> for Value<'_> {
    fn from(id: Uuid) -> Self {
        Self::Id(id)
    }
}

impl From<bool> for Value<'_> {
    fn from(flag: bool) -> Self {
        Self::Flag(flag)
    }
}

impl From<Timestamp> for Value<'_> {
    fn from(at: Timestamp) -> Self {
        Self::Number(at.as_microsecond())
    }
}

impl<'v, T: Into<Value<'v>>> From<Option<T>> for Value<'v> {
    fn from(maybe: Option<T>) -> Self {
        maybe.map_or(Self::Null, Into::into)
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

/// Leaves out what a text says: drivers show what they are given, and content never reaches a log.
impl fmt::Debug for Value<'_> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Null => f.write_str("null"),
            Self::Id(id) => id.fmt(f),
            Self::Number(number) => number.fmt(f),
            Self::Flag(flag) => flag.fmt(f),
            Self::Text(text) => write!(f, "a text of {} bytes", text.len()),
            Self::Bytes(bytes) => write!(f, "{} bytes", bytes.len()),
        }
    }
}
