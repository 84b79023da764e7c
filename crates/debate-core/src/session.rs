//! The digest that identifies a session without its cookie.

use std::fmt;

/// The SHA-256 of a session cookie.
#[derive(Clone, Copy, PartialEq, Eq, Hash)]
pub struct SessionDigest([u8; 32]);

impl SessionDigest {
    /// The digest with these bytes.
    #[must_use]
    pub const fn new(sha256: [u8; 32]) -> Self {
        Self(sha256)
    }

    /// The bytes to store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }
}

impl fmt::Debug for SessionDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SessionDigest(…)")
    }
}
