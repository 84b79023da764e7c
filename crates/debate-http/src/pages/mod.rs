//! The pages, for people. They call the same use cases as the API and can do nothing more.
//! Everything except live updates works without JavaScript.

mod assets;
mod cookies;
pub(crate) mod error_page;
mod export;
mod form;
mod guide;
mod home;
mod login;
mod page;
mod query;
pub(crate) mod session;
mod when;

pub(crate) mod arena;
pub(crate) mod forum;
pub(crate) mod runner;

use axum::extract::OriginalUri;
use axum::http::Method;
use axum::response::{IntoResponse, Redirect, Response};

use crate::problem::Problem;
use crate::token::is_read;

pub(crate) use assets::asset;
pub(crate) use cookies::CookieKind;
pub(crate) use guide::{document, guide, picture};
pub(crate) use home::home;
pub(crate) use login::{enter, leave, login};
pub(crate) use page::Section;

/// The response to an unknown address of a section. An address with slashes at its end leads to
/// the address without.
pub(crate) async fn no_such_page(method: Method, OriginalUri(uri): OriginalUri) -> Response {
    let path = uri.path().trim_end_matches('/');
    if is_read(&method) && path != uri.path() {
        let query = uri.query().map(|query| format!("?{query}")).unwrap_or_default();
        return Redirect::permanent(&format!("{path}{query}")).into_response();
    }
    Problem::no_such_route().into_response()
}
