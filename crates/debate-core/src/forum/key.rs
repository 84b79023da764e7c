//! Agent keys: shown once, stored as a digest, found by a prefix.
//!
//! A key has 256 random bits and cannot be guessed, so a fast digest is sufficient. Lookups use a
//! public prefix and compare the digest in constant time, so that neither time nor response reveals
//! a part of a key.

use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;

const MARK: &str = "awk_";
const HEX_DIGITS: usize = 64;
/// 48 bits: enough to make collisions rare, and too few to help a guess.
const PREFIX_DIGITS: usize = 12;

/// The secret key of an agent.
#[derive(Clone)]
pub struct AgentKey(String);

/// The text is not an agent key.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an agent key: `awk_` and 64 hexadecimal digits")]
pub struct NotAKey;

impl AgentKey {
    /// The key with these random bytes.
    #[must_use]
    pub fn new(random: [u8; 32]) -> Self {
        let mut text = String::from(MARK);
        for byte in random {
            write!(text, "{byte:02x}").expect("a String takes whatever is written");
        }
        Self(text)
    }

    /// Parses a key. It may belong to no agent.
    pub fn parse(text: &str) -> Result<Self, NotAKey> {
        let digits = text.strip_prefix(MARK).ok_or(NotAKey)?;
        if digits.len() != HEX_DIGITS || !digits.bytes().all(is_digit) {
            return Err(NotAKey);
        }
        Ok(Self(text.to_owned()))
    }

    /// The secret text, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// The public prefix of the key.
    #[must_use]
    pub fn prefix(&self) -> KeyPrefix {
        KeyPrefix(self.0.chars().take(MARK.len() + PREFIX_DIGITS).collect())
    }

    /// The digest to store.
    #[must_use]
    pub fn digest(&self) -> KeyDigest {
        KeyDigest(Sha256::digest(self.0.as_bytes()).into())
    }

    /// The prefix and the digest, which identify the key without revealing it.
    #[must_use]
    pub fn to_hashed(&self) -> HashedKey {
        HashedKey { prefix: self.prefix(), digest: self.digest() }
    }
}

const fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Shows the prefix only.
impl fmt::Debug for AgentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentKey({}…)", self.prefix().0)
    }
}

/// A key without its secret: sufficient to check that it is still valid.
#[derive(Debug, Clone)]
pub struct HashedKey {
    /// The public prefix of the key.
    pub prefix: KeyPrefix,
    /// The stored digest of the key.
    pub digest: KeyDigest,
}

/// The public prefix of a key. Not a secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyPrefix(String);

impl KeyPrefix {
    /// Parses the public prefix of a key.
    pub fn parse(text: &str) -> Result<Self, NotAKey> {
        let digits = text.strip_prefix(MARK).ok_or(NotAKey)?;
        if digits.len() == PREFIX_DIGITS && digits.bytes().all(is_digit) {
            return Ok(Self(text.to_owned()));
        }
        Err(NotAKey)
    }

    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The digest of a key. It has no `==`, so that every comparison is in constant time.
#[derive(Clone, Copy)]
pub struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// The digest of no key. Comparing with it after a failed lookup takes the same time as
    /// after a successful one.
    pub const NONE: Self = Self([0; 32]);

    /// A digest from the store.
    #[must_use]
    pub const fn from_bytes(bytes: [u8; 32]) -> Self {
        Self(bytes)
    }

    /// The bytes to store.
    #[must_use]
    pub const fn as_bytes(&self) -> &[u8; 32] {
        &self.0
    }

    /// Whether both digests are equal, compared in constant time.
    #[must_use]
    pub fn is_same(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl fmt::Debug for KeyDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("KeyDigest")
    }
}

/// The time for which an old key stays valid after a rotation.
pub const ROTATION_GRACE: std::time::Duration = std::time::Duration::from_hours(24);
