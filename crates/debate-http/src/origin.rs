//! The checks of `Host`, `Origin` and `Sec-Fetch-Site`, and the answer to a preflight request
//! (CORS).
//!
//! A server on localhost is reachable from every web page that its user visits. After a DNS rebind
//! only the `Host` header reveals such a page, so it is checked on every route, with and without a
//! token.

use std::net::{IpAddr, Ipv6Addr};

use axum::http::header::{
    ACCESS_CONTROL_ALLOW_HEADERS, ACCESS_CONTROL_ALLOW_METHODS, ACCESS_CONTROL_REQUEST_METHOD,
    HOST, ORIGIN,
};
use axum::http::{HeaderMap, HeaderName, HeaderValue, Method, Request, StatusCode};
use axum::response::{IntoResponse, Response};

const SEC_FETCH_SITE: HeaderName = HeaderName::from_static("sec-fetch-site");
const SEC_FETCH_MODE: HeaderName = HeaderName::from_static("sec-fetch-mode");
const SEC_FETCH_DEST: HeaderName = HeaderName::from_static("sec-fetch-dest");

/// The values of the `Host` header that the server accepts.
#[derive(Debug, Clone)]
pub struct AllowedHosts(Vec<AllowedHost>);

/// A host name, and the only port that it is accepted with; without one, every port is accepted.
#[derive(Debug, Clone)]
struct AllowedHost {
    name: String,
    port: Option<u16>,
}

impl AllowedHosts {
    /// The loopback names and the address that the server listens on, each with any port, and the
    /// operator's list. After a rebind the name differs, never the port; and behind a forwarded
    /// port (`ssh -L 8080:localhost:3456`) the browser's port is not the server's.
    #[must_use]
    pub fn new(address: IpAddr, listed: &[String]) -> Self {
        let own = ["127.0.0.1".to_owned(), "[::1]".to_owned(), "localhost".to_owned()]
            .into_iter()
            .chain((!address.is_unspecified()).then(|| to_host(address)))
            .map(|name| AllowedHost { name, port: None });
        let listed = listed.iter().map(|entry| match (entry.parse::<Ipv6Addr>(), split(entry)) {
            (Ok(address), _) => AllowedHost { name: to_host(address.into()), port: None },
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

/// The address as it is written in a URL: an IPv6 address in brackets.
fn to_host(address: IpAddr) -> String {
    match address {
        IpAddr::V4(v4) => v4.to_string(),
        IpAddr::V6(v6) => format!("[{v6}]"),
    }
}

/// The name and the port of a `Host` header; none if the port is not a number.
fn split(host: &str) -> Option<(&str, Option<u16>)> {
    match host.rsplit_once(':') {
        Some((name, port)) if !port.contains(']') => {
            let is_number = port.bytes().all(|byte| byte.is_ascii_digit());
            is_number.then(|| port.parse().ok()).flatten().map(|port| (name, Some(port)))
        }
        Some(_) | None => Some((host, None)),
    }
}

/// The origins of other web pages that may call the server, such as
/// `https://debates.example.org`.
#[derive(Debug, Clone, Default)]
pub struct AllowedOrigins(Vec<String>);

impl AllowedOrigins {
    /// Accepts the origins of the operator's list.
    #[must_use]
    pub const fn new(listed: Vec<String>) -> Self {
        Self(listed)
    }

    /// Whether the origin is on the list.
    pub(crate) fn allows(&self, origin: &HeaderValue) -> bool {
        let origin = origin.as_bytes();
        self.0.iter().any(|allowed| allowed.as_bytes().eq_ignore_ascii_case(origin))
    }
}

/// The reason why [`check_origin`] refuses a request.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum OriginRefusal {
    /// The `Host` header is absent, empty or repeated.
    NoHost,
    /// The `Host` header names another host.
    UnknownHost,
    /// The request comes from a web page of another origin.
    ForeignPage,
}

/// Checks that the request is meant for this server and does not come from a foreign web page.
pub(crate) fn check_origin<B>(
    request: &Request<B>,
    hosts: &AllowedHosts,
    origins: &AllowedOrigins,
) -> Result<(), OriginRefusal> {
    let headers = request.headers();
    let host = single_header(headers, &HOST).filter(|host| !host.is_empty());
    let host = host.ok_or(OriginRefusal::NoHost)?;
    let target = request.uri().authority().map_or(host, |authority| authority.as_str());
    if !hosts.allows(host) || !target.eq_ignore_ascii_case(host) {
        return Err(OriginRefusal::UnknownHost);
    }
    if let Some(listed) = headers.get(ORIGIN).map(|origin| origins.allows(origin)) {
        let origin = single_header(headers, &ORIGIN).ok_or(OriginRefusal::ForeignPage)?;
        let allowed = listed || is_same_origin(origin, host);
        return if allowed { Ok(()) } else { Err(OriginRefusal::ForeignPage) };
    }
    if !headers.contains_key(SEC_FETCH_SITE) || is_navigation(request) {
        return Ok(());
    }
    match single_header(headers, &SEC_FETCH_SITE) {
        Some("same-origin" | "none") => Ok(()),
        Some(_) | None => Err(OriginRefusal::ForeignPage),
    }
}

/// Whether the user followed a link. The linking page cannot read the response.
fn is_navigation<B>(request: &Request<B>) -> bool {
    request.method() == Method::GET
        && single_header(request.headers(), &SEC_FETCH_MODE) == Some("navigate")
        && single_header(request.headers(), &SEC_FETCH_DEST) == Some("document")
}

/// Whether the browser loaded the page from the address that it now calls. Ports are compared: a
/// page of another server on the same machine has the same name. Behind a forwarded port both
/// headers have that port.
fn is_same_origin(origin: &str, host: &str) -> bool {
    let after_scheme = origin.strip_prefix("http://").or_else(|| origin.strip_prefix("https://"));
    after_scheme.is_some_and(|origin_host| origin_host.eq_ignore_ascii_case(host))
}

/// The header's value, if the header is present exactly once.
pub(crate) fn single_header<'h>(headers: &'h HeaderMap, name: &HeaderName) -> Option<&'h str> {
    let mut values = headers.get_all(name).iter();
    let first = values.next()?;
    if values.next().is_some() {
        return None;
    }
    first.to_str().ok()
}

/// The request headers that a page of an allowed origin may send.
const SENDABLE_HEADERS: &str = "authorization, content-type, debate-arbitrator, debate-invite, \
     debate-seat, idempotency-key, last-event-id, x-correlation-id, x-request-id, x-ui-language";

/// The response to a preflight request from an allowed origin; none for other requests.
pub(crate) fn preflight_response<B>(
    request: &Request<B>,
    origins: &AllowedOrigins,
) -> Option<Response> {
    let is_preflight = request.method() == Method::OPTIONS
        && request.headers().contains_key(ACCESS_CONTROL_REQUEST_METHOD)
        && request.headers().get(ORIGIN).is_some_and(|origin| origins.allows(origin));
    let headers = [
        (ACCESS_CONTROL_ALLOW_METHODS, "GET, POST, PUT, PATCH, DELETE"),
        (ACCESS_CONTROL_ALLOW_HEADERS, SENDABLE_HEADERS),
    ];
    is_preflight.then(|| (StatusCode::NO_CONTENT, headers).into_response())
}
