//! What the product does: use cases over ports, free of transport and SQL.

mod clock;
mod crew;
mod follow;
mod hub;
mod persist;
mod pools;
mod rate;
mod sessions;
mod storage;

pub mod arena;
pub mod auxiliary;
pub mod failpoint;
pub mod forum;
pub mod llm;
pub mod moving;
pub mod runner;
pub mod sabotage;

pub use clock::{Clock, SteadyClock, SystemClock};
pub use hub::{Bell, Crowded, Hub, Rung, Subject};
pub use pools::{HubLimits, Waiter};
pub use rate::{Limiter, MemoryWindows, RateWindows};
pub use sessions::{REMEMBERED, SessionStore, Sessions};
pub use storage::{Cause, Storage, StorageStatus, StoreError};
