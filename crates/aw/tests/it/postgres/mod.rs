//! Tests of PostgreSQL only: several servers on one database, and outages of the database.
//! They run on PostgreSQL whatever the engine of the run is, so the run on PostgreSQL skips
//! this module and `sqlite`.

mod arena;
mod forum;
mod haproxy;
mod outage;
mod runner;
mod seats;
mod sessions;
mod standby;
