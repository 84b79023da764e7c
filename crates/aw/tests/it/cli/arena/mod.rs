//! `aw debate`: debates from the command line.

mod agent_scripts;
mod errors;
mod output;
mod terminal;
mod wait;
mod watch;
