//! What is true of PostgreSQL alone: several servers on one database, and a database that can go
//! away. These tests run on PostgreSQL whatever the run's engine is, so one of the two runs leaves
//! out this module.

mod away;
mod two;
