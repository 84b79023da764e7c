//! The arena over HTTP.

mod cursor;
mod parse;
mod read;
mod stream;
mod wait;
mod write;

pub(crate) use read::*;
pub(crate) use wait::*;
pub(crate) use write::*;
