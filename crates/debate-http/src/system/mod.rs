//! The server about itself.

mod docs;
mod health;
mod metrics;
mod process;
mod proof;

pub(crate) use docs::*;
pub(crate) use health::*;
pub(crate) use metrics::*;
pub(crate) use proof::*;
