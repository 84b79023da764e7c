//! The databases of the earlier Node servers: carried over whole, or refused untouched.

mod carried;
mod fixture;
mod refused;
mod retried;
