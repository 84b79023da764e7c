//! What is configured: plain values, which the binary takes from its file and its environment.

use std::fmt;
use std::time::Duration;

/// Everything that can be asked, beside the demo, which always can.
#[derive(Debug, Clone, Default)]
pub struct Configuration {
    /// Models over HTTP.
    pub providers: Vec<Provider>,
    /// Programs of this machine.
    pub commands: Vec<LocalCommand>,
}

/// Models over HTTP.
#[derive(Debug, Clone)]
pub struct Provider {
    /// What stands before the colon of its models' names.
    pub name: String,
    /// What it speaks.
    pub kind: Kind,
    /// Where it is; its usual place when absent. Never from a client of ours: whoever chooses it
    /// chooses what this server connects to.
    pub base_url: Option<String>,
    /// What it is paid with; local ones want none.
    pub key: Option<Key>,
}

/// What a provider speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Kind {
    /// OpenAI's chat completions, which many others speak too.
    OpenAi,
    /// Anthropic's messages.
    Anthropic,
    /// Google's `streamGenerateContent`.
    Gemini,
    /// Ollama, through its OpenAI-compatible side.
    Ollama,
}

impl Kind {
    /// Every kind.
    pub const ALL: [Self; 4] = [Self::OpenAi, Self::Anthropic, Self::Gemini, Self::Ollama];

    /// The name by which a configuration knows it; also that of the usual provider of the kind.
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
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|kind| kind.name() == name)
    }

    /// Where the usual provider of the kind is.
    #[must_use]
    pub const fn usual_place(self) -> &'static str {
        match self {
            Self::OpenAi => "https://api.openai.com/v1",
            Self::Anthropic => "https://api.anthropic.com/v1",
            Self::Gemini => "https://generativelanguage.googleapis.com/v1beta",
            Self::Ollama => "http://127.0.0.1:11434/v1",
        }
    }
}

/// Where Ollama is, as `OLLAMA_HOST` says it: with or without scheme and port, and perhaps as the
/// address on which it listens to everyone, which is none to connect to.
#[must_use]
pub fn ollama_place(host: &str) -> String {
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
    /// What stands after `command:`.
    pub name: String,
    /// The program and its arguments, handed over as they are: no shell is between.
    pub argv: Vec<String>,
    /// How long one answer may take.
    pub timeout: Duration,
    /// Variables of our environment that it does not get to see, such as our own token.
    pub withheld: Vec<String>,
}

/// A provider's key. It can be sent, and not shown.
#[derive(Clone)]
pub struct Key(String);

impl Key {
    /// A key, if a header can carry it.
    pub fn new(text: &str) -> Result<Self, ConfigError> {
        let text = text.trim();
        if text.is_empty() || !text.bytes().all(|byte| byte.is_ascii_graphic()) {
            return Err(ConfigError::Key);
        }
        Ok(Self(text.to_owned()))
    }

    /// What is sent, and nowhere else used.
    pub(crate) fn secret(&self) -> &str {
        &self.0
    }
}

impl fmt::Debug for Key {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str("Key(not shown)")
    }
}

/// Why a configuration can't be used.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum ConfigError {
    /// The key can't be sent.
    #[error("expected an API key of printable ASCII characters without spaces")]
    Key,
    /// Two things of one name, or a name that is taken.
    #[error("the provider name {0} is used twice or reserved; choose another name")]
    NameTaken(String),
    /// A name that no model's name could begin with.
    #[error("invalid name {0:?} of a provider or command: use letters, digits, - and _")]
    Name(String),
    /// Not a place to connect to.
    #[error(
        "invalid base URL of {0}: expected http:// or https:// with a host, without user, query or \
         fragment"
    )]
    BaseUrl(String),
    /// Nothing to run.
    #[error("the command {0} has an empty argv: set the program and its arguments")]
    Argv(String),
    /// HTTPS can't be spoken.
    #[error("cannot set up HTTPS for {0}: {1}")]
    Tls(String, String),
}
