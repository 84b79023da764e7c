//! What the use cases stand on, tried on its own.

mod hub;
mod hub_schedules;
mod hub_threads;
mod support;
