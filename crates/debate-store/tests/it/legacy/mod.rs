//! The databases of the earlier Node servers: carried over whole, or refused untouched.

mod carried;
pub(crate) mod fixture;
mod refused;
mod retried;
