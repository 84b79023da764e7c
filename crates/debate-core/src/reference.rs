//! References by which a client names a debate or an argument.

use std::fmt;
use std::str::FromStr;

use crate::OriginalId;

/// The text is neither a UUID nor an original id.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057, or the original id of a \
     migrated item: 1 to {} bytes, not blank, without control characters",
    OriginalId::BYTES_MOST
)]
pub struct NotAReference;

/// A debate or an argument, named by its id or by the id that it had in the server
/// it was migrated from.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Reference<I> {
    /// The id of the item.
    Id(I),
    /// The original id of a migrated item.
    Original(OriginalId),
}

impl<I: FromStr> FromStr for Reference<I> {
    type Err = NotAReference;

    fn from_str(text: &str) -> Result<Self, NotAReference> {
        if let Ok(id) = text.parse() {
            return Ok(Self::Id(id));
        }
        OriginalId::new(text).map(Self::Original).ok_or(NotAReference)
    }
}

impl<I: fmt::Display> fmt::Display for Reference<I> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        match self {
            Self::Id(id) => id.fmt(f),
            Self::Original(original) => original.as_str().fmt(f),
        }
    }
}

#[cfg(test)]
mod tests {
    use super::*;
    use crate::DebateId;

    #[test]
    fn uuid_is_an_id_and_other_text_an_original_id_if_it_can_be_one() {
        let uuid = "01890A5D-AC96-774B-BCCE-B302099A8057";
        let parsed = uuid.parse::<Reference<DebateId>>();
        assert!(matches!(parsed, Ok(Reference::Id(_))));
        assert_eq!(parsed.map(|id| id.to_string()), Ok(uuid.to_lowercase()));
        for text in ["17", "My debate/1", "01890a5dac96774bbcceb302099a8057"] {
            let parsed = text.parse::<Reference<DebateId>>();
            assert!(matches!(parsed, Ok(Reference::Original(_))), "{text}");
            assert_eq!(parsed.map(|id| id.to_string()), Ok(text.to_owned()));
        }
        for text in ["", " ", "a\nb", &"x".repeat(OriginalId::BYTES_MOST + 1)] {
            assert_eq!(text.parse::<Reference<DebateId>>(), Err(NotAReference), "{text}");
        }
    }
}
