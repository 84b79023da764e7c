//! The databases of the earlier Node servers: carried over whole, or refused untouched.

mod backup;
pub(crate) mod fixture;
mod migration;
mod original_ids;
mod refusals;
mod retries;
