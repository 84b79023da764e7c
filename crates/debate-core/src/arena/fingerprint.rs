//! What makes two requests the same, in 32 bytes.

use sha2::{Digest, Sha256};

use super::argument::DebateType;
use super::rules::{Move, Verdict};
use crate::ArgumentId;

/// A digest of everything a client chose in a write, but for its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// Of an argument: action, role, target, content, and whether a ruling closes.
    #[must_use]
    pub fn of_move(mv: Move, target: Option<ArgumentId>, content: &str) -> Self {
        let target = target.map(ArgumentId::uuid);
        let closes = match mv {
            Move::Rule(Verdict::Close) => "close",
            Move::Rule(Verdict::Continue)
            | Move::Claim(_)
            | Move::Appeal
            | Move::Resolve
            | Move::Intervene => "",
        };
        Self::of_fields(&[
            mv.name().as_bytes(),
            mv.role().name().as_bytes(),
            target.as_ref().map_or(&[], |uuid| uuid.as_bytes().as_slice()),
            content.as_bytes(),
            closes.as_bytes(),
        ])
    }

    /// Of an opening. `auto_ruling` counts as the client gave it, so that a server whose custom
    /// changed meanwhile still knows the retry.
    #[must_use]
    pub fn of_opening(
        title: &str,
        debate_type: DebateType,
        motion: &str,
        auto_ruling: Option<bool>,
    ) -> Self {
        let auto_ruling = match auto_ruling {
            None => "",
            Some(true) => "true",
            Some(false) => "false",
        };
        Self::of_fields(&[
            b"open",
            title.as_bytes(),
            debate_type.name().as_bytes(),
            motion.as_bytes(),
            auto_ruling.as_bytes(),
        ])
    }

    /// One that was kept.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// Its bytes, to be kept.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Each field is preceded by its length: "ab","c" and "a","bc" must differ.
    fn of_fields(fields: &[&[u8]]) -> Self {
        let mut digest = Sha256::new();
        for field in fields {
            digest.update(u64::try_from(field.len()).unwrap_or(u64::MAX).to_le_bytes());
            digest.update(field);
        }
        Self(digest.finalize().into())
    }
}
