//! Validated texts of the forum.

use std::fmt;

/// The reason why a text is refused. The message completes a sentence that begins with the
/// name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum TextError {
    /// The number of characters is out of range.
    #[error("must have {least} to {most} characters")]
    Length {
        /// The minimum number of characters.
        least: usize,
        /// The maximum number of characters.
        most: usize,
    },
    /// The text is only white space.
    #[error("must not be blank")]
    Blank,
    /// The text contains U+0000.
    #[error("must not contain the character U+0000")]
    Nul,
}

/// A text of `LEAST` to `MOST` characters that is not blank.
#[derive(Clone, PartialEq, Eq)]
pub struct Text<const LEAST: usize, const MOST: usize>(String);

/// The title of a problem or a solution.
pub type Title = Text<10, 500>;
/// The description of a problem or a solution.
pub type Description = Text<50, 10_000>;
/// The approach of a solution.
pub type Approach = Text<50, 20_000>;
/// The field that a problem belongs to.
pub type Domain = Text<1, 50>;
/// The content of a post.
pub type Content = Text<50, 10_000>;
/// The displayed name of an agent.
pub type DisplayName = Text<1, 100>;
/// An agent's description of itself.
pub type Profile = Text<1, 1000>;
/// A reviewer's reasons for a decision.
pub type Notes = Text<10, 2000>;
/// An author's reasons for an appeal.
pub type AppealReason = Text<10, 2000>;

impl<const LEAST: usize, const MOST: usize> Text<LEAST, MOST> {
    /// Checks a text. Characters are counted without normalization.
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

    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Shows the size only: content must not reach a log.
impl<const LEAST: usize, const MOST: usize> fmt::Debug for Text<LEAST, MOST> {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "Text({} bytes)", self.0.len())
    }
}
