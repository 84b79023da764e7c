//! The rules of the forum, compared with the contract.

mod agents;
mod classifier;
mod corpus;
mod decisions;
mod evaluation;
mod links;
mod pages;
mod posts;
mod rulebook;
mod spellings;
mod status;
mod thread;
mod visibility;
