//! Test infrastructure: a real PostgreSQL from the system's binaries, and
//! an imitated model provider.
//!
//! Most tests need only an empty database: [`Database::fresh`]. A test that stops or
//! restarts the server, or needs other settings, starts its own: [`Cluster::start`]. A
//! test that cuts connections puts a [`Proxy`] in between, or a [`Pooler`]. Paid model
//! providers are imitated: [`Model`].
//!
//! All waiting here is blocking, so that the crate serves tests with and without an async runtime,
//! and the `Drop` of both.

mod account;
mod cluster;
mod database;
mod model;
mod pooler;
mod process;
mod programs;
mod proxy;
mod sql;
mod template;

pub use cluster::{Certificate, Cluster, Mode, Options};
pub use database::{Database, shared};
pub use model::{Gate, Model, ModelRequest, ScriptStep};
pub use pooler::{PoolMode, Pooler};
pub use programs::Programs;
pub use proxy::{Cut, Proxy};
pub use sql::run as sql;
