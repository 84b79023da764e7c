//! Cursors: positions in a list, opaque to clients.

use std::fmt::Display;
use std::str::FromStr;

use jiff::Timestamp;

/// `<microseconds>-<uuid>`. A cursor is not secret and not signed: a forged one is another
/// position.
pub(crate) fn render(updated_at: Timestamp, id: impl Display) -> String {
    format!("{}-{id}", updated_at.as_microsecond())
}

pub(crate) fn parse<I: FromStr>(text: &str) -> Option<(Timestamp, I)> {
    let (micros, id) = text.split_once('-')?;
    let updated_at = Timestamp::from_microsecond(micros.parse().ok()?).ok()?;
    Some((updated_at, id.parse().ok()?))
}
