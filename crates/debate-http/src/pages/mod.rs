//! The pages over HTTP: routes, forms, cookies and sessions. `debate-pages` renders the HTML; the
//! pages call the same use cases as the API. Everything except live updates works without
//! JavaScript.

mod browser;
mod export;
mod form;
mod login;
pub(crate) mod session;
mod site;

pub(crate) mod arena;
pub(crate) mod forum;
pub(crate) mod runner;

pub(crate) use browser::page_headers;
pub(crate) use login::{enter, leave, login};
pub(crate) use session::CookieKind;
pub(crate) use site::{asset, document, guide, home, image, no_such_page};
