//! The command line: the real binary, real servers, real shells.

mod arena;
mod background_server;
mod forum;
mod runner;
mod server_proof;
mod terminal;
mod tls;
