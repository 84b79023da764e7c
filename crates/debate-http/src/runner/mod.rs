//! The runner over HTTP.

mod answer;
mod events;
mod parse;
mod read;
mod ui_language;
mod write;

pub(crate) use answer::{cost, story as wire_story};
pub(crate) use events::*;
pub(crate) use read::*;
pub(crate) use write::*;
