//! The rules and values of a debate, held against the contract.

mod fingerprint;
mod forum;
mod prompts;
mod property;
mod rate;
mod retell;
mod rules;
mod runner;
mod support;
mod text;
