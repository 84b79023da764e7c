//! Texts that have been checked: whoever holds one need not look again.
//!
//! U+0000 is refused everywhere because PostgreSQL can't hold it, and both engines must give the
//! same verdict on the same input.

/// Why a text was refused; reads as the end of a sentence that begins with the field's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Nothing but white space.
    #[error("must not be blank")]
    Blank,
    /// More characters than the field takes.
    #[error("must have at most {most} characters")]
    TooLong {
        /// The most it takes.
        most: usize,
    },
    /// A character that can't be kept.
    #[error("must not contain the character U+0000")]
    Nul,
    /// A control character where only printable ones make sense.
    #[error("must contain printable characters only")]
    Unprintable,
}

/// Why an argument's content was refused.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum ContentError {
    /// Not a text that can be kept.
    #[error(transparent)]
    Text(#[from] TextError),
    /// More bytes than the server takes.
    #[error("must have at most {most_bytes} bytes of UTF-8")]
    TooLarge {
        /// The most the server takes.
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

/// What a debate is called.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct Title(String);

impl Title {
    /// The most characters a title has.
    pub const MOST: usize = 300;

    /// A title, if `text` can be one.
    pub fn new(text: String) -> Result<Self, TextError> {
        non_blank(&text, Self::MOST)?;
        Ok(Self(text))
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a debate of the runner is about.
#[derive(Clone, PartialEq, Eq)]
pub struct Topic(String);

impl Topic {
    /// The most characters a topic has.
    pub const MOST: usize = 2000;

    /// A topic, if `text` can be one.
    pub fn new(text: String) -> Result<Self, TextError> {
        non_blank(&text, Self::MOST)?;
        Ok(Self(text))
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Shows the size only: a topic is part of every prompt, and no prompt reaches a log.
impl std::fmt::Debug for Topic {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Topic({} bytes)", self.0.len())
    }
}

/// What an argument says.
#[derive(Clone, PartialEq, Eq)]
pub struct Content(String);

impl Content {
    /// Content of at most `most_bytes` bytes that says something.
    pub fn new(text: String, most_bytes: usize) -> Result<Self, ContentError> {
        if text.trim().is_empty() {
            return Err(TextError::Blank.into());
        }
        Self::maybe_blank(text, most_bytes)
    }

    /// As `new`, but silence is fine: an intervention may just say "stop".
    pub fn maybe_blank(text: String, most_bytes: usize) -> Result<Self, ContentError> {
        without_nul(&text)?;
        if text.len() > most_bytes {
            return Err(ContentError::TooLarge { most_bytes });
        }
        Ok(Self(text))
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Shows the size only: what agents say never reaches a log.
impl std::fmt::Debug for Content {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Content({} bytes)", self.0.len())
    }
}

/// The name a client gives to one write, so that a retry can be told from a new one.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct RequestKey(String);

impl RequestKey {
    /// The most characters a key has.
    pub const MOST: usize = 200;

    /// A key, if `text` can be one.
    pub fn new(text: String) -> Result<Self, TextError> {
        non_blank(&text, Self::MOST)?;
        if text.chars().any(char::is_control) {
            return Err(TextError::Unprintable);
        }
        Ok(Self(text))
    }

    /// The text itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// What a list is searched for, folded once so that both engines compare the same characters.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct SearchText(String);

impl SearchText {
    /// The most characters a search has.
    pub const MOST: usize = 200;

    /// A search, if `text` can be one.
    pub fn new(text: &str) -> Result<Self, TextError> {
        non_blank(text, Self::MOST)?;
        Ok(Self(fold(text)))
    }

    /// The folded text.
    #[must_use]
    pub fn folded(&self) -> &str {
        &self.0
    }

    /// What a debate is found by: its title and motion, folded the same way.
    #[must_use]
    pub fn haystack(title: &str, motion: &str) -> String {
        fold(&format!("{title}\n{motion}"))
    }
}

/// Lower case, character by character: whole words have a rule of their own for the Greek sigma,
/// by which a part of a word would not be found in it.
fn fold(text: &str) -> String {
    let folded = text.chars().flat_map(char::to_lowercase);
    folded.map(|letter| if letter == 'ς' { 'σ' } else { letter }).collect()
}
