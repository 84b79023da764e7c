//! Query parameters of pages.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;

/// Names and values, as a browser sends them. An address can be typed by hand, so what is not known
/// is passed over.
pub(crate) struct QueryParams(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for QueryParams {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(serde_urlencoded::from_str(query).unwrap_or_default()))
    }
}

impl QueryParams {
    /// The value of this name, unless it is blank.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let found = self.0.iter().find(|(asked, value)| asked == name && !value.trim().is_empty());
        found.map(|(_, value)| value.clone())
    }
}
