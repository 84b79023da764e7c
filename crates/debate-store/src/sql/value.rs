//! A value of a parameter or a column, the same for both engines.

use std::borrow::Cow;
use std::fmt;

use jiff::Timestamp;
use uuid::Uuid;

/// A value. Times are numbers: microseconds since 1970.
#[derive(Clone, PartialEq, Eq)]
pub(crate) enum Value<'v> {
    Null,
    Id(Uuid),
    Number(i64),
    Flag(bool),
    Text(Cow<'v, str>),
    Bytes(Cow<'v, [u8]>),
}

impl Value<'_> {
    /// Whether it is a text that PostgreSQL cannot store.
    pub(crate) fn has_nul(&self) -> bool {
        match self {
            Self::Text(text) => text.contains('\0'),
            Self::Null | Self::Id(_) | Self::Number(_) | Self::Flag(_) | Self::Bytes(_) => false,
        }
    }
}

impl<'v> From<&'v str> for Value<'v> {
    fn from(text: &'v str) -> Self {
        Self::Text(Cow::Borrowed(text))
    }
}

impl From<String> for Value<'_> {
    fn from(text: String) -> Self {
        Self::Text(Cow::Owned(text))
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

impl From<i64> for Value<'_> {
    fn from(number: i64) -> Self {
        Self::Number(number)
    }
}

impl From<u32> for Value<'_> {
    fn from(number: u32) -> Self {
        Self::Number(number.into())
    }
}

impl<'v, T: Into<Value<'v>>> From<Option<T>> for Value<'v> {
    fn from(maybe: Option<T>) -> Self {
        maybe.map_or(Self::Null, Into::into)
    }
}

/// Shows the size of a text and not its content: drivers log the values of their statements.
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
