//! The URL of a server: scheme, host, port and path prefix.

use std::fmt;
use std::net::IpAddr;

use hyper::Uri;

/// `http://host:port/prefix` or `https://…`, without user, query and fragment.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct BaseUrl {
    /// Whether the scheme is `https`.
    pub tls: bool,
    /// The host, without the brackets of an IPv6 address.
    pub host: String,
    /// The port, also where the URL does not name it.
    pub port: u16,
    /// The prefix of every path: empty, or `/like/this`.
    pub path: String,
    /// Host and port as the `Host` header spells them.
    pub authority: String,
}

impl BaseUrl {
    /// Parses a URL; none if it is not the URL of an HTTP server.
    #[must_use]
    pub fn parse(text: &str) -> Option<Self> {
        let text = text.trim();
        let uri: Uri = text.parse().ok()?;
        let tls = match uri.scheme_str()?.to_ascii_lowercase().as_str() {
            "http" => false,
            "https" => true,
            _ => return None,
        };
        let default_port = if tls { 443 } else { 80 };
        let (host, authority) = (uri.host()?, uri.authority()?.as_str());
        let port = match authority.strip_prefix(host)? {
            "" => default_port,
            port => port.strip_prefix(':')?.parse().ok().filter(|port| *port != 0)?,
        };
        let bare = host.trim_start_matches('[').trim_end_matches(']');
        let is_path = |byte: u8| byte.is_ascii_graphic() && !b"\"<>\\^`{|}".contains(&byte);
        // `Uri` drops a fragment silently.
        let has_more = uri.query().is_some() || text.contains('#');
        if bare.is_empty() || has_more || !uri.path().bytes().all(is_path) {
            return None;
        }
        let authority =
            if port == default_port { host.to_owned() } else { format!("{host}:{port}") };
        let path = uri.path().trim_end_matches('/').to_owned();
        Some(Self { tls, host: bare.to_owned(), port, path, authority })
    }

    /// Whether the host is this machine, as far as its name tells.
    #[must_use]
    pub fn is_loopback(&self) -> bool {
        let by_address = self.host.parse::<IpAddr>().is_ok_and(|address| address.is_loopback());
        by_address || self.host.eq_ignore_ascii_case("localhost")
    }

    /// `http://host:port`, without the path.
    pub(crate) fn origin(&self) -> String {
        format!("{}://{}", if self.tls { "https" } else { "http" }, self.authority)
    }
}

impl fmt::Display for BaseUrl {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        write!(f, "{}{}", self.origin(), self.path)
    }
}

#[cfg(test)]
mod tests {
    use super::BaseUrl;

    #[test]
    fn url_is_split_and_displayed_again() {
        let cases = [
            ("http://127.0.0.1:3456", "127.0.0.1", 3456, ""),
            ("http://localhost:80/", "localhost", 80, ""),
            ("HTTP://[::1]:3456/", "::1", 3456, ""),
            ("http://[::1]", "::1", 80, ""),
            ("https://debates.example.org", "debates.example.org", 443, ""),
            ("https://x.example/team/a/", "x.example", 443, "/team/a"),
            ("https://x.example/team%2Fa", "x.example", 443, "/team%2Fa"),
        ];
        for (text, host, port, path) in cases {
            let url = BaseUrl::parse(text).expect(text);
            assert_eq!((url.host.as_str(), url.port, url.path.as_str()), (host, port, path));
            assert_eq!(BaseUrl::parse(&url.to_string()), Some(url));
        }
    }

    #[test]
    fn other_text_is_refused() {
        let cases = [
            "",
            "127.0.0.1:3456",
            "api.openai.com",
            "ftp://x",
            "file:///etc/passwd",
            "http://",
            "http://:80",
            "http://x:0",
            "http://x:1:2",
            "http://x:70000",
            "http://[::1",
            "http://user@host",
            "https://me:secret@host/v1",
            "http://x/?q",
            "https://host/v1?key=1",
            "https://host/v1#x",
            "http://x/a b",
            "http://x\r\nevil: 1/",
        ];
        for text in cases {
            assert_eq!(BaseUrl::parse(text), None, "{text}");
        }
    }

    #[test]
    fn only_this_machine_is_loopback() {
        for (text, is_loopback) in [
            ("http://127.0.0.1:1", true),
            ("http://127.9.9.9:1", true),
            ("http://localhost:11434/v1", true),
            ("http://[::1]:1", true),
            ("http://10.0.0.1", false),
            ("http://localhost.example.org", false),
            ("http://0.0.0.0:3456", false),
            ("https://api.openai.com/v1", false),
        ] {
            assert_eq!(BaseUrl::parse(text).expect(text).is_loopback(), is_loopback, "{text}");
        }
    }
}
