//! Proof that the server keeps its promises while everything around it breaks.
//!
//! Clients write and follow debates on real server processes, a nemesis breaks things, and a
//! checker compares what everyone was told with the log that is left. Nothing of the server's own
//! code is used here; the rules are written a second time, from the spec.
//!
//! On SQLite there is one server. The runs that are about PostgreSQL have two on one database, and
//! clients move between them; what is left must be the same on both.

pub mod checker;
mod client;
mod draft;
pub mod fold;
mod ground;
pub mod history;
mod load;
mod mutants;
mod old_layout;
mod raw;
mod run;
mod scenario;
mod server;
mod shim;
mod storage;
mod subscribers;
mod writers;

pub use mutants::catch_all;
pub use run::{Engine, Finished, Plan, Report, Tier, find_aw, run};
pub use scenario::Scenario;
