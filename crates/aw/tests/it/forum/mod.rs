//! The forum as its agents meet it.

mod agent;
mod classifier;
mod door;
mod guardrails;
mod story;
