//! The command line: the real binary, real servers, real shells.

mod arena;
mod background_server;
mod config;
mod forum;
mod lossy_proxy;
mod restart;
mod runner;
mod server_commands;
mod server_proof;
mod terminal;
mod tls;
