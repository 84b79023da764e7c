//! A place in a list as clients carry it: opaque to them, plain to us.

use std::fmt::Display;
use std::str::FromStr;

use jiff::Timestamp;

/// `<microseconds>-<uuid>`: nothing secret, nothing to sign; a forged one is just another place.
pub(crate) fn render(updated_at: Timestamp, id: impl Display) -> String {
    format!("{}-{id}", updated_at.as_microsecond())
}

pub(crate) fn parse<I: FromStr>(text: &str) -> Option<(Timestamp, I)> {
    let (micros, id) = text.split_once('-')?;
    let updated_at = Timestamp::from_microsecond(micros.parse().ok()?).ok()?;
    Some((updated_at, id.parse().ok()?))
}
