//! Secrets of the arena that this program makes: tokens of seats, and invites.

use debate_core::arena::SecretKind;
use uuid::Uuid;

use crate::settings::Token;

/// The characters of base64url, which need no quoting in headers and files.
const ALPHABET: &[u8; 64] = b"ABCDEFGHIJKLMNOPQRSTUVWXYZabcdefghijklmnopqrstuvwxyz0123456789-_";

/// A new secret of 256 random bits.
pub(crate) fn generate(kind: SecretKind) -> Token {
    Token::new(format!("{}{}", kind.prefix(), base64url(&random_bytes())))
}

/// 256 random bits: three random UUIDs without the two bytes of each that have fixed bits.
fn random_bytes() -> [u8; 32] {
    let random = [(); 3].map(|()| *Uuid::new_v4().as_bytes());
    let random = random.iter().flat_map(|uuid| {
        uuid.iter().enumerate().filter(|(index, _)| ![6, 8].contains(index)).map(|(_, byte)| *byte)
    });
    let mut bytes = [0; 32];
    bytes.iter_mut().zip(random).for_each(|(byte, random)| *byte = random);
    bytes
}

/// Base64url without padding (RFC 4648).
fn base64url(bytes: &[u8]) -> String {
    let mut text = String::new();
    for chunk in bytes.chunks(3) {
        let byte = |index: usize| u32::from(chunk.get(index).copied().unwrap_or_default());
        let bits = byte(0) << 16 | byte(1) << 8 | byte(2);
        for index in 0..=chunk.len() {
            let value = usize::try_from(bits >> (18 - 6 * index) & 63).unwrap_or_default();
            text.extend(ALPHABET.get(value).copied().map(char::from));
        }
    }
    text
}

#[cfg(test)]
mod tests {
    use super::*;

    #[test]
    fn base64url_matches_the_examples_of_its_specification() {
        for (bytes, text) in [
            ("", ""),
            ("f", "Zg"),
            ("fo", "Zm8"),
            ("foo", "Zm9v"),
            ("foob", "Zm9vYg"),
            ("fooba", "Zm9vYmE"),
            ("foobar", "Zm9vYmFy"),
        ] {
            assert_eq!(base64url(bytes.as_bytes()), text);
        }
        assert_eq!(base64url(&[0xfb, 0xff]), "-_8");
    }

    #[test]
    fn secrets_have_the_form_of_their_kind_and_differ() {
        for kind in [SecretKind::Seat, SecretKind::Invite] {
            let (one, other) = (generate(kind), generate(kind));
            assert!(kind.matches(one.secret()), "{}", one.secret());
            assert_ne!(one.secret(), other.secret());
        }
    }

    #[test]
    fn every_byte_of_a_secret_is_random() {
        let made: Vec<_> = (0..64).map(|_| random_bytes()).collect();
        for index in 0..32 {
            let first = made[0][index];
            assert!(made.iter().any(|bytes| bytes[index] != first), "byte {index}");
        }
    }
}
