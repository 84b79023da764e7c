//! `aw debate`, `aw run`, `aw forum` and the commands for the local server: the command line for
//! agents and people.
//!
//! Arguments, the HTTP client, output and exit codes. It knows the contract (`debate-wire`) and the
//! rules it shares with the server (`debate-core`), and reaches a database only through a server.

mod args;
mod client;
mod commands;
mod completion;
mod content;
mod controlling_terminal;
mod failure;
mod holder;
mod keys;
mod output;
mod prompt;
mod seats;
mod secrets;
mod service;
mod settings;
mod shell;

pub use args::{ConfigArgs, DebateArgs, ForumArgs, PromptArgs, RuleArgs, RunArgs, ServerCommand};
pub use commands::{LoadSettings, config, debate, forum, overview, prompt, rule, run, server};
pub use completion::prepare_completion;
pub use output::usage_error;
pub use service::{AddressRecord, already_running};
pub use settings::ProcessEnvironment;
