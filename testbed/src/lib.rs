//! What tests stand on: a real PostgreSQL, from the system's own binaries, and an imitated model.
//!
//! Most tests want a database of their own and nothing else: [`Database::fresh`]. A test that stops
//! the server, restarts it, or gives it other settings starts its own: [`Cluster::start`]. A test
//! that cuts the wire in between puts a [`Proxy`] there, or a [`Pooler`].
//! What costs money is imitated: [`Model`].
//!
//! Everything here waits by blocking. A test may afford that, and so it serves tests with and
//! without an async runtime, and the `Drop` of both.

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
pub use model::{Asked, Gate, Model, Play};
pub use pooler::{PoolMode, Pooler};
pub use programs::Programs;
pub use proxy::{Cut, Proxy};
pub use sql::run as sql;
