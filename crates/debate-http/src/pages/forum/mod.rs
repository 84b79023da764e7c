//! The forum's pages. Everyone may look: they show each reader what the API would.

mod entry;
mod evidence;
mod identity;
mod limit;
mod links;
mod list;
mod login;
mod new_posts;
mod overview;
mod own_items;
mod post;
mod problem;
pub(crate) mod review;
mod session_cookie;
mod solution;
mod view;

pub(super) use identity::Identity;
pub(crate) use limit::count_page;
pub(crate) use list::list;
pub(crate) use login::{enter, leave, login};
pub(crate) use new_posts::{events, new_posts};
pub(super) use overview::{Overview, overview};
pub(crate) use own_items::own_items;
pub(crate) use post::post;
pub(crate) use problem::problem;
pub(crate) use solution::solution;
