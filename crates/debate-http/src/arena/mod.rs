//! The arena over HTTP.

mod create;
mod credentials;
mod events;
mod parse;
mod positions;
mod read;
mod resolve;
mod seats;
mod socket;
mod wait;
mod write;

pub(crate) use create::*;
pub(crate) use credentials::RequestCredentials;
pub(crate) use events::*;
pub(crate) use read::*;
pub(crate) use resolve::PathDebate;
pub(crate) use seats::*;
pub(crate) use socket::*;
pub(crate) use wait::*;
pub(crate) use write::*;
