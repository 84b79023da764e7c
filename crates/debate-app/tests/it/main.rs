//! What the use cases stand on, tried on its own.

mod deltas;
mod memory_windows;
mod notifier;
mod notifier_schedules;
mod notifier_threads;
mod support;
mod waiter_pools;
