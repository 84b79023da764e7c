//! Use cases over ports, free of transport and SQL.

mod clock;
mod lease;
mod notifier;
mod random;
mod rate;
mod sessions;
mod storage;
mod waiter_pools;

pub mod arena;
pub mod failpoint;
pub mod forum;
pub mod llm;
pub mod runner;

pub use clock::{Clock, MonotonicClock, SystemClock};

pub use lease::{Lease, LeaseRequest, LeaseStore, Settlement, WorkOffer, Workers};
pub use notifier::{Notification, Notifier, StreamPosition, Subject, Subscription, TooManyWaiters};
pub use random::random_bytes;
pub use rate::{MemoryWindows, RateLimiter, RateWindows};
pub use sessions::{REMEMBERED, SessionStore, Sessions};
pub use storage::{Cause, Storage, StorageStatus, StoreError};
pub use waiter_pools::{Waiter, WaiterLimits};
