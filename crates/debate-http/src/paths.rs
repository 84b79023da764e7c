//! Paths of requests and responses: the base path, under which a proxy may publish the server, and
//! slashes at the end.

use std::sync::Arc;

use axum::http::header::{LINK, LOCATION};
use axum::http::uri::PathAndQuery;
use axum::http::{HeaderMap, HeaderValue, Request, Uri};

use crate::router::{SEGMENTS, is_page};

/// The path under which a proxy shows the server, such as `/tools/debates`; empty without one.
///
/// The server accepts requests with and without it, because proxies may pass it on or remove it.
/// All paths in responses begin with it: links, forms, redirects, paths of cookies.
#[derive(Debug, Clone, Default)]
pub struct BasePath(Arc<str>);

/// The text is not a valid base path.
#[derive(Debug, thiserror::Error)]
#[error(
    "a path such as /debating, made of letters, digits and -._~, that does not start with one of \
     the server's own paths"
)]
pub struct NotABasePath;

impl BasePath {
    /// A slash at the end is ignored; a slash alone and an empty text mean no base path.
    pub fn parse(text: &str) -> Result<Self, NotABasePath> {
        let text = text.trim_end_matches('/');
        let mut parts = text.split('/');
        if parts.next() != Some("") {
            return Err(NotABasePath);
        }
        let parts: Vec<_> = parts.collect();
        let is_part = |part: &&str| {
            let is_plain = |byte: u8| byte.is_ascii_alphanumeric() || b"-._~".contains(&byte);
            !matches!(*part, "" | "." | "..") && part.bytes().all(is_plain)
        };
        let is_own = parts.first().is_some_and(|first| SEGMENTS.contains(first));
        if is_own || !parts.iter().all(is_part) {
            return Err(NotABasePath);
        }
        Ok(Self(text.into()))
    }

    /// The path, without a slash at its end.
    #[must_use]
    pub fn as_str(&self) -> &str {
        &self.0
    }

    /// The path for which a browser keeps cookies.
    pub(crate) fn cookie_path(&self) -> &str {
        if self.0.is_empty() { "/" } else { &self.0 }
    }

    /// Removes the base path from a request, and slashes from the end of an API path, so that
    /// clients that add one are served. A page's address keeps them: the browser is redirected to
    /// the address without slashes at its end.
    pub(crate) fn normalize<B>(&self, request: &mut Request<B>) {
        let path = request.uri().path();
        let inner = self.strip(path);
        let trimmed = inner.trim_end_matches('/');
        let routed = if trimmed.is_empty() || is_page(inner) { inner } else { trimmed };
        if routed.len() != path.len()
            && let Some(uri) = with_path(request.uri(), routed)
        {
            *request.uri_mut() = uri;
        }
    }

    fn strip<'p>(&self, path: &'p str) -> &'p str {
        match path.strip_prefix(&*self.0) {
            Some("") => "/",
            Some(rest) if rest.starts_with('/') => rest,
            Some(_) | None => path,
        }
    }

    /// Puts the base path before the server's own paths in a response's headers.
    pub(crate) fn prefix_headers(&self, headers: &mut HeaderMap) {
        if self.0.is_empty() {
            return;
        }
        for (name, opening) in [(LOCATION, ""), (LINK, "<")] {
            let value = headers.get(&name).and_then(|value| value.to_str().ok());
            let path = value.and_then(|value| value.strip_prefix(opening));
            if let Some(path) = path.filter(|path| path.starts_with('/'))
                && let Ok(value) = HeaderValue::try_from(format!("{opening}{}{path}", self.0))
            {
                headers.insert(name, value);
            }
        }
    }
}

/// The same address with another path.
fn with_path(uri: &Uri, path: &str) -> Option<Uri> {
    let path_and_query = match uri.query() {
        Some(query) => PathAndQuery::try_from(format!("{path}?{query}")),
        None => PathAndQuery::try_from(path),
    };
    let mut parts = uri.clone().into_parts();
    parts.path_and_query = Some(path_and_query.ok()?);
    Uri::from_parts(parts).ok()
}

#[cfg(test)]
mod tests {
    use axum::http::header::{LINK, LOCATION};
    use axum::http::{HeaderMap, HeaderValue, Request};

    use super::BasePath;

    fn normalized(base: &str, uri: &str) -> String {
        let mut request = Request::get(uri).body(()).expect("the address is one");
        BasePath::parse(base).expect("it is a base path").normalize(&mut request);
        request.uri().to_string()
    }

    #[test]
    fn api_path_loses_slashes_at_its_end_and_keeps_its_query() {
        for (sent, routed) in [
            ("/debates/", "/debates"),
            ("/debates/x/arguments///", "/debates/x/arguments"),
            ("/ws/?debate_id=x", "/ws?debate_id=x"),
            ("http://localhost:1/health/?a=/", "http://localhost:1/health?a=/"),
            ("/debates?q=/", "/debates?q=/"),
        ] {
            assert_eq!(normalized("", sent), routed);
            assert_eq!(normalized("/base", sent), routed);
        }
    }

    #[test]
    fn paths_of_pages_and_paths_of_slashes_are_unchanged() {
        for kept in ["/", "//", "///", "/arena/", "/arena/x/", "/forum/?x=1", "/debate/"] {
            assert_eq!(normalized("/", kept), kept);
        }
    }

    #[test]
    fn base_path_is_removed_only_as_whole_segments() {
        for (sent, routed) in [
            ("/a/b", "/"),
            ("/a/b/", "/"),
            ("/a/b?x=1", "/?x=1"),
            ("/a/b/arena/", "/arena/"),
            ("/a/b/debates/", "/debates"),
            ("/a/b/a/b", "/a/b"),
            ("/a/bc/arena", "/a/bc/arena"),
            ("/a", "/a"),
            ("/arena", "/arena"),
        ] {
            assert_eq!(normalized("/a/b/", sent), routed, "{sent}");
        }
    }

    #[test]
    fn base_path_prefixes_local_paths_in_headers_only() {
        let base = BasePath::parse("/a").expect("it is a base path");
        for (name, value, prefixed) in [
            (LOCATION, "/arena?x=1#y", "/a/arena?x=1#y"),
            (LOCATION, "https://example.org/", "https://example.org/"),
            (LINK, "</debates?cursor=x>; rel=\"next\"", "</a/debates?cursor=x>; rel=\"next\""),
        ] {
            let mut headers =
                HeaderMap::from_iter([(name.clone(), HeaderValue::from_static(value))]);
            base.prefix_headers(&mut headers);
            assert_eq!(headers.get(&name).map(HeaderValue::as_bytes), Some(prefixed.as_bytes()));
        }
    }

    #[test]
    fn invalid_and_reserved_base_paths_are_refused() {
        for good in ["", "/", "/a", "/a/", "/A-b._~1/c", "/debates-of-ours", "/.well-known"] {
            assert!(BasePath::parse(good).is_ok(), "{good}");
        }
        for bad in ["a", "a/b", "//a", "/a//b", "/a/../b", "/.", "/a b", "/a%20", "/ä", "/a?b"] {
            assert!(BasePath::parse(bad).is_err(), "{bad}");
        }
        for own in super::SEGMENTS {
            assert!(BasePath::parse(&format!("/{own}")).is_err(), "{own}");
            assert!(BasePath::parse(&format!("/{own}/x")).is_err(), "{own}");
        }
    }
}
