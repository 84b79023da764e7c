//! The forum's API.

mod access;
mod admin;
mod agents;
mod answer;
mod debates;
mod events;
mod form;
pub(crate) mod page;
mod parse;
mod path;
mod reply;
mod topics;

pub(crate) use access::{ForumAccess, check_access, over_limit};
pub(crate) use admin::*;
pub(crate) use agents::*;
pub(crate) use debates::*;
pub(crate) use events::*;
pub(crate) use path::{PathIds, SolutionPost};
pub(crate) use topics::*;
