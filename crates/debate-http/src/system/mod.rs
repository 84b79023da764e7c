//! The server about itself.

mod docs;
mod health;
mod metrics;

pub(crate) use docs::*;
pub(crate) use health::*;
pub(crate) use metrics::*;
