//! Tests of the parts that the use cases share.

mod deltas;
mod memory_windows;
mod new_arguments;
mod notifier;
mod notifier_schedules;
mod notifier_threads;
mod support;
mod waiter_pools;
