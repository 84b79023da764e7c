//! What makes two requests the same, in 32 bytes.

use sha2::{Digest, Sha256};

/// A digest of everything a client chose in a write, but for its key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
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
    pub(crate) fn of_fields(fields: &[&[u8]]) -> Self {
        let mut digest = Sha256::new();
        for field in fields {
            digest.update(u64::try_from(field.len()).unwrap_or(u64::MAX).to_le_bytes());
            digest.update(field);
        }
        Self(digest.finalize().into())
    }
}
