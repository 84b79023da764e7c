//! Model providers behind the port `Llm`: remote ones, local commands, and the built-in demo.
//!
//! Adapters are hand-written, because the outcome of each failure is a contract (decisions/0055):
//! model names are passed on unchanged, nothing is retried here, an incomplete stream is an error,
//! and no error contains the prompt or the key.

mod call_metrics;
mod command;
mod config;
mod demo;
mod error;
mod limits;
mod model_output;
mod registry;
mod remote;

pub use config::{
    ConfigError, Configuration, Key, LocalCommand, Provider, ProviderKind, ollama_base_url,
};
pub use model_output::{parse_assessment, parse_verdict};
pub use registry::Registry;
