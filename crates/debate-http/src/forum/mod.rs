//! The forum over HTTP.

mod admin;
mod agents;
mod answer;
mod debates;
mod door;
mod events;
mod form;
pub(crate) mod page;
mod parse;
mod path;
mod things;
mod told;

pub(crate) use admin::*;
pub(crate) use agents::*;
pub(crate) use debates::*;
pub(crate) use door::{Doorway, door, over_limit};
pub(crate) use events::*;
pub(crate) use path::{At, Both};
pub(crate) use things::*;
