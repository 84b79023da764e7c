//! The forum's pages. They show each visitor what the API shows to the same identity.

mod agent_items;
mod evidence;
mod identity;
mod list;
mod new_posts;
mod overview;
mod post;
mod post_entry;
mod problem;
pub mod review;
mod solution;
mod view;

pub use agent_items::{AgentItems, agent_items};
pub use identity::{Identity, review_disabled, sign_in};
pub use list::list;
pub use new_posts::new_posts;
pub use overview::{ForumOverview, overview};
pub use post::post;
pub use problem::problem;
pub use solution::{PostList, solution, solution_path};
