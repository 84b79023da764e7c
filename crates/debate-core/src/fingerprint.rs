//! The digest that tells a retry from another request with the same idempotency key.

use sha2::{Digest, Sha256};

/// A SHA-256 digest of all fields of a write request except its idempotency key.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct Fingerprint([u8; 32]);

impl Fingerprint {
    /// A fingerprint from the store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Digests the fields, each preceded by its length: `"ab","c"` and `"a","bc"` must differ.
    pub(crate) fn from_fields(fields: &[&[u8]]) -> Self {
        let mut digest = Sha256::new();
        for field in fields {
            digest.update(u64::try_from(field.len()).unwrap_or(u64::MAX).to_le_bytes());
            digest.update(field);
        }
        Self(digest.finalize().into())
    }
}
