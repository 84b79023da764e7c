//! Providers behind the port that asks models: remote ones, local commands, and the built-in demo.
//!
//! Adapters are thin and never hide anything: model names go through as they are, nothing is tried
//! again in here, a stream that was cut is an error, and no error says what was asked.

mod assessment;
mod bound;
mod command;
mod config;
mod demo;
mod fault;
mod figures;
mod registry;
mod remote;
mod unfenced;
mod verdict;

pub use assessment::read_assessment;
pub use config::{ConfigError, Configuration, Key, Kind, LocalCommand, Provider, ollama_place};
pub use registry::Registry;
pub use verdict::read_verdict;
