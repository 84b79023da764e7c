//! Where debates are kept: SQL, and nothing but SQL.

mod arena;
mod postgres;
mod sqlite;
mod trouble;

pub use postgres::{ConnectError, Postgres, PostgresOptions};
pub use sqlite::{OpenError, Sqlite, SqliteOptions};
