//! Slugs: short names of debates for paths and commands, such as `cache-the-index-k3f7`.

use sha2::{Digest, Sha256};

use crate::DebateId;

/// The maximum length of the words before the suffix.
const WORDS_MOST: usize = 32;

/// The words of a title without ASCII letters and digits.
const NO_WORDS: &str = "debate";

/// The shortest and the longest suffix.
const SUFFIX: std::ops::RangeInclusive<usize> = 4..=12;

/// Lower-case Crockford base32: no i, l, o, u.
const ALPHABET: &[u8; 32] = b"0123456789abcdefghjkmnpqrstvwxyz";

/// The slugs that a debate may have, in order of preference; a debate gets the first that no other
/// debate has or had.
#[must_use]
pub fn slug_candidates(title: &str, debate: DebateId) -> Vec<String> {
    let words = words(title);
    suffixes(debate).iter().map(|suffix| format!("{words}-{suffix}")).collect()
}

/// Whether a text has the form of a slug, so that a debate may have it.
#[must_use]
pub fn is_slug(text: &str) -> bool {
    let Some((words, suffix)) = text.rsplit_once('-') else { return false };
    let is_word = |byte: u8| byte.is_ascii_lowercase() || byte.is_ascii_digit();
    !words.is_empty()
        && words.len() <= WORDS_MOST
        && words.split('-').all(|word| !word.is_empty() && word.bytes().all(is_word))
        && SUFFIX.contains(&suffix.len())
        && suffix.bytes().all(|byte| ALPHABET.contains(&byte))
        && suffix.bytes().any(|byte| byte.is_ascii_digit())
}

/// The ASCII words of a title in lower case, cut at the end of a word. A first word that is longer
/// than the limit is cut inside.
fn words(title: &str) -> String {
    let mut slug = String::new();
    let words = title.split(|c: char| !c.is_ascii_alphanumeric()).filter(|word| !word.is_empty());
    for word in words {
        let separator = usize::from(!slug.is_empty());
        if slug.len() + separator + word.len() > WORDS_MOST {
            if slug.is_empty() {
                slug.extend(word.chars().take(WORDS_MOST));
            }
            break;
        }
        if separator > 0 {
            slug.push('-');
        }
        slug.push_str(word);
    }
    if slug.is_empty() { NO_WORDS.to_owned() } else { slug.to_ascii_lowercase() }
}

/// The beginnings of the id's digest that have a digit; the last one is made to have one.
fn suffixes(debate: DebateId) -> Vec<String> {
    let digest = Sha256::digest(debate.uuid().as_bytes());
    let bits: u64 = digest.iter().take(8).fold(0, |bits, byte| (bits << 8) | u64::from(*byte));
    let letters: String = (0..*SUFFIX.end())
        .map(|index| {
            let value = usize::try_from(bits >> (59 - 5 * index) & 31).unwrap_or_default();
            ALPHABET.get(value).copied().map_or('0', char::from)
        })
        .collect();
    let has_digit = |text: &str| text.bytes().any(|byte| byte.is_ascii_digit());
    let mut suffixes: Vec<String> = SUFFIX
        .filter_map(|length| letters.get(..length))
        .filter(|text| has_digit(text))
        .map(str::to_owned)
        .collect();
    if suffixes.is_empty() {
        suffixes.push(format!("{}0", letters.get(..11).unwrap_or_default()));
    }
    suffixes
}
