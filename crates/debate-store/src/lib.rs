//! Where debates are kept: SQL, and nothing but SQL.

mod arena;
mod sqlite;
mod trouble;

pub use sqlite::{OpenError, Sqlite, SqliteOptions};
