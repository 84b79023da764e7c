//! The browser that requests a page, its query parameters, and outcomes of pages as responses.

use std::convert::Infallible;
use std::sync::Arc;

use axum::extract::{FromRef, FromRequestParts};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY, SET_COOKIE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{AppendHeaders, IntoResponse, Redirect, Response};
use debate_core::Seq;
use debate_core::arena::{ArbitratorRights, Credentials};
use debate_pages::{ArbitratorAccess, PageOutcome, PageRequest};
use uuid::Uuid;

use super::session::{ActiveSession, CookieKind, is_encrypted};
use crate::app_state::Settings;
use crate::error;
use crate::paths::BasePath;

/// A page loads everything from this server, and contains no script and no style.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// The browser that requests a page.
pub(crate) struct Browser {
    /// The part that page functions receive.
    pub(crate) request: PageRequest,
    headers: HeaderMap,
    base_path: BasePath,
    /// Whether the form token is new, so that the response sets its cookie.
    has_new_token: bool,
}

impl<S> FromRequestParts<S> for Browser
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        Ok(Self::new(parts, &Arc::<Settings>::from_ref(state)))
    }
}

impl Browser {
    pub(crate) fn new(parts: &Parts, settings: &Settings) -> Self {
        let headers = &parts.headers;
        let base_path = settings.base_path.clone();
        let known = CookieKind::Form.values(headers).find(|value| is_form_token(value));
        let session = parts.extensions.get::<ActiveSession>();
        let new_token = || Uuid::new_v4().simple().to_string();
        let request = PageRequest {
            base_path: base_path.as_str().to_owned(),
            form_token: known.map_or_else(new_token, str::to_owned),
            can_sign_out: session.is_some(),
            arbitrator: match (&settings.arbitrator, session) {
                (None, _) => ArbitratorAccess::NotConfigured,
                (Some(_), Some(session)) if session.is_arbitrator => ArbitratorAccess::SignedIn,
                (Some(_), _) => ArbitratorAccess::SignedOut,
            },
            server: server_url(headers, &base_path),
        };
        Self { request, headers: headers.clone(), base_path, has_new_token: known.is_none() }
    }

    /// The response to an outcome. This table is the only one from outcomes to status codes.
    pub(crate) fn respond(&self, outcome: PageOutcome) -> Response {
        let (status, html) = match outcome {
            PageOutcome::Shown(html) => (StatusCode::OK, html),
            PageOutcome::Invalid(html) => (StatusCode::BAD_REQUEST, html),
            PageOutcome::Refused(html, code) => (error::status(code), html),
            PageOutcome::MovedTo(path) => return Redirect::to(&path).into_response(),
        };
        let mut response = (status, page_headers(), html).into_response();
        if self.has_new_token {
            let cookie = self.set_cookie(CookieKind::Form, &self.request.form_token, None);
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response
    }

    /// The credentials of a form: arbitrator rights, if the browser has a session with them.
    pub(crate) fn credentials(&self) -> Credentials {
        let arbitrator = match self.request.arbitrator {
            ArbitratorAccess::SignedIn => ArbitratorRights::Session,
            ArbitratorAccess::NotConfigured | ArbitratorAccess::SignedOut => {
                ArbitratorRights::Missing
            }
        };
        Credentials { arbitrator, ..Credentials::default() }
    }

    /// Redirects to a path, and sets or removes a cookie.
    pub(crate) fn redirect_with_cookie(
        &self,
        path: &str,
        cookie: CookieKind,
        value: &str,
        seconds: i64,
    ) -> Response {
        let cookie = self.set_cookie(cookie, value, Some(seconds));
        ([(SET_COOKIE, cookie)], Redirect::to(path)).into_response()
    }

    /// Redirects to a path, and removes cookies.
    pub(crate) fn redirect_without_cookies(&self, path: &str, cookies: &[CookieKind]) -> Response {
        let removed =
            cookies.iter().map(|cookie| (SET_COOKIE, self.set_cookie(*cookie, "", Some(0))));
        (AppendHeaders(removed.collect::<Vec<_>>()), Redirect::to(path)).into_response()
    }

    fn set_cookie(&self, cookie: CookieKind, value: &str, seconds: Option<i64>) -> HeaderValue {
        cookie.set(&self.headers, self.base_path.cookie_path(), value, seconds)
    }
}

fn server_url(headers: &HeaderMap, base_path: &BasePath) -> String {
    let host = headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
    let scheme = if is_encrypted(headers) { "https" } else { "http" };
    format!("{scheme}://{host}{}", base_path.as_str())
}

/// Whether the value has the form of the server's own tokens: 32 hexadecimal digits.
fn is_form_token(value: &str) -> bool {
    value.len() == 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

pub(crate) fn page_headers() -> [(HeaderName, HeaderValue); 3] {
    [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, POLICY),
        // Without this header a browser does not name the origin of the server's own forms.
        (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ]
}

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
