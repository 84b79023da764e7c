//! Routes about the server: health, metrics, the API's documents, and the proof of its token.

mod docs;
mod health;
mod metrics;
mod process;
mod proof;

pub(crate) use docs::*;
pub(crate) use health::*;
pub(crate) use metrics::*;
pub(crate) use proof::*;
