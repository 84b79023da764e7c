//! Language tags of BCP 47.

/// A language tag: `en`, `pt-BR`, `zh-Hant-TW`. It consists of letters, digits and hyphens, so it
/// is safe inside a prompt.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Language(String);

/// The text is not a language tag.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("must be a language tag such as en, de or pt-BR")]
pub struct NotALanguage;

/// The longest tag that must be supported everywhere, by RFC 5646.
const MOST: usize = 35;

impl Language {
    /// Checks that `tag` is well-formed. It need not be a registered language.
    pub fn new(tag: String) -> Result<Self, NotALanguage> {
        if is_well_formed(&tag) { Ok(Self(tag)) } else { Err(NotALanguage) }
    }

    /// The language English, tag `en`.
    #[must_use]
    pub fn english() -> Self {
        Self("en".to_owned())
    }

    /// The tag as it was given.
    #[must_use]
    pub fn tag(&self) -> &str {
        &self.0
    }

    /// The language in which the server labels a verdict. A script subtag (`Hans`, `Hant`) decides
    /// over a region; Chinese without either is Simplified.
    #[must_use]
    pub fn label_language(&self) -> LabelLanguage {
        let mut subtags = self.0.split('-');
        if !subtags.next().is_some_and(|primary| primary.eq_ignore_ascii_case("zh")) {
            return LabelLanguage::English;
        }
        // A single letter begins an extension, which names neither script nor region.
        let subtags: Vec<String> =
            subtags.take_while(|part| part.len() > 1).map(str::to_ascii_lowercase).collect();
        let has = |names: &[&str]| subtags.iter().any(|part| names.contains(&part.as_str()));
        if has(&["hans"]) {
            LabelLanguage::SimplifiedChinese
        } else if has(&["hant", "tw", "hk", "mo"]) {
            LabelLanguage::TraditionalChinese
        } else {
            LabelLanguage::SimplifiedChinese
        }
    }
}

/// The languages in which the server labels a verdict; every other language gets English labels.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum LabelLanguage {
    /// `en`, and every language without labels of its own.
    English,
    /// `zh`, `zh-CN`, `zh-SG`, `zh-Hans`.
    SimplifiedChinese,
    /// `zh-TW`, `zh-HK`, `zh-MO`, `zh-Hant`.
    TraditionalChinese,
}

fn is_well_formed(tag: &str) -> bool {
    let mut parts = tag.split('-');
    let primary = parts.next().unwrap_or_default();
    let is_word = |part: &str| part.bytes().all(|byte| byte.is_ascii_alphanumeric());
    let is_part = |part: &str| (1..=8).contains(&part.len()) && is_word(part);
    // A subtag of one letter begins an extension and cannot be the last one.
    let ends_open = tag.rsplit('-').next().is_some_and(|part| part.len() == 1);
    tag.len() <= MOST
        && (2..=8).contains(&primary.len())
        && primary.bytes().all(|byte| byte.is_ascii_alphabetic())
        && parts.all(is_part)
        && !ends_open
}
