//! The rules of runs, compared with the contract.

mod backoff;
mod budget;
mod cursor;
mod plan;
mod price;
mod prompt;
mod replay;
mod settings;
mod status;
mod story;
pub(crate) mod support;
mod transitions;
mod verdict;
