//! Login with the server's token, the arbitrator token or a one-time code. Each starts a session.

use std::sync::Arc;

use axum::extract::State;
use axum::http::HeaderMap;
use axum::response::{IntoResponse, Redirect, Response};
use debate_app::{Sessions, StoreError};
use debate_pages::sign_in::{LoginRefusal, confirm_code, sign_in};
use jiff::Timestamp;

use super::browser::{Browser, QueryParams};
use super::form::Form;
use super::session::{self, CookieKind, SignedSessions};
use crate::access::WrongTokens;
use crate::app_state::Settings;
use crate::client::ClientNetwork;
use crate::error::ErrorResponse;
use crate::login_codes::digest_login_code;

/// The number of hexadecimal digits of a one-time code: 128 bits.
const CODE_DIGITS: usize = 32;

/// The form for a secret. The link with a one-time code shows a button that sends the code, so that
/// a program that only loads the link does not use the code up.
pub(crate) async fn login(
    State(settings): State<Arc<Settings>>,
    browser: Browser,
    query: QueryParams,
) -> Response {
    let next = local_path(query.text("next").unwrap_or_default());
    if settings.token.is_none() && settings.arbitrator.is_none() {
        return Redirect::to(&next).into_response();
    }
    let code = query.text("code").filter(|_| settings.arbitrator.is_some());
    browser.respond(match code {
        Some(code) => confirm_code(&browser.request, next, code),
        None => sign_in(&browser.request, next, settings.token.is_some(), None),
    })
}

pub(crate) async fn enter(
    State(settings): State<Arc<Settings>>,
    State(sessions): State<Sessions>,
    State(wrong_tokens): State<Arc<WrongTokens>>,
    ClientNetwork(network): ClientNetwork,
    form: Form,
) -> Result<Response, ErrorResponse> {
    let next = local_path(form.text("next"));
    let refusal = match check_secret(&settings, &sessions, &form).await? {
        LoginOutcome::Accepted { cookie, value } => {
            let seconds = session::LIFETIME_SECONDS;
            return Ok(form.browser.redirect_with_cookie(&next, cookie, &value, seconds));
        }
        LoginOutcome::NotNeeded => return Ok(Redirect::to(&next).into_response()),
        LoginOutcome::Refused(refusal) => refusal,
    };
    wrong_tokens.count(network).await?;
    let accepts_token = settings.token.is_some();
    Ok(form.browser.respond(sign_in(&form.browser.request, next, accepts_token, Some(refusal))))
}

/// The result of a login.
enum LoginOutcome {
    /// The cookie of the new session.
    Accepted {
        cookie: CookieKind,
        value: String,
    },
    /// The server accepts no secret.
    NotNeeded,
    Refused(LoginRefusal),
}

/// Checks the secret of the form: a one-time code in the field `code`, any secret in `token`.
async fn check_secret(
    settings: &Settings,
    sessions: &Sessions,
    form: &Form,
) -> Result<LoginOutcome, StoreError> {
    let (code, secret) = (form.text("code"), form.text("token"));
    let (code, secret, now) = (code.trim(), secret.trim(), Timestamp::now());
    if settings.token.is_none() && settings.arbitrator.is_none() {
        return Ok(LoginOutcome::NotNeeded);
    }
    if let Some(token) = settings.token.as_ref().filter(|token| token.is(secret)) {
        let value = session::issue(token, session::SESSION, now);
        return Ok(LoginOutcome::Accepted { cookie: CookieKind::Session, value });
    }
    if let Some(arbitrator) = &settings.arbitrator
        && (arbitrator.is(secret)
            || use_code(sessions, if code.is_empty() { secret } else { code }).await?)
    {
        let value = session::issue(arbitrator, session::ARBITRATOR_SESSION, now);
        return Ok(LoginOutcome::Accepted { cookie: CookieKind::Arbitrator, value });
    }
    let refusal =
        if code.is_empty() { LoginRefusal::WrongSecret } else { LoginRefusal::InvalidCode };
    Ok(LoginOutcome::Refused(refusal))
}

/// Uses a one-time code up. Returns whether it was valid.
async fn use_code(sessions: &Sessions, code: &str) -> Result<bool, StoreError> {
    // A text of another form is not looked up, so that guesses cause no writes.
    let is_code = code.len() == CODE_DIGITS && code.bytes().all(|byte| byte.is_ascii_hexdigit());
    if !is_code {
        return Ok(false);
    }
    sessions.use_login_code(digest_login_code(code)).await
}

/// The sessions are revoked first: while that fails the browser keeps its cookies, so that the
/// person can log out again.
pub(crate) async fn leave(
    State(settings): State<Arc<Settings>>,
    State(sessions): State<Sessions>,
    headers: HeaderMap,
    form: Form,
) -> Result<Response, ErrorResponse> {
    SignedSessions::find(&headers, &settings, Timestamp::now()).revoke(&sessions).await?;
    let path = if settings.token.is_some() { "/login" } else { "/" };
    Ok(form.browser.redirect_without_cookies(path, &[CookieKind::Session, CookieKind::Arbitrator]))
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
