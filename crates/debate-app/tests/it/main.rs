//! What the use cases stand on, tried on its own.

mod deltas;
mod hub;
mod hub_schedules;
mod hub_threads;
mod memory_windows;
mod pools;
mod support;
