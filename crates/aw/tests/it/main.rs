//! Integration tests of the binary: real processes, sockets and files.

#![expect(clippy::indexing_slicing, reason = "an answer without the field should fail its test")]

mod admission;
mod architecture;
mod audit;
mod bad_input;
mod browser;
mod cli;
mod crash;
mod crowd;
mod documents;
mod forum;
mod frames;
mod idempotency;
mod limits;
mod moving;
mod originals;
mod paths;
mod postgres;
mod reading;
mod readme;
mod rules;
mod runner;
mod shutdown;
mod sockets;
mod sqlite;
mod start;
mod strangers;
mod streams;
mod support;
mod survival;
mod type_names;
mod waiting;
mod web;
mod wrong_tokens;
