//! What is true of PostgreSQL alone: several servers on one database, and a database that can go
//! away. These tests run on PostgreSQL whatever the run's engine is, so the run on PostgreSQL
//! leaves out this module, as it does `sqlite`.

mod away;
mod forum;
mod proxy;
mod runners;
mod sessions;
mod standby;
mod two;
