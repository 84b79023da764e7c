//! Evidence links. The server shows them and never fetches them.

/// An `https` URL with a host name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceLink(String);

/// The reason why a text is not an evidence link. The message completes a sentence that begins with
/// the name of the field.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotALink {
    /// The scheme is not `https`.
    #[error("must begin with https://")]
    Scheme,
    /// The text has too many characters.
    #[error("must have at most {} characters", EvidenceLink::MOST)]
    TooLong,
    /// The text contains characters that a URL cannot contain.
    #[error("must be an address without spaces, quotes or control characters")]
    Characters,
    /// The URL contains a user name or password.
    #[error("must not contain a user name or password")]
    UserInfo,
    /// The host is missing or malformed.
    #[error("must have a host name such as example.org")]
    Host,
    /// The host is an IP address.
    #[error("must have a host name and not an IP address")]
    Address,
}

impl EvidenceLink {
    /// The maximum length in characters.
    pub const MOST: usize = 2000;
    /// The maximum number of links of a post.
    pub const COUNT_MOST: usize = 10;

    /// Checks that `text` is a valid link.
    pub fn new(text: String) -> Result<Self, NotALink> {
        if text.chars().count() > Self::MOST {
            return Err(NotALink::TooLong);
        }
        let scheme = text.get(..8).filter(|scheme| scheme.eq_ignore_ascii_case("https://"));
        let rest = scheme.and_then(|_| text.get(8..)).ok_or(NotALink::Scheme)?;
        // Browsers read `\` as `/` and drop tabs and line breaks.
        let is_odd = |c: char| c.is_whitespace() || c.is_control() || "\"<>\\^`{|}".contains(c);
        if text.contains(is_odd) {
            return Err(NotALink::Characters);
        }
        let authority = rest.split(['/', '?', '#']).next().unwrap_or_default();
        if authority.contains('@') {
            return Err(NotALink::UserInfo);
        }
        named_host(authority)?;
        Ok(Self(text))
    }

    /// The text as it was given.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Checks that the host is a name. Every text that a browser reads as an IPv4 address ends with a
/// label of digits, or of `0x` and hexadecimal digits; no host name does.
fn named_host(authority: &str) -> Result<(), NotALink> {
    if authority.starts_with('[') {
        return Err(NotALink::Address);
    }
    let (host, port) = authority.split_once(':').unwrap_or((authority, ""));
    if !port.bytes().all(|byte| byte.is_ascii_digit()) || port.len() > 5 {
        return Err(NotALink::Host);
    }
    let host = host.strip_suffix('.').unwrap_or(host);
    let labels: Vec<&str> = host.split('.').collect();
    let is_label = |label: &&str| {
        let inner = |c: char| c.is_alphanumeric() || c == '-' || c == '_';
        !label.is_empty() && label.chars().all(inner) && !label.starts_with('-')
    };
    let last = labels.last().copied().unwrap_or_default();
    if is_number(last) {
        return Err(NotALink::Address);
    }
    if host.len() > 253 || labels.len() < 2 || !labels.iter().all(is_label) {
        return Err(NotALink::Host);
    }
    Ok(())
}

/// Accepts digits of any script, since a browser normalizes `１２７` to `127`.
fn is_number(label: &str) -> bool {
    let hex = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    match hex {
        Some(digits) => digits.chars().all(|c| c.is_ascii_hexdigit()),
        None => !label.is_empty() && label.chars().all(char::is_numeric),
    }
}
