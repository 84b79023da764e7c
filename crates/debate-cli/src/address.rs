//! Where the server is.

use std::fmt;
use std::net::IpAddr;

/// `http://host:port/base`, taken apart.
#[derive(Debug, Clone, PartialEq, Eq)]
pub(crate) struct ServerUrl {
    pub(crate) tls: bool,
    /// Without the brackets of an IPv6 address.
    pub(crate) host: String,
    pub(crate) port: u16,
    /// What stands before every path; empty, or `/like/this`.
    pub(crate) base: String,
    /// As the Host header spells it.
    pub(crate) authority: String,
}

/// What a URL must look like.
pub(crate) const EXPECTED: &str = "a URL such as http://127.0.0.1:3456";

impl ServerUrl {
    /// None if it is no URL of a server.
    pub(crate) fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let (scheme, rest) = text.split_once("://")?;
        let tls = match scheme.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        let (authority, base) = rest.find('/').map_or((rest, ""), |at| rest.split_at(at));
        let usual = if tls { 443 } else { 80 };
        let (host, port) = split_port(authority)?;
        let port = port.map_or(Some(usual), |port| port.parse().ok().filter(|port| *port != 0))?;
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_host = |byte: u8| byte.is_ascii_alphanumeric() || b".-_:%".contains(&byte);
        let is_path = |byte: u8| byte.is_ascii_graphic() && !b"?#\"<>\\^`{|}".contains(&byte);
        if bare.is_empty() || !bare.bytes().all(is_host) || !base.bytes().all(is_path) {
            return None;
        }
        let authority = if port == usual { host.to_owned() } else { format!("{host}:{port}") };
        let base = base.trim_end_matches('/').to_owned();
        Some(Self { tls, host: bare.to_owned(), port, base, authority })
    }

    /// Whether it is this machine, as far as the name tells.
    pub(crate) fn is_loopback(&self) -> bool {
        let by_address = self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        by_address || self.host.eq_ignore_ascii_case("localhost")
    }

    /// Whether `aw serve` on this machine could be what answers there.
    pub(crate) fn could_be_started(&self) -> bool {
        self.is_loopback() && !self.tls && self.base.is_empty()
    }
}

/// The host, and the port if there is one. An IPv6 address stands in brackets.
fn split_port(authority: &str) -> Option<(&str, Option<&str>)> {
    if authority.starts_with('[') {
        let end = authority.find(']')? + 1;
        let (host, rest) = authority.split_at(end);
        return match rest.strip_prefix(':') {
            Some(port) => Some((host, Some(port))),
            None if rest.is_empty() => Some((host, None)),
            None => None,
        };
    }
    match authority.split_once(':') {
        Some((_, port)) if port.contains(':') => None,
        Some((host, port)) => Some((host, Some(port))),
        None => Some((authority, None)),
    }
}

impl fmt::Display for ServerUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        let scheme = if self.tls { "https" } else { "http" };
        write!(f, "{scheme}://{}{}", self.authority, self.base)
    }
}

#[cfg(test)]
mod tests {
    use super::ServerUrl;

    #[test]
    fn a_url_is_taken_apart_and_put_together_again() {
        let cases = [
            ("http://127.0.0.1:3456", "127.0.0.1", 3456, ""),
            ("http://localhost:80/", "localhost", 80, ""),
            ("HTTP://[::1]:3456/", "::1", 3456, ""),
            ("https://debates.example.org", "debates.example.org", 443, ""),
            ("https://x.example/team/a/", "x.example", 443, "/team/a"),
        ];
        for (text, host, port, base) in cases {
            let url = ServerUrl::parse(text).expect(text);
            assert_eq!((url.host.as_str(), url.port, url.base.as_str()), (host, port, base));
            assert_eq!(ServerUrl::parse(&url.to_string()), Some(url));
        }
    }

    #[test]
    fn what_is_no_url_of_a_server_is_none() {
        let cases = [
            "",
            "127.0.0.1:3456",
            "ftp://x",
            "http://",
            "http://:80",
            "http://x:0",
            "http://x:1:2",
            "http://x:70000",
            "http://[::1",
            "http://user@host",
            "http://x/?q",
            "http://x/a b",
            "http://x\r\nevil: 1/",
        ];
        for text in cases {
            assert_eq!(ServerUrl::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for (text, is) in [
            ("http://127.0.0.1:1", true),
            ("http://127.9.9.9:1", true),
            ("http://localhost", true),
            ("http://[::1]:1", true),
            ("http://10.0.0.1", false),
            ("http://localhost.example.org", false),
            ("http://0.0.0.0:3456", false),
        ] {
            assert_eq!(ServerUrl::parse(text).expect(text).is_loopback(), is, "{text}");
        }
    }
}
