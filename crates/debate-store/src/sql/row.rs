//! A value of a parameter or a column, and a row of a result, the same for both engines. A value
//! that this code cannot decode is an error of the store and never a panic.

use std::borrow::Cow;
use std::fmt;
use std::sync::Arc;

use debate_app::{Cause, StoreError};
use jiff::Timestamp;
use uuid::Uuid;

/// A row whose values are read by the names of their columns.
#[derive(Debug, Clone)]
pub(crate) struct Row {
    columns: Arc<[String]>,
    values: Vec<Value<'static>>,
}

/// The error for a stored value that this release cannot decode.
pub(crate) fn undecodable(problem: impl Into<String>) -> StoreError {
    StoreError::Undecodable(Cause::new(problem.into()))
}

impl Row {
    /// A row with one value for each column.
    pub(crate) const fn new(columns: Arc<[String]>, values: Vec<Value<'static>>) -> Self {
        Self { columns, values }
    }

    fn value(&self, column: &str) -> Result<&Value<'static>, StoreError> {
        let index = self.columns.iter().position(|name| name == column);
        let value = index.and_then(|index| self.values.get(index));
        value.ok_or_else(|| undecodable(format!("missing column {column}")))
    }

    /// SQLite stores an id as its 16 bytes.
    pub(crate) fn maybe_id(&self, column: &str) -> Result<Option<Uuid>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Id(id) => Ok(Some(*id)),
            Value::Bytes(bytes) => {
                Uuid::from_slice(bytes).map(Some).map_err(|_| undecodable("id is not a UUID"))
            }
            Value::Number(_) | Value::Flag(_) | Value::Text(_) => Err(unexpected_type(column)),
        }
    }

    pub(crate) fn maybe_number(&self, column: &str) -> Result<Option<i64>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Number(number) => Ok(Some(*number)),
            Value::Id(_) | Value::Flag(_) | Value::Text(_) | Value::Bytes(_) => {
                Err(unexpected_type(column))
            }
        }
    }

    /// SQLite stores a flag as 0 or 1.
    pub(crate) fn maybe_flag(&self, column: &str) -> Result<Option<bool>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Flag(flag) => Ok(Some(*flag)),
            Value::Number(number) => Ok(Some(*number != 0)),
            Value::Id(_) | Value::Text(_) | Value::Bytes(_) => Err(unexpected_type(column)),
        }
    }

    pub(crate) fn maybe_text(&self, column: &str) -> Result<Option<String>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Text(text) => Ok(Some(text.clone().into_owned())),
            Value::Id(_) | Value::Number(_) | Value::Flag(_) | Value::Bytes(_) => {
                Err(unexpected_type(column))
            }
        }
    }

    pub(crate) fn maybe_bytes(&self, column: &str) -> Result<Option<Vec<u8>>, StoreError> {
        match self.value(column)? {
            Value::Null => Ok(None),
            Value::Bytes(bytes) => Ok(Some(bytes.clone().into_owned())),
            Value::Id(_) | Value::Number(_) | Value::Flag(_) | Value::Text(_) => {
                Err(unexpected_type(column))
            }
        }
    }

    pub(crate) fn id(&self, column: &str) -> Result<Uuid, StoreError> {
        require(column, self.maybe_id(column)?)
    }

    pub(crate) fn text(&self, column: &str) -> Result<String, StoreError> {
        require(column, self.maybe_text(column)?)
    }

    pub(crate) fn flag(&self, column: &str) -> Result<bool, StoreError> {
        require(column, self.maybe_flag(column)?)
    }

    /// A number of a type that may be narrower than the column.
    pub(crate) fn count<N: TryFrom<i64>>(&self, column: &str) -> Result<N, StoreError> {
        require(column, self.maybe_count(column)?)
    }

    pub(crate) fn maybe_count<N: TryFrom<i64>>(
        &self,
        column: &str,
    ) -> Result<Option<N>, StoreError> {
        let Some(number) = self.maybe_number(column)? else { return Ok(None) };
        let narrow = N::try_from(number);
        narrow.map(Some).map_err(|_| undecodable(format!("{column} is {number}")))
    }

    pub(crate) fn time(&self, column: &str) -> Result<Timestamp, StoreError> {
        require(column, self.maybe_time(column)?)
    }

    pub(crate) fn maybe_time(&self, column: &str) -> Result<Option<Timestamp>, StoreError> {
        let Some(micros) = self.maybe_number(column)? else { return Ok(None) };
        let time = Timestamp::from_microsecond(micros);
        time.map(Some).map_err(|_| undecodable(format!("invalid time {micros}")))
    }

    /// A text that is a name of an enum, or has a certain syntax.
    pub(crate) fn parsed<T>(
        &self,
        column: &str,
        parse: impl FnOnce(String) -> Option<T>,
    ) -> Result<T, StoreError> {
        require(column, self.maybe_parsed(column, parse)?)
    }

    pub(crate) fn maybe_parsed<T>(
        &self,
        column: &str,
        parse: impl FnOnce(String) -> Option<T>,
    ) -> Result<Option<T>, StoreError> {
        let Some(text) = self.maybe_text(column)? else { return Ok(None) };
        let parsed = parse(text);
        parsed.map(Some).ok_or_else(|| undecodable(format!("{column} has an invalid value")))
    }

    /// A digest or fingerprint of 32 bytes.
    pub(crate) fn maybe_digest(&self, column: &str) -> Result<Option<[u8; 32]>, StoreError> {
        let Some(bytes) = self.maybe_bytes(column)? else { return Ok(None) };
        let digest = <[u8; 32]>::try_from(bytes);
        digest.map(Some).map_err(|_| undecodable(format!("invalid {column}")))
    }

    pub(crate) fn digest(&self, column: &str) -> Result<[u8; 32], StoreError> {
        require(column, self.maybe_digest(column)?)
    }
}

fn require<T>(column: &str, value: Option<T>) -> Result<T, StoreError> {
    value.ok_or_else(|| undecodable(format!("{column} is missing")))
}

fn unexpected_type(column: &str) -> StoreError {
    undecodable(format!("{column} has an unexpected type"))
}

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
