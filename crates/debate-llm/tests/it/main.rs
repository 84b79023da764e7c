//! Tests of providers over real sockets and pipes, including their failures.

mod aimock;
mod assessment;
mod command;
mod demo;
mod faults;
mod finishes;
mod injections;
mod json_completion;
mod registry;
mod requests;
mod secrets;
mod support;
mod verdict;
