//! Rows by the names of their columns, whatever the engine. What our own database holds and this
//! code can't read is a fault, not a panic.

use debate_app::StoreError;
use jiff::Timestamp;
use uuid::Uuid;

/// What can't be read, or can't be kept.
#[derive(Debug)]
pub(crate) struct Misfit(pub(crate) String);

/// One row of either engine.
pub(crate) trait Columns {
    /// How reading fails.
    type Fault: From<Misfit> + Into<StoreError>;

    fn maybe_id(&self, column: &str) -> Result<Option<Uuid>, Self::Fault>;
    fn maybe_number(&self, column: &str) -> Result<Option<i64>, Self::Fault>;
    fn maybe_flag(&self, column: &str) -> Result<Option<bool>, Self::Fault>;
    fn maybe_text(&self, column: &str) -> Result<Option<String>, Self::Fault>;
    fn maybe_bytes(&self, column: &str) -> Result<Option<Vec<u8>>, Self::Fault>;

    fn id(&self, column: &str) -> Result<Uuid, Self::Fault> {
        Ok(there(column, self.maybe_id(column)?)?)
    }

    fn text(&self, column: &str) -> Result<String, Self::Fault> {
        Ok(there(column, self.maybe_text(column)?)?)
    }

    fn flag(&self, column: &str) -> Result<bool, Self::Fault> {
        Ok(there(column, self.maybe_flag(column)?)?)
    }

    /// A number of a type that may be narrower than the column.
    fn count<N: TryFrom<i64>>(&self, column: &str) -> Result<N, Self::Fault> {
        Ok(there(column, self.maybe_count(column)?)?)
    }

    fn maybe_count<N: TryFrom<i64>>(&self, column: &str) -> Result<Option<N>, Self::Fault> {
        let Some(number) = self.maybe_number(column)? else { return Ok(None) };
        let narrow = N::try_from(number).map_err(|_| Misfit(format!("{column} is {number}")))?;
        Ok(Some(narrow))
    }

    fn time(&self, column: &str) -> Result<Timestamp, Self::Fault> {
        Ok(there(column, self.maybe_time(column)?)?)
    }

    fn maybe_time(&self, column: &str) -> Result<Option<Timestamp>, Self::Fault> {
        let Some(micros) = self.maybe_number(column)? else { return Ok(None) };
        let time = Timestamp::from_microsecond(micros);
        Ok(Some(time.map_err(|_| Misfit(format!("invalid time {micros}")))?))
    }

    /// A text that is one of few, or of a certain shape.
    fn parsed<T>(
        &self,
        column: &str,
        parse: impl FnOnce(String) -> Option<T>,
    ) -> Result<T, Self::Fault> {
        let text = self.text(column)?;
        Ok(parse(text).ok_or_else(|| Misfit(format!("{column} has an invalid value")))?)
    }
}

fn there<T>(column: &str, found: Option<T>) -> Result<T, Misfit> {
    found.ok_or_else(|| Misfit(format!("{column} is missing")))
}
