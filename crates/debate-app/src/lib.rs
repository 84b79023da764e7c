//! What the product does: use cases over ports, free of transport and SQL.

mod clock;
mod follow;
mod hub;
mod storage;

pub mod arena;
pub mod failpoint;
pub mod forum;
pub mod moving;
pub mod runner;
pub mod sabotage;

pub use clock::{Clock, SystemClock};
pub use hub::{Bell, Crowded, Hub, HubLimits, Rung, Subject};
pub use storage::{Cause, Storage, StorageStatus, StoreError};
