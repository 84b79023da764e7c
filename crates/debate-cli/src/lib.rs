//! `aw debate`, `aw run`, `aw forum` and the commands for the local server: the command line for
//! agents and people.
//!
//! Arguments, the HTTP client, output and exit codes. It knows the contract (`debate-wire`) and the
//! rules it shares with the server (`debate-core`), and reaches a database only through a server.

mod args;
mod client;
mod commands;
mod content;
mod failure;
mod keys;
mod output;
mod prompt;
mod service;
mod settings;
mod shell;

pub use args::{ConfigArgs, DebateArgs, ForumArgs, RunArgs, ServerCommand};
pub use commands::{LoadSettings, config, debate, forum, overview, run, server};
pub use output::usage_error;
pub use service::{AddressRecord, already_running};
pub use settings::ProcessEnvironment;
