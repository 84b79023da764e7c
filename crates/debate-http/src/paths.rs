//! The path of a request before it is routed.

use axum::http::uri::PathAndQuery;
use axum::http::{Request, Uri};

use crate::web::is_page;

/// Removes slashes from the end of an API path, so that clients that add one are served. A page's
/// address keeps them: the browser is redirected to the address without.
pub(crate) fn normalize<B>(request: &mut Request<B>) {
    let path = request.uri().path();
    if !path.ends_with('/') || is_page(path) {
        return;
    }
    let trimmed = path.trim_end_matches('/').to_owned();
    if !trimmed.is_empty()
        && let Some(uri) = with_path(request.uri(), &trimmed)
    {
        *request.uri_mut() = uri;
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
    use axum::http::Request;

    use super::normalize;

    fn normalized(uri: &str) -> String {
        let mut request = Request::get(uri).body(()).expect("the address is one");
        normalize(&mut request);
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
            assert_eq!(normalized(sent), routed);
        }
    }

    #[test]
    fn path_of_a_page_and_path_of_slashes_are_left_alone() {
        for kept in ["/", "//", "///", "/arena/", "/arena/x/", "/forum/?x=1", "/debate/"] {
            assert_eq!(normalized(kept), kept);
        }
    }
}
