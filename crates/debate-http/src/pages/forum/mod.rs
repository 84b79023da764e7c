//! The forum's pages. They show each visitor what the API shows to the same identity.

mod identity;
mod items;
mod limit;
mod login;
mod review;
mod session_cookie;
mod solution;

pub(super) use identity::BrowserIdentity;
pub(crate) use items::{agent_items, list, post, problem};
pub(crate) use limit::count_page;
pub(crate) use login::{enter, leave, login};
pub(crate) use review::{claim, item, queue, release, review};
pub(crate) use solution::{events, new_posts, solution};
