//! Models by name: `provider:model`.

use std::fmt;

/// A model of a provider. Whether that provider is configured is not known here.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName {
    provider: String,
    model: String,
}

/// The text was no model's name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be PROVIDER:MODEL such as openai:gpt-4.1 or demo:paced, in at most {most} characters",
    most = ModelName::MOST
)]
pub struct NotAModel;

impl ModelName {
    /// The most characters a name has.
    pub const MOST: usize = 200;

    /// A name, if `text` can be one. The first colon divides: models have colons of their own.
    pub fn new(text: &str) -> Result<Self, NotAModel> {
        let (provider, model) = text.split_once(':').ok_or(NotAModel)?;
        let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || byte == b'_' || byte == b'-';
        let fits = text.len() <= Self::MOST
            && !provider.is_empty()
            && provider.bytes().all(is_plain)
            && !model.is_empty()
            && model.bytes().all(|byte| byte.is_ascii_graphic());
        if !fits {
            return Err(NotAModel);
        }
        Ok(Self { provider: provider.to_owned(), model: model.to_owned() })
    }

    /// Whether nobody is asked at all: the built-in demo answers.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.provider == "demo"
    }

    /// Who is asked.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// What the provider calls it, exactly.
    #[must_use]
    pub fn model(&self) -> &str {
        &self.model
    }
}

impl fmt::Display for ModelName {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}:{}", self.provider, self.model)
    }
}
