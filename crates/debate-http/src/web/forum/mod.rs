//! The forum's pages. Everyone may look: they show each reader what the API would.

mod alone;
mod entry;
mod evidence;
mod limit;
mod links;
mod list;
mod login;
mod mine;
mod news;
mod overview;
mod pass;
mod problem;
pub(crate) mod queue;
mod seat;
mod solution;
mod view;

pub(crate) use alone::alone;
pub(crate) use limit::count_page;
pub(crate) use list::list;
pub(crate) use login::{enter, leave, login};
pub(crate) use mine::mine;
pub(crate) use news::{events, news};
pub(super) use overview::{Overview, overview};
pub(crate) use problem::problem;
pub(super) use seat::Seat;
pub(crate) use solution::solution;

/// Whether the forum's pages live there, or would.
pub(super) fn is_within(path: &str) -> bool {
    path.strip_prefix("/forum").is_some_and(|rest| rest.is_empty() || rest.starts_with('/'))
}
