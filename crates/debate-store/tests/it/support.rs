//! Openings, drafts and times with default values that a test can override.

use debate_app::arena::{AppendArgument, OpenDebate};
use debate_core::arena::{
    Credentials, DebateType, Draft, Move, NewDebate, RulingEffect, SeatFields, Side,
};
use debate_core::{ArgumentId, Content, DebateId, RequestKey, Title};
use jiff::Timestamp;
use uuid::Uuid;

/// A claim by the opponent.
pub(crate) const OPPOSE: Move = Move::Claim(Side::Opponent);
/// A claim by the proposer.
pub(crate) const PROPOSE: Move = Move::Claim(Side::Proposer);
/// A ruling that continues the debate.
pub(crate) const RULE: Move = Move::Rule(RulingEffect::Continue);
/// A ruling that closes the debate.
pub(crate) const CLOSE: Move = Move::Rule(RulingEffect::Close);

/// More content than any test adds at once.
const CONTENT_BYTES_MAX: usize = 1 << 20;

/// Ranges of ids that do not overlap, so that no two items of a test get the same id.
const DEBATES: u128 = 0xdeba_0000_0000;
const DRAFTS: u128 = 0x0a46_0000_0000;
const MOTIONS: u128 = 0x3071_0000_0000;
const CLOSINGS: u128 = 0xc105_0000_0000;

pub(crate) fn debate_id(number: u32) -> DebateId {
    DebateId::new(Uuid::from_u128(DEBATES + u128::from(number)))
}

/// The id of `draft(number, …)`.
pub(crate) fn argument_id(number: u32) -> ArgumentId {
    ArgumentId::new(Uuid::from_u128(DRAFTS + u128::from(number)))
}

/// The id of the motion of `opening(number)`.
pub(crate) fn motion_id(number: u32) -> ArgumentId {
    ArgumentId::new(Uuid::from_u128(MOTIONS + u128::from(number)))
}

/// The id of the automatic ruling that `draft(number, …)` may cause.
pub(crate) fn closing_id(number: u32) -> ArgumentId {
    ArgumentId::new(Uuid::from_u128(CLOSINGS + u128::from(number)))
}

pub(crate) fn instant(second: u32) -> Timestamp {
    micros(i64::from(second) * 1_000_000)
}

/// This number of microseconds after a fixed time in 2026.
pub(crate) fn micros(after: i64) -> Timestamp {
    Timestamp::from_microsecond(1_770_000_000_000_000 + after).expect("it is near our own time")
}

pub(crate) fn content(text: &str) -> Content {
    Content::new_or_blank(text.to_owned(), CONTENT_BYTES_MAX).expect("tests say little")
}

pub(crate) fn key(text: &str) -> RequestKey {
    RequestKey::new(text.to_owned()).expect("tests use plain keys")
}

pub(crate) fn title(text: &str) -> Title {
    Title::new(text.to_owned()).expect("tests use plain titles")
}

pub(crate) fn opening(number: u32) -> NewDebate {
    NewDebate {
        debate: debate_id(number),
        motion_id: motion_id(number),
        title: title(&format!("Debate {number}")),
        debate_type: DebateType::General,
        motion: content(&format!("Motion {number}")),
        auto_ruling: None,
        key: key("open"),
        seats: None,
        seat_fields: SeatFields::default(),
    }
}

pub(crate) fn open(opening: NewDebate, second: u32) -> OpenDebate {
    OpenDebate { opening, at: instant(second) }
}

pub(crate) fn draft(number: u32, mv: Move) -> Draft {
    Draft {
        id: argument_id(number),
        closing_id: closing_id(number),
        mv,
        target: None,
        content: content(&format!("Argument {number}")),
        key: key(&format!("key-{number}")),
    }
}

/// On a server with automatic rulings.
pub(crate) fn append(debate: DebateId, draft: Draft, second: u32) -> AppendArgument {
    let credentials = Credentials::default();
    AppendArgument { debate, draft, at: instant(second), auto_ruling: true, credentials }
}

/// Pseudo-random numbers: the same seed makes the same history.
pub(crate) struct Dice(u64);

impl Dice {
    pub(crate) const fn new(seed: u64) -> Self {
        Self(seed)
    }

    /// A number below `sides`, by Splitmix64.
    pub(crate) fn roll(&mut self, sides: u32) -> u32 {
        self.0 = self.0.wrapping_add(0x9e37_79b9_7f4a_7c15);
        let mut mixed = self.0;
        mixed = (mixed ^ (mixed >> 30)).wrapping_mul(0xbf58_476d_1ce4_e5b9);
        mixed = (mixed ^ (mixed >> 27)).wrapping_mul(0x94d0_49bb_1331_11eb);
        mixed ^= mixed >> 31;
        u32::try_from(mixed % u64::from(sides)).expect("it is below a u32")
    }

    pub(crate) fn one_of<T: Copy>(&mut self, choices: &[T]) -> T {
        let sides = u32::try_from(choices.len()).expect("tests offer few choices");
        let fallen = usize::try_from(self.roll(sides)).expect("a u32 fits");
        *choices.get(fallen).expect("the roll is below the count")
    }
}
