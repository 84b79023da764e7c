//! Openings and drafts that differ only where a test says so.

use debate_core::arena::{DebateType, Draft, Move, NewDebate, SeatFields};
use debate_core::{ArgumentId, Content, DebateId, RequestKey, Title};
use jiff::Timestamp;
use uuid::Uuid;

/// Longer than any text of these tests.
pub(crate) const MOST_BYTES: usize = 10_240;

pub(crate) fn argument_id(number: u32) -> ArgumentId {
    ArgumentId::new(Uuid::from_u128(u128::from(number)))
}

pub(crate) fn instant(second: u32) -> Timestamp {
    Timestamp::from_second(1_770_000_000 + i64::from(second)).expect("it is near our own time")
}

pub(crate) fn content(text: &str) -> Content {
    Content::new_or_blank(text.to_owned(), MOST_BYTES).expect("tests say little")
}

pub(crate) fn key(text: &str) -> RequestKey {
    RequestKey::new(text.to_owned()).expect("tests use plain keys")
}

pub(crate) fn title(text: &str) -> Title {
    Title::new(text.to_owned()).expect("tests use plain titles")
}

pub(crate) fn opening() -> NewDebate {
    NewDebate {
        debate: DebateId::new(Uuid::from_u128(7)),
        motion_id: argument_id(1),
        title: title("Tabs or spaces"),
        debate_type: DebateType::General,
        motion: content("Tabs."),
        auto_ruling: None,
        key: key("open"),
        seats: None,
        seat_fields: SeatFields::default(),
    }
}

/// A slug of [`opening`].
pub(crate) fn slug() -> String {
    "tabs-or-spaces-0123".to_owned()
}

/// A draft that, if accepted, has this number as its id and a separate id for an automatic ruling.
pub(crate) fn draft(number: u32, mv: Move) -> Draft {
    Draft {
        id: argument_id(number),
        closing_id: argument_id(1_000_000 + number),
        mv,
        target: None,
        content: content("So it is."),
        key: key(&format!("key-{number}")),
    }
}
