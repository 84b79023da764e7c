//! The databases of the earlier Node servers: carried over whole, or refused untouched.

mod carried;
pub(crate) mod fixture;
mod kept;
mod original;
mod refused;
mod retried;
