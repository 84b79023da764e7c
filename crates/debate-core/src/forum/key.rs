//! An agent's key: shown once, kept as a digest, found by its beginning.
//!
//! The key has 256 random bits, so a fast digest is enough: there is nothing to guess. Lookups go
//! by a public prefix and compare the whole digest in constant time, so neither the time nor the
//! answer tells how much of a key was right.

use std::fmt::{self, Write as _};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq as _;

const MARK: &str = "awk_";
const HEX_DIGITS: usize = 64;
/// 48 bits: enough that prefixes hardly ever meet, far too few to help a guess.
const PREFIX_DIGITS: usize = 12;

/// A key as its agent holds it.
#[derive(Clone)]
pub struct AgentKey(String);

/// The text can't be a key of ours.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be an agent key: `awk_` and 64 hexadecimal digits")]
pub struct NotAKey;

impl AgentKey {
    /// The key of these random bytes.
    #[must_use]
    pub fn new(random: [u8; 32]) -> Self {
        let mut text = String::from(MARK);
        for byte in random {
            write!(text, "{byte:02x}").expect("a String takes whatever is written");
        }
        Self(text)
    }

    /// The key that `text` is, if it can be one. Whether it is anyone's is for the store to say.
    pub fn parse(text: &str) -> Result<Self, NotAKey> {
        let digits = text.strip_prefix(MARK).ok_or(NotAKey)?;
        if digits.len() != HEX_DIGITS || !digits.bytes().all(is_digit) {
            return Err(NotAKey);
        }
        Ok(Self(text.to_owned()))
    }

    /// The key itself, to be shown once.
    #[must_use]
    pub fn reveal(&self) -> &str {
        &self.0
    }

    /// What it is found by.
    #[must_use]
    pub fn prefix(&self) -> KeyPrefix {
        KeyPrefix(self.0.chars().take(MARK.len() + PREFIX_DIGITS).collect())
    }

    /// What is kept of it.
    #[must_use]
    pub fn digest(&self) -> KeyDigest {
        KeyDigest(Sha256::digest(self.0.as_bytes()).into())
    }

    /// What is known of it where it can't be had again.
    #[must_use]
    pub fn mark(&self) -> KeyMark {
        KeyMark { prefix: self.prefix(), digest: self.digest() }
    }
}

const fn is_digit(byte: u8) -> bool {
    matches!(byte, b'0'..=b'9' | b'a'..=b'f')
}

/// Shows the public part only.
impl fmt::Debug for AgentKey {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "AgentKey({}…)", self.prefix().0)
    }
}

/// What is known of a key without having it: enough to see whether it still opens.
#[derive(Debug, Clone)]
pub struct KeyMark {
    /// How it begins.
    pub prefix: KeyPrefix,
    /// What is kept of it.
    pub digest: KeyDigest,
}

/// The beginning of a key. Not a secret.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct KeyPrefix(String);

impl KeyPrefix {
    /// The prefix that `text` is, if it can be one.
    pub fn parse(text: &str) -> Result<Self, NotAKey> {
        let digits = text.strip_prefix(MARK).ok_or(NotAKey)?;
        if digits.len() == PREFIX_DIGITS && digits.bytes().all(is_digit) {
            return Ok(Self(text.to_owned()));
        }
        Err(NotAKey)
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The digest of a key. Has no `==`: whoever compares does so in constant time.
#[derive(Clone, Copy)]
pub struct KeyDigest([u8; 32]);

impl KeyDigest {
    /// Of no key at all: to be compared where nothing was found, so that it costs the same.
    pub const NONE: Self = Self([0; 32]);

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

    /// Whether both are of the same key.
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

/// How long an old key still opens after a new one was made.
pub const ROTATION_GRACE: std::time::Duration = std::time::Duration::from_hours(24);
