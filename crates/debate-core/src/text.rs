//! Validated texts.
//!
//! U+0000 is refused everywhere: PostgreSQL cannot store it, and both engines must accept the same
//! input.

/// The reason why a text is refused. The message completes a sentence that begins with the
/// name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// The text is empty or only white space.
    #[error("must not be blank")]
    Blank,
    /// The text has more characters than the field allows.
    #[error("must have at most {most} characters")]
    TooLong {
        /// The maximum number of characters.
        most: usize,
    },
    /// The text contains U+0000.
    #[error("must not contain the character U+0000")]
    Nul,
    /// The text contains a control character.
    #[error("must contain printable characters only")]
    Unprintable,
}

/// The reason why an argument's content is refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// The text is blank or contains U+0000.
    #[error(transparent)]
    Text(#[from] TextError),
    /// The text has more bytes than the server allows.
    #[error("must have at most {most_bytes} bytes of UTF-8")]
    TooLarge {
        /// The maximum number of bytes of UTF-8.
        most_bytes: usize,
    },
}

fn non_blank(text: &str, most: usize) -> Result<(), TextError> {
    if text.trim().is_empty() {
        return Err(TextError::Blank);
    }
    if text.chars().count() > most {
        return Err(TextError::TooLong { most });
    }
    without_nul(text)
}

fn without_nul(text: &str) -> Result<(), TextError> {
    if text.contains('\0') { Err(TextError::Nul) } else { Ok(()) }
}

/// The title of a debate.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title(String);

impl Title {
    /// The maximum length in characters.
    pub const MOST: usize = 300;

    /// Checks that `text` is a valid title.
    pub fn new(text: String) -> Result<Self, TextError> {
        non_blank(&text, Self::MOST)?;
        Ok(Self(text))
    }

    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// The topic of a run.
#[derive(Clone, PartialEq, Eq)]
pub struct Topic(String);

impl Topic {
    /// The maximum length in characters.
    pub const MOST: usize = 2000;

    /// Checks that `text` is a valid topic.
    pub fn new(text: String) -> Result<Self, TextError> {
        non_blank(&text, Self::MOST)?;
        Ok(Self(text))
    }

    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Shows the size only: a topic is part of every prompt, and prompts must not reach a log.
impl std::fmt::Debug for Topic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Topic({} bytes)", self.0.len())
    }
}

/// The content of an argument.
#[derive(Clone, PartialEq, Eq)]
pub struct Content(String);

impl Content {
    /// Checks a content that is not blank and has at most `most_bytes` bytes.
    pub fn new(text: String, most_bytes: usize) -> Result<Self, ContentError> {
        if text.trim().is_empty() {
            return Err(TextError::Blank.into());
        }
        Self::new_or_blank(text, most_bytes)
    }

    /// As `new`, but the content may be blank: an intervention needs no text.
    pub fn new_or_blank(text: String, most_bytes: usize) -> Result<Self, ContentError> {
        without_nul(&text)?;
        if text.len() > most_bytes {
            return Err(ContentError::TooLarge { most_bytes });
        }
        Ok(Self(text))
    }

    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Shows the size only: content must not reach a log.
impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Content({} bytes)", self.0.len())
    }
}

/// The idempotency key of a write.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey(String);

impl RequestKey {
    /// The maximum length in characters.
    pub const MOST: usize = 200;

    /// Checks that `text` is a valid key.
    pub fn new(text: String) -> Result<Self, TextError> {
        non_blank(&text, Self::MOST)?;
        if text.chars().any(char::is_control) {
            return Err(TextError::Unprintable);
        }
        Ok(Self(text))
    }

    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// A search term in folded case, so that both engines compare the same characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText(String);

impl SearchText {
    /// The maximum length in characters.
    pub const MOST: usize = 200;

    /// Checks a search term and folds its case.
    pub fn new(text: &str) -> Result<Self, TextError> {
        non_blank(text, Self::MOST)?;
        Ok(Self(fold_case(text)))
    }

    /// The text in folded case.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The text in which a search looks for a debate: title and motion in folded case.
    #[must_use]
    pub fn haystack(title: &str, motion: &str) -> String {
        fold_case(&format!("{title}\n{motion}"))
    }
}

/// Folds case character by character. Lower case of a whole word treats a final Greek sigma
/// differently, so that a part of a word would not be found in it.
fn fold_case(text: &str) -> String {
    let folded = text.chars().flat_map(char::to_lowercase);
    folded.map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect()
}
