//! A submitted form. A form that does not come from a page of this server is refused.

use std::sync::Arc;

use axum::extract::{FromRef, FromRequest, Request};
use axum::http::HeaderMap;
use axum::http::header::CONTENT_TYPE;
use debate_pages::new_request_key;
use subtle::ConstantTimeEq;

use super::browser::Browser;
use super::session::CookieKind;
use crate::app_state::Settings;
use crate::error::{ErrorResponse, Invalid};
use crate::extract::read_body;

/// The field in which a form repeats the token of the browser's cookie.
const TOKEN_FIELD: &str = "form_token";

/// A submitted form and its browser.
pub(crate) struct Form {
    pub(crate) browser: Browser,
    fields: Vec<(String, String)>,
}

impl<S> FromRequest<S> for Form
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
{
    type Rejection = ErrorResponse;

    async fn from_request(request: Request, state: &S) -> Result<Self, ErrorResponse> {
        let settings = Arc::<Settings>::from_ref(state);
        let (parts, body) = request.into_parts();
        let bytes = read_body(&parts.headers, body, &settings).await?;
        if !is_form(&parts.headers) {
            return Err(ErrorResponse::not_a_form());
        }
        let fields = serde_urlencoded::from_bytes(&bytes)
            .map_err(|err| Invalid { field: "body".to_owned(), message: err.to_string() })?;
        let form = Self { browser: Browser::new(&parts, &settings), fields };
        if form.has_token(&parts.headers) { Ok(form) } else { Err(ErrorResponse::foreign_form()) }
    }
}

impl Form {
    /// Whether the form repeats the token of the cookie. Another site can make a browser send a
    /// form, but can read neither the cookie nor a page of this server.
    fn has_token(&self, headers: &HeaderMap) -> bool {
        let presented = self.text(TOKEN_FIELD);
        CookieKind::Form
            .values(headers)
            .any(|token| !token.is_empty() && token.as_bytes().ct_eq(presented.as_bytes()).into())
    }

    /// The text of a field, empty if absent. Browsers send CRLF line ends.
    pub(crate) fn text(&self, name: &str) -> String {
        let found = self.fields.iter().find(|(field, _)| field == name);
        found.map(|(_, value)| value.replace("\r\n", "\n")).unwrap_or_default()
    }

    pub(crate) fn step(&self) -> FormStep {
        match self.text("step").as_str() {
            "do" => FormStep::Submit,
            "edit" => FormStep::Edit,
            _ => FormStep::Preview,
        }
    }

    /// The idempotency key of the form: from the page, or new.
    pub(crate) fn request_key(&self) -> String {
        let key = self.text("client_request_id");
        if key.is_empty() { new_request_key() } else { key }
    }
}

/// The step of a form with a preview.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum FormStep {
    Preview,
    Edit,
    Submit,
}

fn is_form(headers: &HeaderMap) -> bool {
    let kind = headers.get(CONTENT_TYPE).and_then(|value| value.to_str().ok()).unwrap_or_default();
    let essence = kind.split(';').next().unwrap_or_default().trim();
    essence.eq_ignore_ascii_case("application/x-www-form-urlencoded")
}
