//! The forum over HTTP.

mod access;
pub(crate) mod classifier;
mod concurrency;
mod error_order;
mod fixture;
mod guardrails;
mod history;
mod limits;
mod long_thread;
mod memory;
mod paging;
mod random;
mod responses;
pub(crate) mod revocation;
mod route_cases;
mod routes;
mod threads;
mod visibility;
mod worker_death;
mod workflow;
