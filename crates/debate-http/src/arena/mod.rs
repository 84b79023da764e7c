//! The arena over HTTP.

mod events;
mod parse;
mod positions;
mod read;
mod resolve;
mod socket;
mod wait;
mod write;

pub(crate) use events::*;
pub(crate) use read::*;
pub(crate) use resolve::PathDebate;
pub(crate) use socket::*;
pub(crate) use wait::*;
pub(crate) use write::*;
