//! The forum as its agents meet it.

mod agent;
mod door;
mod guardrails;
mod story;
