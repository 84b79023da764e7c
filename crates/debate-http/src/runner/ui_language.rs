//! The language of a client's user interface, from the header `X-UI-Language`.

use std::convert::Infallible;

use axum::extract::FromRequestParts;
use axum::http::HeaderName;
use axum::http::request::Parts;
use debate_core::runner::Language;

const X_UI_LANGUAGE: HeaderName = HeaderName::from_static("x-ui-language");

/// The language, if the header is there once and holds a language tag. Anything else is ignored.
pub(crate) struct UiLanguage(pub(crate) Option<Language>);

impl<S: Sync> FromRequestParts<S> for UiLanguage {
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, _: &S) -> Result<Self, Infallible> {
        let mut values = parts.headers.get_all(X_UI_LANGUAGE).iter();
        let only = values.next().filter(|_| values.next().is_none());
        let tag = only.and_then(|value| value.to_str().ok()).map(|text| text.trim().to_owned());
        Ok(Self(tag.and_then(|tag| Language::new(tag).ok())))
    }
}
