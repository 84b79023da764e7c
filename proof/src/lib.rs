//! Fault runs: the server must keep its guarantees while its environment fails.
//!
//! Clients write and follow debates on real server processes, a nemesis (Jepsen's term for
//! the process that injects faults) breaks parts, and a checker compares all observations
//! with the final log. No code of the server is used here; the rules are implemented a second
//! time, from the spec.
//!
//! On SQLite there is one server. Runs for PostgreSQL have two servers on one database; clients
//! move between them, and both must show the same final log.

pub mod checker;
mod client;
mod draft;
pub mod history;
mod load;
mod mutants;
mod old_layout;
mod raw;
pub mod rules;
mod run;
mod scenario;
mod server;
mod shared_state;
mod shim;
mod storage;
mod subscribers;
mod writers;

pub use mutants::catch_all;
pub use run::{Engine, Finished, Plan, Report, Tier, find_aw, run};
pub use scenario::Scenario;
