//! Names of models: `provider:model`.

use std::fmt;

/// A well-formed name of a model. Its provider may not be configured.
#[derive(Debug, Clone, PartialEq, Eq, Hash)]
pub struct ModelName {
    provider: String,
    model: String,
}

/// The text is not the name of a model.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error(
    "must be PROVIDER:MODEL such as openai:gpt-4.1 or demo:paced, in at most {most} characters",
    most = ModelName::MOST
)]
pub struct NotAModel;

impl ModelName {
    /// The maximum length in characters.
    pub const MOST: usize = 200;

    /// Parses a name. The first colon separates the provider, since names of
    /// models may contain colons.
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

    /// Whether the built-in demo answers instead of a provider.
    #[must_use]
    pub fn is_demo(&self) -> bool {
        self.provider == "demo"
    }

    /// The provider that receives the call.
    #[must_use]
    pub fn provider(&self) -> &str {
        &self.provider
    }

    /// The model's name at its provider.
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
