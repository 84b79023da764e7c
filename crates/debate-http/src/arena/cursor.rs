//! A place in the list as clients carry it: opaque to them, plain to us.

use debate_core::DebateId;
use debate_core::arena::Cursor;
use jiff::Timestamp;

/// `<microseconds>-<uuid>`: nothing secret, nothing to sign; a forged one is just another place.
pub(super) fn render(cursor: Cursor) -> String {
    format!("{}-{}", cursor.updated_at.as_microsecond(), cursor.debate)
}

pub(super) fn parse(text: &str) -> Option<Cursor> {
    let (micros, debate) = text.split_once('-')?;
    let updated_at = Timestamp::from_microsecond(micros.parse().ok()?).ok()?;
    Some(Cursor { updated_at, debate: debate.parse::<DebateId>().ok()? })
}
