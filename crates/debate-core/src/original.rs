//! Ids that debates and arguments had in an earlier server, which took any text as an id.

use sha1::{Digest, Sha1};
use uuid::{Builder, Uuid};

use crate::{ArgumentId, DebateId};

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
}
