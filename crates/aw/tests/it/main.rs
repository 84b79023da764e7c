//! Integration tests of the binary: real processes, sockets and files.

#![expect(clippy::indexing_slicing, reason = "a response without the field should fail its test")]

mod architecture;
mod arena;
mod cli;
mod db;
mod documentation;
mod forum;
mod postgres;
mod runner;
mod server;
mod sqlite;
mod support;
mod type_names;
mod web;
