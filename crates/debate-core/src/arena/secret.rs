//! Secrets of debates: seat tokens, invites and the arbitrator token, and their digests.

use std::fmt;
use std::hash::{Hash, Hasher};

use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

/// The SHA-256 of a seat token or an invite. The secret itself is never stored. Comparisons take
/// the same time for all digests.
#[derive(Clone, Copy, Eq)]
pub struct SecretDigest([u8; 32]);

impl SecretDigest {
    /// The digest of a secret, whatever its form. A malformed secret has a digest that no seat has.
    #[must_use]
    pub fn from_secret(secret: &str) -> Self {
        Self(Sha256::digest(secret).into())
    }

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
}

impl PartialEq for SecretDigest {
    fn eq(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }
}

impl Hash for SecretDigest {
    fn hash<H: Hasher>(&self, state: &mut H) {
        self.0.hash(state);
    }
}

impl fmt::Debug for SecretDigest {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("SecretDigest(…)")
    }
}

/// A kind of secret, which its prefix tells.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum SecretKind {
    /// The token of a seat.
    Seat,
    /// The invite of a debate.
    Invite,
    /// The arbitrator token of a server.
    Arbitrator,
}

impl SecretKind {
    /// The number of base64url characters after the prefix: 256 bits.
    pub const CHARACTERS: usize = 43;

    /// The prefix of every secret of this kind.
    #[must_use]
    pub const fn prefix(self) -> &'static str {
        match self {
            Self::Seat => "aws_",
            Self::Invite => "awi_",
            Self::Arbitrator => "awa_",
        }
    }

    /// The secret with these random bytes: the prefix and their base64url without padding.
    #[must_use]
    pub fn render(self, random: [u8; 32]) -> String {
        const ALPHABET: &[u8; 64] =
            b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";
        let mut secret = self.prefix().to_owned();
        for group in random.chunks(3) {
            let bits = group.iter().fold(0, |bits, byte| (bits << 8) | usize::from(*byte));
            let bits = bits << (8 * (3 - group.len()));
            let digits = (0..=group.len()).map(|index| (bits >> (18 - 6 * index)) & 63);
            secret.extend(digits.filter_map(|digit| ALPHABET.get(digit)).copied().map(char::from));
        }
        secret
    }

    /// Whether a text has the form of such a secret.
    #[must_use]
    pub fn matches(self, text: &str) -> bool {
        text.strip_prefix(self.prefix()).is_some_and(|rest| {
            rest.len() == Self::CHARACTERS
                && rest.bytes().all(|byte| byte.is_ascii_alphanumeric() || b"-_".contains(&byte))
        })
    }
}

#[cfg(test)]
mod tests {
    use super::SecretKind;

    #[test]
    fn rendered_secret_is_base64url_and_has_the_form_of_its_kind() {
        let ascending: [u8; 32] = std::array::from_fn(|index| u8::try_from(index).unwrap_or(0));
        for (kind, random, expected) in [
            (SecretKind::Seat, ascending, "aws_AAECAwQFBgcICQoLDA0ODxAREhMUFRYXGBkaGxwdHh8"),
            (SecretKind::Invite, [0; 32], "awi_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA"),
            (SecretKind::Arbitrator, [255; 32], "awa___________________________________________8"),
        ] {
            let secret = kind.render(random);
            assert_eq!(secret, expected);
            assert!(kind.matches(&secret));
        }
    }
}
