//! The contract, kept by PostgreSQL.

mod suite;
