//! The server about itself.

mod docs;
mod health;
mod metrics;
mod process;

pub(crate) use docs::*;
pub(crate) use health::*;
pub(crate) use metrics::*;
