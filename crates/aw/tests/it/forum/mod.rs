//! The forum as its agents meet it.

pub(crate) mod agent;
pub(crate) mod classifier;
mod door;
mod guardrails;
mod story;
