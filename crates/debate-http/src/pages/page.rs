//! Pages as responses: the visitor, the frame, and the Content-Security-Policy.

use std::convert::Infallible;
use std::sync::Arc;

use askama::Template;
use axum::extract::{FromRef, FromRequestParts};
use axum::http::header::{
    CONTENT_SECURITY_POLICY, CONTENT_TYPE, HOST, REFERRER_POLICY, SET_COOKIE,
};
use axum::http::request::Parts;
use axum::http::{HeaderMap, HeaderName, HeaderValue, StatusCode};
use axum::response::{IntoResponse, Redirect, Response};
use uuid::Uuid;

use super::assets;
use super::cookies::{CookieKind, is_encrypted};
use super::session::ActiveSession;
use crate::app_state::Settings;
use crate::paths::BasePath;
use crate::problem::Problem;
use crate::request_id;

/// Everything from here and nothing from elsewhere; no script or style in the page itself.
const POLICY: HeaderValue = HeaderValue::from_static(
    "default-src 'none'; script-src 'self'; style-src 'self'; img-src 'self'; \
     connect-src 'self'; base-uri 'none'; form-action 'self'; frame-ancestors 'none'",
);

/// A section of the site, marked in the navigation.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub(crate) enum Section {
    Home,
    Arena,
    Runner,
    Forum,
    Guide,
    /// Pages outside the navigation, such as the login page.
    None,
}

impl Section {
    /// The address of the section's list, and its label.
    const fn overview(self) -> (&'static str, &'static str) {
        match self {
            Self::Home | Self::Arena | Self::None => ("/arena", "All debates"),
            Self::Runner => ("/runs", "All runs"),
            Self::Forum => ("/forum", "Forum"),
            Self::Guide => ("/guide", "Guide"),
        }
    }
}

/// The frame of every page.
pub(crate) struct Frame {
    /// The title of the page.
    pub(crate) title: String,
    pub(crate) section: Section,
    /// The token that forms repeat.
    pub(crate) form_token: String,
    /// Whether there is a session to end.
    pub(crate) can_leave: bool,
    /// The server's version, shown in the footer.
    pub(crate) version: &'static str,
    pub(crate) style: &'static str,
    pub(crate) script: &'static str,
    pub(crate) icon: &'static str,
}

impl Frame {
    /// A frame around a page without a form.
    pub(crate) fn plain(title: &str) -> Self {
        Self {
            title: title.to_owned(),
            section: Section::None,
            form_token: String::new(),
            can_leave: false,
            version: env!("CARGO_PKG_VERSION"),
            style: assets::STYLE.address(),
            script: assets::SCRIPT.address(),
            icon: assets::ICON.address(),
        }
    }

    /// The way back from a page that shows nothing: its address and its name.
    pub(crate) const fn way_back(&self) -> (&'static str, &'static str) {
        self.section.overview()
    }

    pub(crate) fn is_home(&self) -> bool {
        self.section == Section::Home
    }

    pub(crate) fn is_arena(&self) -> bool {
        self.section == Section::Arena
    }

    pub(crate) fn is_runner(&self) -> bool {
        self.section == Section::Runner
    }

    pub(crate) fn is_forum(&self) -> bool {
        self.section == Section::Forum
    }

    pub(crate) fn is_guide(&self) -> bool {
        self.section == Section::Guide
    }
}

/// The visitor of a page.
pub(crate) struct Visitor {
    headers: HeaderMap,
    base_path: BasePath,
    form_token: String,
    is_new: bool,
    /// Whether there is a session to end.
    has_session: bool,
}

impl<S> FromRequestParts<S> for Visitor
where
    S: Send + Sync,
    Arc<Settings>: FromRef<S>,
{
    type Rejection = Infallible;

    async fn from_request_parts(parts: &mut Parts, state: &S) -> Result<Self, Infallible> {
        Ok(Self::of(parts, &Arc::<Settings>::from_ref(state)))
    }
}

impl Visitor {
    pub(crate) fn of(parts: &Parts, settings: &Settings) -> Self {
        let headers = &parts.headers;
        let known = CookieKind::Form.values(headers).find(|value| is_form_token(value));
        let is_new = known.is_none();
        let form_token = known.map_or_else(|| Uuid::new_v4().simple().to_string(), str::to_owned);
        let has_session = parts.extensions.get::<ActiveSession>().is_some();
        let base_path = settings.base_path.clone();
        Self { headers: headers.clone(), base_path, form_token, is_new, has_session }
    }

    /// The path before every address of the server; empty without a base path.
    pub(crate) fn base_path(&self) -> &str {
        self.base_path.as_str()
    }

    pub(crate) fn form_token(&self) -> &str {
        &self.form_token
    }

    /// The server's address, as the visitor sees it.
    pub(crate) fn server(&self) -> String {
        let host = self.headers.get(HOST).and_then(|host| host.to_str().ok()).unwrap_or_default();
        let scheme = if is_encrypted(&self.headers) { "https" } else { "http" };
        format!("{scheme}://{host}{}", self.base_path.as_str())
    }

    pub(crate) fn frame(&self, section: Section, title: impl Into<String>) -> Frame {
        Frame {
            title: title.into(),
            section,
            form_token: self.form_token.clone(),
            can_leave: self.has_session,
            ..Frame::plain("")
        }
    }

    /// The page, for this visitor.
    pub(crate) fn page(&self, page: &impl Template) -> Response {
        self.page_with(StatusCode::OK, page)
    }

    /// The page with what went wrong on it.
    pub(crate) fn page_with(&self, status: StatusCode, page: &impl Template) -> Response {
        let mut response = (status, html(page, &self.base_path)).into_response();
        if self.is_new {
            let cookie = self.set_cookie(CookieKind::Form, &self.form_token, None);
            response.headers_mut().append(SET_COOKIE, cookie);
        }
        response
    }

    /// Sends the visitor on, and gives or takes a cookie on the way.
    pub(crate) fn send_on(
        &self,
        to: &str,
        cookie: CookieKind,
        value: &str,
        seconds: i64,
    ) -> Response {
        let cookie = self.set_cookie(cookie, value, Some(seconds));
        ([(SET_COOKIE, cookie)], Redirect::to(to)).into_response()
    }

    fn set_cookie(&self, cookie: CookieKind, value: &str, seconds: Option<i64>) -> HeaderValue {
        cookie.set(&self.headers, self.base_path.cookie_path(), value, seconds)
    }
}

/// 32 hexadecimal digits: what we made ourselves, or at least can't be told from it.
fn is_form_token(value: &str) -> bool {
    value.len() == 32 && value.bytes().all(|byte| byte.is_ascii_hexdigit())
}

/// A template as a page.
pub(crate) fn html(page: &impl Template, base_path: &BasePath) -> Response {
    match render(page, base_path) {
        Some(text) => (page_headers(), text).into_response(),
        None => Problem::internal().into_response(),
    }
}

/// A template as HTML; none if rendering fails, which is logged.
pub(super) fn render(page: &impl Template, base_path: &BasePath) -> Option<String> {
    let rendered = page.render_with_values(base_path);
    rendered
        .inspect_err(|err| {
            let request = request_id::current();
            tracing::error!(request.id = request, error = %err, "page rendering failed");
        })
        .ok()
}

pub(super) fn page_headers() -> [(HeaderName, HeaderValue); 3] {
    [
        (CONTENT_TYPE, HeaderValue::from_static("text/html; charset=utf-8")),
        (CONTENT_SECURITY_POLICY, POLICY),
        // Without it a browser would not say that our own forms are our own.
        (REFERRER_POLICY, HeaderValue::from_static("same-origin")),
    ]
}
