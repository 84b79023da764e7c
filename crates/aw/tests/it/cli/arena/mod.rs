//! `aw debate`: debates from the command line.

mod agent_scripts;
mod agent_session;
mod arbitrator;
mod completion;
mod errors;
mod kept_seats;
mod output;
mod played_debate;
mod terminal;
mod wait;
mod watch;
