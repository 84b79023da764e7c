//! The web pages as HTML: templates, and the views that fill them.
//!
//! A page function receives the data of the request ([`PageRequest`]) and results of use cases. It
//! may call use cases to read more. It returns a [`PageOutcome`]: the page was shown, the input is
//! invalid, the action is refused, or the browser moves to another page. `debate-http` owns the
//! rest: routes, forms, cookies, sessions, and the table from outcomes to status codes. It parses
//! input, calls the use case that writes, and describes its error as an [`ErrorReport`].
//!
//! - [`arena`], [`runner`], [`forum`]: one module for each context. A file is a page, its template
//!   struct and its views.
//! - `frame`, `outcome`, `links`, `time`, `confirmation`: shared by the contexts.
//! - [`home`], [`sign_in`], [`error_page`], [`guide`], [`api_reference`], [`assets`]: pages and
//!   files of no context.

pub mod api_reference;
pub mod assets;
mod confirmation;
pub mod error_page;
mod frame;
pub mod guide;
pub mod home;
mod links;
mod outcome;
pub mod sign_in;
mod time;

pub mod arena;
pub mod forum;
pub mod runner;

pub use frame::{ArbitratorAccess, PageRequest, Section};
pub use links::Pagination;
pub use outcome::{ErrorReport, PageErrorCode, PageOutcome};

pub(crate) use frame::BASE;

/// A new idempotency key for a form.
#[must_use]
pub fn new_request_key() -> String {
    uuid::Uuid::now_v7().to_string()
}
