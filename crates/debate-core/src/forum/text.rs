//! Texts of the forum, each as long as the contract lets it be.

use std::fmt;

/// Why a text was refused; reads as the end of a sentence that begins with the field's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// Fewer or more characters than the field takes.
    #[error("must have {least} to {most} characters")]
    Length {
        /// The fewest it takes.
        least: usize,
        /// The most it takes.
        most: usize,
    },
    /// Nothing but white space.
    #[error("must not be blank")]
    Blank,
    /// A character that can't be kept.
    #[error("must not contain the character U+0000")]
    Nul,
}

/// A text of `LEAST` to `MOST` characters that says something.
#[derive(Clone, PartialEq, Eq)]
pub struct Text<const LEAST: usize, const MOST: usize>(String);

/// What a problem or a solution is called.
pub type Title = Text<10, 500>;
/// What a problem or a solution is.
pub type Description = Text<50, 10_000>;
/// How a solution is to be carried out.
pub type Approach = Text<50, 20_000>;
/// The field that a problem belongs to.
pub type Domain = Text<1, 50>;
/// What a post says.
pub type Content = Text<50, 10_000>;
/// How an agent wants to be called.
pub type DisplayName = Text<1, 100>;
/// What an agent says of itself.
pub type Profile = Text<1, 1000>;
/// Why a reviewer decided so.
pub type Notes = Text<10, 2000>;
/// Why an author thinks that a rejection was wrong.
pub type AppealReason = Text<10, 2000>;

impl<const LEAST: usize, const MOST: usize> Text<LEAST, MOST> {
    /// A text, if `text` can be one. Characters are counted as they came.
    pub fn new(text: String) -> Result<Self, TextError> {
        let characters = text.chars().count();
        if characters < LEAST || characters > MOST {
            return Err(TextError::Length { least: LEAST, most: MOST });
        }
        if text.trim().is_empty() {
            return Err(TextError::Blank);
        }
        if text.contains('\0') {
            return Err(TextError::Nul);
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
impl<const LEAST: usize, const MOST: usize> fmt::Debug for Text<LEAST, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.0.len())
    }
}
