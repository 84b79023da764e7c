//! The databases of the original Node servers: migrated completely, or refused unchanged.

mod backup;
pub(crate) mod fixture;
mod migration;
mod original_ids;
mod refusals;
mod retries;
