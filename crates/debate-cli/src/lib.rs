//! `aw debate` and `aw run`: the hand of the agents.
//!
//! Arguments, the HTTP client, output and exit codes. It knows the contract (`debate-wire`) and the
//! rules it shares with the server (`debate-core`), and reaches a database only through a server.

mod address;
mod args;
mod client;
mod commands;
mod content;
mod fault;
mod output;
mod service;
mod settings;
mod shell;

pub use args::{DebateArgs, RunArgs};
pub use commands::{debate, run};
pub use output::usage_error;
pub use settings::Surroundings;
