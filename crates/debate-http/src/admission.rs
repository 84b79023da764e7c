//! Who may come in: by which name, from which page, with which token.
//!
//! A server on localhost is reachable from every web page its user visits. After a DNS rebind the
//! Host header is all that betrays such a page, so it is checked on every route, token or not.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::header::{AUTHORIZATION, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request};
use hmac::{Hmac, KeyInit, Mac};
use percent_encoding::percent_decode_str;
use sha2::{Digest, Sha256};
use subtle::ConstantTimeEq;

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The values of the Host header that the server accepts.
#[derive(Debug, Clone)]
pub struct AllowedHosts(Vec<AllowedHost>);

/// A name, and the one port it is accepted with; without a port, every port is accepted.
#[derive(Debug, Clone)]
struct AllowedHost {
    name: String,
    port: Option<u16>,
}

impl AllowedHosts {
    /// The loopback names and the address the server listens on, each with any port, and the
    /// operator's list. A rebound name is what betrays a foreign page, never its port; and behind a
    /// forwarded port (`ssh -L 8080:localhost:3456`) the browser's port is not the server's.
    #[must_use]
    pub fn new(address: IpAddr, listed: &[String]) -> Self {
        let own = ["127.0.0.1".to_owned(), "[::1]".to_owned(), "localhost".to_owned()]
            .into_iter()
            .chain((!address.is_unspecified()).then(|| bracketed(address)))
            .map(|name| AllowedHost { name, port: None });
        let listed = listed.iter().map(|entry| match (entry.parse::<Ipv6Addr>(), split(entry)) {
            (Ok(address), _) => AllowedHost { name: bracketed(address.into()), port: None },
            (Err(_), Some((name, port))) => AllowedHost { name: name.to_owned(), port },
            (Err(_), None) => AllowedHost { name: entry.clone(), port: None },
        });
        Self(own.chain(listed).collect())
    }

    fn allows(&self, host: &str) -> bool {
        let Some((name, port)) = split(host) else { return false };
        self.0.iter().any(|allowed| {
            allowed.name.eq_ignore_ascii_case(name)
                && (allowed.port.is_none() || allowed.port == port)
        })
    }
}

fn bracketed(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    }
}

/// The name and the port of a Host header; none where the port is not a number.
fn split(host: &str) -> Option<(&str, Option<u16>)> {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => {
            let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| port.parse().ok()).flatten().map(|port| (name, Some(port)))
        }
        Some(_) | None => Some((host, None)),
    }
}

/// The foreign web pages that may call, such as `https://debates.example.org`.
#[derive(Debug, Clone, Default)]
pub struct AllowedOrigins(Vec<String>);

impl AllowedOrigins {
    /// What the operator lists.
    #[must_use]
    pub const fn new(listed: Vec<String>) -> Self {
        Self(listed)
    }

    /// Whether this page is one of them.
    pub(crate) fn allows(&self, origin: &HeaderValue) -> bool {
        let origin = origin.as_bytes();
        self.0.iter().any(|allowed| allowed.as_bytes().eq_ignore_ascii_case(origin))
    }
}

/// Why a request is not let in.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Stranger {
    /// It has no Host header, an empty one, or several.
    NoHost,
    /// It calls the server by a name it does not have.
    Host,
    /// It comes from another web page.
    Page,
}

/// Whether the request was meant for this server, by someone other than a foreign web page.
pub(crate) fn check_origin<B>(
    request: &Request<B>,
    hosts: &AllowedHosts,
    origins: &AllowedOrigins,
) -> Result<(), Stranger> {
    let headers = request.headers();
    let host = only(headers, &HOST).filter(|host| !host.is_empty()).ok_or(Stranger::NoHost)?;
    let target = request.uri().authority().map_or(host, |authority| authority.as_str());
    if !hosts.allows(host) || !target.eq_ignore_ascii_case(host) {
        return Err(Stranger::Host);
    }
    if let Some(listed) = headers.get(ORIGIN).map(|origin| origins.allows(origin)) {
        let origin = only(headers, &ORIGIN).ok_or(Stranger::Page)?;
        let allowed = listed || is_own_page(origin, host);
        return if allowed { Ok(()) } else { Err(Stranger::Page) };
    }
    if !headers.contains_key(SEC_FETCH_SITE) || is_navigation(request) {
        return Ok(());
    }
    match only(headers, &SEC_FETCH_SITE) {
        Some("same-origin" | "none") => Ok(()),
        Some(_) | None => Err(Stranger::Page),
    }
}

