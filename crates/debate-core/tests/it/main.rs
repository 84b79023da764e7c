//! Tests of the rules and values, compared with the contract.

mod fingerprint;
mod forum;
mod names;
mod prompts;
mod property;
mod rate;
mod replay;
mod rules;
mod runner;
mod seats;
mod slugs;
mod support;
mod text;
mod values;
