//! The pages, for people: the same use cases as the API's, made to be looked at.
//!
//! A page can do nothing that the API can't. Everything works without script; the script adds what
//! moves.

mod assets;
mod cookies;
mod export;
mod face;
mod form;
mod guide;
mod home;
mod login;
mod markdown;
mod page;
mod query;
pub(crate) mod session;
mod signs;
mod when;

pub(crate) mod arena;
pub(crate) mod forum;
pub(crate) mod runs;

use axum::http::HeaderMap;

use self::cookies::Cookie;

pub(crate) use assets::asset;
pub(crate) use face::{Face, lost};
pub(crate) use guide::{document, guide, picture};
pub(crate) use home::home;
pub(crate) use login::{enter, leave, login};

/// The page to log in at.
pub(crate) const LOGIN: &str = "/login";

/// The value of the cookie by which the pages at this address know their visitor, if there is one.
pub(crate) fn session_cookie(path: &str, headers: &HeaderMap) -> Option<String> {
    let cookie = if forum::is_within(path) { Cookie::Seat } else { Cookie::Session };
    let found = cookie.values(headers).next().or_else(|| Cookie::Session.values(headers).next());
    found.map(str::to_owned)
}

/// Whether this is the address of a page, or would be.
pub(crate) fn is_page(path: &str) -> bool {
    page::Part::at(path).is_some()
}

/// Whether someone may be here who has not logged in: at the door, where its furniture is, and in
/// the forum, whose pages show everyone what its API shows them.
pub(crate) fn is_open(path: &str) -> bool {
    path == LOGIN || path.starts_with(assets::FOLDER) || forum::is_within(path)
}
