//! Evidence by link: shown to readers, never fetched by anyone here.

/// An `https` address with a host that has a name.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct EvidenceLink(String);

/// Why a text is no evidence link; reads as the end of a sentence that begins with the field's
/// name.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
pub enum NotALink {
    /// Another scheme, or none.
    #[error("must begin with https://")]
    Scheme,
    /// Too long.
    #[error("must have at most {} characters", EvidenceLink::MOST)]
    TooLong,
    /// White space, control characters or others that no address has.
    #[error("must be an address without spaces, quotes or control characters")]
    Characters,
    /// A name or password before the host.
    #[error("must not contain a user name or password")]
    UserInfo,
    /// No host, or one that can't be.
    #[error("must have a host name such as example.org")]
    Host,
    /// A number instead of a name.
    #[error("must have a host name and not an IP address")]
    Address,
}

impl EvidenceLink {
    /// The most characters a link has.
    pub const MOST: usize = 2000;
    /// The most links a post has.
    pub const COUNT_MOST: usize = 10;

    /// A link, if `text` can be one.
    pub fn new(text: String) -> Result<Self, NotALink> {
        if text.chars().count() > Self::MOST {
            return Err(NotALink::TooLong);
        }
        let scheme = text.get(..8).filter(|scheme| scheme.eq_ignore_ascii_case("https://"));
        let rest = scheme.and_then(|_| text.get(8..)).ok_or(NotALink::Scheme)?;
        // A browser reads `\` as `/`, and drops tabs and line ends before it looks.
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

    /// The address itself.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }
}

/// Whether the host is a name. Everything that a browser would take for an IPv4 address ends in a
/// label of digits, or of `0x` and hexadecimal digits; no name does.
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

/// Digits of any script: a browser folds `１２７` to `127` before it looks.
fn is_number(label: &str) -> bool {
    let hex = label.strip_prefix("0x").or_else(|| label.strip_prefix("0X"));
    match hex {
        Some(digits) => digits.chars().all(|c| c.is_ascii_hexdigit()),
        None => !label.is_empty() && label.chars().all(char::is_numeric),
    }
}
