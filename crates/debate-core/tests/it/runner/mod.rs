//! The rules of debates that run themselves, held against the contract.

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
mod support;
mod verdict;