/// Someone followed a link here: the page it stood on gets to see nothing of the answer.
fn is_navigation<B>(request: &Request<B>) -> bool {
    request.method() == Method::GET
        && only(request.headers(), &SEC_FETCH_MODE) == Some("navigate")
        && only(request.headers(), &SEC_FETCH_DEST) == Some("document")
}

/// Whether the browser loaded the page from the very address it now calls, port included: a page of
/// another server on the same machine has the same name. Behind a forwarded port both headers carry
/// that port, so the comparison holds there as well.
fn is_own_page(origin: &str, host: &str) -> bool {
    let after_scheme = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    after_scheme.is_some_and(|place| place.eq_ignore_ascii_case(host))
}

/// The header's value, if it is there exactly once.
fn only<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

/// The secret that lets a client in. Only its digest is kept, so that neither a log nor a crash
/// can give it away.
#[derive(Clone)]
pub struct Token([u8; 32]);

impl Token {
    /// The token with this text.
    #[must_use]
    pub fn new(secret: &str) -> Self {
        Self(Sha256::digest(secret).into())
    }

    /// The token with this digest: an agent's key is kept the same way.
    pub(crate) const fn of_digest(digest: [u8; 32]) -> Self {
        Self(digest)
    }

    /// Whether both are the same.
    pub(crate) fn is_same(&self, other: &Self) -> bool {
        self.0.ct_eq(&other.0).into()
    }

    /// Whether the request carries it; takes the same time whatever token it carries.
    pub(crate) fn is_carried_by(&self, headers: &HeaderMap) -> bool {
        bearer_of(headers).is_some_and(|presented| self.is(presented))
    }

    /// Whether the query carries it.
    pub(crate) fn is_in_query(&self, query: &str) -> bool {
        token_in_query(query).is_some_and(|presented| self.is(&presented))
    }

    /// A mark that only holders of the token can make or check.
    pub(crate) fn seal(&self, text: &str) -> [u8; 32] {
        let mut mac = <Hmac<Sha256> as KeyInit>::new_from_slice(&self.0)
            .expect("a key of any length will do");
        mac.update(text.as_bytes());
        mac.finalize().into_bytes().into()
    }

    /// The same as hexadecimal digits.
    pub(crate) fn seal_hex(&self, text: &str) -> String {
        debate_wire::hex(&self.seal(text))
    }

    /// Whether this is its text; takes the same time whatever is presented.
    pub(crate) fn is(&self, presented: &str) -> bool {
        let Self(digest) = Self::new(presented);
        digest.ct_eq(&self.0).into()
    }
}

impl std::fmt::Debug for Token {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        f.write_str("Token(…)")
    }
}

/// Whether a request with this method only reads.
pub(crate) fn is_read(method: &Method) -> bool {
    matches!(*method, Method::GET | Method::HEAD)
}

/// The token in a query, if there is one.
pub(crate) fn token_in_query(query: &str) -> Option<String> {
    let presented = query.split('&').find_map(|pair| pair.strip_prefix("token="))?;
    Some(percent_decode_str(presented).decode_utf8_lossy().into_owned())
}

/// Whether a request presents a token, right or wrong: in its header, or in the part of its query
/// that is looked at.
pub(crate) fn presents_token(headers: &HeaderMap, query: Option<&str>) -> bool {
    headers.contains_key(AUTHORIZATION)
        || query.and_then(token_in_query).is_some_and(|token| !token.is_empty())
}

/// The secret that a request carries, if it carries one and no more.
pub(crate) fn bearer_of(headers: &HeaderMap) -> Option<&str> {
    only(headers, &AUTHORIZATION).and_then(bearer)
}

fn bearer(value: &str) -> Option<&str> {
    let (scheme, secret) = value.split_once(' ')?;
    scheme.eq_ignore_ascii_case("bearer").then(|| secret.trim())
}
