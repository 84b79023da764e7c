//! The forum over HTTP.

pub(crate) mod agent;
mod bodies;
mod burst;
pub(crate) mod classifier;
mod dice;
mod door;
mod guardrails;
mod history;
pub(crate) mod keys;
mod ladder;
mod ladders;
mod limits;
mod long_thread;
mod memory;
mod order;
mod paging;
mod phases;
mod scene;
mod seeing;
mod story;
mod threads;
