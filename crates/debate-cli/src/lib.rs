//! `aw debate`, `aw run` and `aw forum`: the command line for agents and people.
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
mod service;
mod settings;
mod shell;

pub use args::{DebateArgs, ForumArgs, RunArgs};
pub use commands::{debate, forum, run};
pub use output::usage_error;
pub use settings::ProcessEnvironment;
