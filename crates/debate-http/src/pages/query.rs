//! Query parameters of pages.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::request::Parts;
use debate_core::Seq;

/// Names and values. Pages ignore unknown parameters, because people edit addresses by hand.
pub(crate) struct QueryParams(Vec<(String, String)>);

impl<S: Send + Sync> FromRequestParts<S> for QueryParams {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let query = parts.uri.query().unwrap_or_default();
        Ok(Self(serde_urlencoded::from_str(query).unwrap_or_default()))
    }
}

impl QueryParams {
    /// The value of a parameter, unless it is blank.
    pub(crate) fn text(&self, name: &str) -> Option<String> {
        let found = self.0.iter().find(|(param, value)| param == name && !value.trim().is_empty());
        found.map(|(_, value)| value.clone())
    }

    /// The position after which a page requests new items: the parameter `after`.
    pub(crate) fn after(&self) -> Option<Seq> {
        self.text("after").and_then(|text| text.parse().ok()).map(Seq::new)
    }
}
