//! Login with the server's token, which starts a session.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::Sessions;
use debate_pages::sign_in::sign_in;
use jiff::Timestamp;

use super::browser::{Browser, QueryParams};
use super::form::Form;
use super::session;
use super::session::CookieKind;
use crate::access::WrongTokens;
use crate::app_state::Settings;
use crate::client::ClientNetwork;
use crate::error::ErrorResponse;

pub(crate) async fn login(
    State(settings): State<Arc<Settings>>,
    browser: Browser,
    query: QueryParams,
) -> Response {
    let next = local_path(query.text("next").unwrap_or_default());
    match &settings.token {
        None => Redirect::to(&next).into_response(),
        Some(_) => browser.respond(sign_in(&browser.request, next, false)),
    }
}

pub(crate) async fn enter(
    State(settings): State<Arc<Settings>>,
    State(wrong_tokens): State<Arc<WrongTokens>>,
    ClientNetwork(network): ClientNetwork,
    form: Form,
) -> Result<Response, ErrorResponse> {
    let next = local_path(form.text("next"));
    let Some(token) = &settings.token else { return Ok(Redirect::to(&next).into_response()) };
    if token.is(form.text("token").trim()) {
        let session = session::issue(token, session::SESSION, Timestamp::now());
        let (cookie, seconds) = (CookieKind::Session, session::LIFETIME_SECONDS);
        return Ok(form.browser.redirect_with_cookie(&next, cookie, &session, seconds));
    }
    wrong_tokens.count(network).await?;
    Ok(form.browser.respond(sign_in(&form.browser.request, next, true)))
}

/// The session is revoked first: while that fails the browser keeps its cookie, so
/// that the person can log out again.
pub(crate) async fn leave(
    State(settings): State<Arc<Settings>>,
    State(sessions): State<Sessions>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, ErrorResponse> {
    if let Some(token) = &settings.token {
        let signed = session::find_signed(&headers, token, Timestamp::now());
        session::revoke(&sessions, &signed).await?;
    }
    Ok(form.browser.redirect_with_cookie("/login", CookieKind::Session, "", 0))
}

/// The path if it leads to this server, else the path of the home page, so that a link to the login
/// page cannot lead to another site. Paths of login and logout are replaced too, because they would
/// redirect forever.
pub(super) fn local_path(path: String) -> String {
    let before_query = path.split(['?', '#']).next().unwrap_or_default();
    let is_plain = path.bytes().all(|byte| byte.is_ascii_graphic() && byte != b'\\');
    let is_local = path.starts_with('/') && !path.starts_with("//");
    let is_login = before_query.ends_with("/login") || before_query.ends_with("/logout");
    if is_plain && is_local && !is_login { path } else { "/".to_owned() }
}

#[cfg(test)]
mod tests {
    use super::local_path;

    #[test]
    fn login_leads_to_pages_of_this_server_only() {
        for inside in
            ["/", "/arena", "/arena/x?at=3", "/docs", "/?q=%C3%A4", "/forum/flagged", "/debates"]
        {
            assert_eq!(local_path(inside.to_owned()), inside);
        }
        for outside in [
            "",
            "//evil.test",
            "/\\evil.test",
            "https://evil.test",
            "/arena\r\nx",
            "/login",
            "/forum/logout?x",
            "x",
        ] {
            assert_eq!(local_path(outside.to_owned()), "/", "{outside}");
        }
    }
}
