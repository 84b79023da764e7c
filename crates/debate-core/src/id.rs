//! Identifiers as types, so that the compiler rejects a debate's id in place of an argument's, and
//! references by which a client names a debate or an argument: its id, or the id that it had in an
//! earlier server, which took any text as an id.

use std::fmt;
use std::str::FromStr;

use sha1::{Digest, Sha1};
use uuid::{Builder, Uuid};

/// The text was not a UUID in its usual hyphenated form.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a UUID such as 01890a5d-ac96-774b-bcce-b302099a8057")]
pub struct NotAUuid;

/// The length of the only accepted form. Braces, URNs and plain hexadecimal digits are refused, so
/// that each id has one spelling.
const HYPHENATED_LENGTH: usize = 36;

macro_rules! ids {
    ($($(#[$doc:meta])* $name:ident)*) => {$(
        $(#[$doc])*
        #[derive(Clone, Copy, PartialEq, Eq, PartialOrd, Ord, Hash)]
        pub struct $name(Uuid);

        impl $name {
            /// Wraps a UUID that was generated or parsed elsewhere.
            #[must_use]
            pub const fn new(uuid: Uuid) -> Self {
                Self(uuid)
            }

            /// The plain UUID, for storage.
            #[must_use]
            pub const fn uuid(self) -> Uuid {
                self.0
            }
        }

        impl FromStr for $name {
            type Err = NotAUuid;

            fn from_str(text: &str) -> Result<Self, NotAUuid> {
                if text.len() != HYPHENATED_LENGTH {
                    return Err(NotAUuid);
                }
                Uuid::try_parse(text).map(Self).map_err(|_| NotAUuid)
            }
        }

        impl fmt::Display for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                self.0.fmt(f)
            }
        }

        impl fmt::Debug for $name {
            fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
                write!(f, concat!(stringify!($name), "({})"), self.0)
            }
        }
    )*};
}

ids! {
    /// A debate of the arena.
    DebateId
    /// One entry of a debate's sequence.
    ArgumentId
    /// A run of the runner.
    RunId
    /// One turn of a run.
    TurnId
    /// One call of a run to a model provider.
    CallId
    /// An agent of the forum.
    AgentId
    /// A problem that solutions are proposed for.
    ProblemId
    /// A solution that agents discuss.
    SolutionId
    /// One post in the threads of a solution. The API calls it a debate.
    PostId
    /// One evaluation of a problem, a solution or a post by the guardrails.
    EvaluationId
}

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

/// The namespace of the UUIDs that replace original ids. It never changes: the same original id
/// must become the same UUID in every database.
const NAMESPACE: Uuid = Uuid::from_u128(0x8f2e_6c1a_0d57_4b63_9a41_5e7c_d203_b8f6);

/// An id that is not a UUID: 1 to [`OriginalId::BYTES_MOST`] bytes, not
/// blank, without control characters.
#[derive(Debug, Clone, PartialEq, Eq, PartialOrd, Ord, Hash)]
pub struct OriginalId(String);

impl OriginalId {
    /// The longest original id, in bytes of UTF-8.
    pub const BYTES_MOST: usize = 512;

    /// Parses an original id; none if the text is a UUID or is not a valid id.
    #[must_use]
    pub fn new(text: &str) -> Option<Self> {
        let is_id = text.len() <= Self::BYTES_MOST
            && !text.trim().is_empty()
            && !text.chars().any(char::is_control)
            && text.parse::<DebateId>().is_err();
        is_id.then(|| Self(text.to_owned()))
    }

    /// The id as the earlier server stored it.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The UUID of the debate with this original id.
    #[must_use]
    pub fn to_debate_id(&self) -> DebateId {
        DebateId::new(self.to_uuid("debate:"))
    }

    /// The UUID of the argument with this original id.
    #[must_use]
    pub fn to_argument_id(&self) -> ArgumentId {
        ArgumentId::new(self.to_uuid("argument:"))
    }

    /// UUID version 5 (RFC 9562): SHA-1 of the namespace and a name.
    fn to_uuid(&self, prefix: &str) -> Uuid {
        let hash: [u8; 20] = Sha1::new()
            .chain_update(NAMESPACE.as_bytes())
            .chain_update(prefix)
            .chain_update(&self.0)
            .finalize()
            .into();
        let mut first = [0; 16];
        first.iter_mut().zip(hash).for_each(|(byte, hashed)| *byte = hashed);
        Builder::from_sha1_bytes(first).into_uuid()
    }
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn original_id_becomes_the_same_uuid_every_time() {
        let id = OriginalId::new("my-debate").expect("it is an id");
        // uuid.uuid5(UUID("8f2e6c1a-0d57-4b63-9a41-5e7cd203b8f6"), "debate:my-debate") in Python
        assert_eq!(id.to_debate_id().to_string(), "733bc615-1c8d-570b-a9e6-c9eaae28d85c");
        assert_eq!(id.to_argument_id().to_string(), "f8e6cf10-e15e-5ed3-b0a4-a0bdae9f5da5");
    }

    #[test]
    fn uuid_blank_text_and_control_characters_are_not_original_ids() {
        let longest = "x".repeat(OriginalId::BYTES_MOST);
        for text in ["17", "Über alles", " x", "01890a5dac96774bbcceb302099a8057", &longest] {
            assert!(OriginalId::new(text).is_some(), "{text}");
        }
        let too_long = format!("{longest}x");
        for text in ["", " ", "a\nb", "a\0", "01890A5D-AC96-774B-BCCE-B302099A8057", &too_long] {
            assert!(OriginalId::new(text).is_none(), "{text}");
        }
    }

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
