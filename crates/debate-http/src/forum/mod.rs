//! The forum's API.

mod access;
mod admin;
mod agents;
mod debates;
mod events;
mod extract;
pub(crate) mod page;
mod parse;
mod reply;
mod topics;

pub(crate) use access::{ForumAccess, check_access, over_limit};
pub(crate) use admin::*;
pub(crate) use agents::*;
pub(crate) use debates::*;
pub(crate) use events::*;
pub(crate) use extract::{PathIds, SolutionPost};
pub(crate) use topics::*;
