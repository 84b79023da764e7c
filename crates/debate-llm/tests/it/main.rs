//! Providers, asked over real sockets and pipes, and everything that can go wrong with them.

mod aimock;
mod assessment;
mod command;
mod demo;
mod faults;
mod finishes;
mod injections;
mod registry;
mod requests;
mod secrets;
mod support;
mod verdict;
mod whole;
