//! The runner over HTTP.

mod events;
mod parse;
mod read;
mod write;

pub(crate) use events::*;
pub(crate) use read::*;
pub(crate) use write::*;
