//! The configuration of providers and commands. The binary reads it from file and environment.

use std::fmt;
use std::time::Duration;

/// The configured models. The demo needs no configuration.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    /// The providers that are called over HTTP.
    pub providers: Vec<Provider>,
    /// Programs of this machine.
    pub commands: Vec<LocalCommand>,
}

/// A provider that is called over HTTP.
#[derive(Debug, Clone)]
pub struct Provider {
    /// The part of its models' names before the colon.
    pub name: String,
    /// The protocol of the provider.
    pub kind: ProviderKind,
    /// The base URL; that of the kind if absent. It never comes from a client, because it
    /// determines the hosts that the server connects to.
    pub base_url: Option<String>,
    /// The API key; local providers need none.
    pub key: Option<Key>,
}

/// The protocol of a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum ProviderKind {
    /// OpenAI's chat completions, also spoken by many compatible servers.
    OpenAi,
    /// The messages API of Anthropic.
    Anthropic,
    /// The `streamGenerateContent` method of Google.
    Gemini,
    /// Ollama, through its OpenAI-compatible side.
    Ollama,
}

impl ProviderKind {
    /// Every kind of provider in a fixed order.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The name in the configuration, which is also that of the standard provider of the kind.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::OpenAi => "openai",
            Self::Anthropic => "anthropic",
            Self::Gemini => "gemini",
            Self::Ollama => "ollama",
        }
    }

    /// The name as the provider itself spells it, for messages.
    #[must_use]
    pub const fn display_name(self) -> &'static str {
        match self {
            Self::OpenAi => "OpenAI",
            Self::Anthropic => "Anthropic",
            Self::Gemini => "Gemini",
            Self::Ollama => "Ollama",
        }
    }

    /// The kind of this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// The base URL of the standard provider of the kind.
    #[must_use]
    pub const fn default_base_url(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Self::Ollama => "http://127.0.0.1:11434/v1",
        }
    }
}

/// The base URL for a value of `OLLAMA_HOST`, which may lack scheme and port. The address for all
/// interfaces becomes the loopback address.
#[must_use]
pub fn ollama_base_url(host: &str) -> String {
    let host = host.trim().trim_end_matches('/');
    let (scheme, authority) = host.split_once("://").unwrap_or(("http", host));
    let authority = match authority.strip_prefix("0.0.0.0") {
        Some(port) => format!("127.0.0.1{port}"),
        None => authority.to_owned(),
    };
    let after_brackets = authority.rsplit(']').next().unwrap_or_default();
    let port = match scheme {
        _ if after_brackets.contains(':') => "",
        "https" => ":443",
        _ => ":11434",
    };
    format!("{scheme}://{authority}{port}/v1")
}

/// A program of this machine that reads a prompt and writes an answer.
#[derive(Debug, Clone)]
pub struct LocalCommand {
    /// The part of its models' names after `command:`.
    pub name: String,
    /// The program and its arguments, passed on without a shell.
    pub argv: Vec<String>,
    /// The time limit of one answer.
    pub timeout: Duration,
    /// Environment variables that the program does not get, such as the server's token.
    pub withheld: Vec<String>,
}

/// An API key. It has no Display, and its Debug does not contain it.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// A key of characters that a header can carry.
    pub fn new(text: &str) -> Result<Self, ConfigError> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ConfigError::Key);
        }
        Ok(Self(text.to_owned()))
    }

    /// The text for the header of a request.
    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(not shown)")
    }
}

/// A configuration that cannot be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The key has characters that a header cannot carry.
    #[error("expected an API key of printable ASCII characters without spaces")]
    Key,
    /// A name is used twice, or it is reserved.
    #[error("the provider name {0} is used twice or reserved; choose another name")]
    NameTaken(String),
    /// A name with characters that a model's name cannot have.
    #[error("invalid name {0:?} of a provider or command: use letters, digits, - and _")]
    Name(String),
    /// The base URL is not the URL of an HTTP server.
    #[error(
        "invalid base URL of {0}: expected http:// or https:// with a host, without user, query or \
         fragment"
    )]
    BaseUrl(String),
    /// The command names no program.
    #[error("the command {0} has an empty argv: set the program and its arguments")]
    Argv(String),
    /// The trusted roots cannot be loaded.
    #[error("cannot set up HTTPS for {0}: {1}")]
    Tls(String, String),
}
