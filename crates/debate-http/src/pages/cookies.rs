//! The cookies of the pages.

use axum::http::header::{COOKIE, HOST, ORIGIN};
use axum::http::{HeaderMap, HeaderName, HeaderValue};

const FORWARDED_PROTO: HeaderName = HeaderName::from_static("x-forwarded-proto");

/// A cookie of the pages.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum CookieKind {
    /// The session of the server.
    Session,
    /// The identity in the forum.
    ForumIdentity,
    /// The token that forms repeat.
    Form,
}

impl CookieKind {
    /// The name for this request. It contains the port, because cookies do not depend on ports: two
    /// servers on one machine must not overwrite each other's cookies.
    fn name(self, headers: &HeaderMap) -> String {
        let base = match self {
            Self::Session => "aw_session",
            Self::ForumIdentity => "aw_seat",
            Self::Form => "aw_form",
        };
        let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let port = host.rsplit_once(':').map(|(_, port)| port);
        let port = port.filter(|port| port.bytes().all(|byte| byte.is_ascii_digit()));
        match port {
            Some(port) => format!("{base}_{port}"),
            None => base.to_owned(),
        }
    }

    /// All values of the cookie. There can be several, because another server on this machine may
    /// have set one for its path. The server checks the signature of each.
    pub(crate) fn values(self, headers: &HeaderMap) -> impl Iterator<Item = &str> {
        let name = self.name(headers);
        let pairs = headers.get_all(COOKIE).iter().filter_map(|value| value.to_str().ok());
        pairs.flat_map(|value| value.split(';')).filter_map(move |pair| {
            let (key, value) = pair.trim().split_once('=')?;
            (key == name).then_some(value)
        })
    }

    /// The first value under this name or, without one, the first session cookie.
    pub(crate) fn find_with_fallback(self, headers: &HeaderMap) -> Option<&str> {
        self.values(headers).next().or_else(|| Self::Session.values(headers).next())
    }

    /// The header that sets the cookie for a path, for `seconds` or until the browser is closed.
    pub(crate) fn set(
        self,
        headers: &HeaderMap,
        path: &str,
        value: &str,
        seconds: Option<i64>,
    ) -> HeaderValue {
        let name = self.name(headers);
        let age = seconds.map(|seconds| format!("; Max-Age={seconds}")).unwrap_or_default();
        let secure = if is_encrypted(headers) { "; Secure" } else { "" };
        let text = format!("{name}={value}; Path={path}; HttpOnly; SameSite=Strict{age}{secure}");
        HeaderValue::try_from(text).expect("our own cookies and paths are printable")
    }
}

/// Whether the browser uses https, by its `Origin` header or by the proxy's header. A client that
/// sends a false header affects only its own cookie.
pub(super) fn is_encrypted(headers: &HeaderMap) -> bool {
    let by_page = headers.get(ORIGIN).is_some_and(|page| page.as_bytes().starts_with(b"https://"));
    by_page || headers.get(FORWARDED_PROTO).is_some_and(|scheme| scheme == "https")
}
