//! Where debates are kept: SQL, and nothing but SQL.

mod sqlite;

pub use sqlite::{OpenError, Sqlite, SqliteOptions};
