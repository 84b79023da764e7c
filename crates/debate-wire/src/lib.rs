//! The contract: what goes over the wire, word for word, for the server and every client of it.
//!
//! The only crate that derives serde for our own API. A wire type accepts whatever JSON can say;
//! what makes sense of it lives at the edge.

mod envelope;
mod header;
mod health;
mod proof;
mod schema;
mod time;

pub mod agent;
pub mod arena;
pub mod forum;
pub mod runner;

pub use envelope::{ErrorBody, ErrorCode, Failure, Success};
pub use header::{IdempotencyKeyHeader, LastEventIdHeader};
pub use health::{Health, HealthStatus};
pub use proof::{NONCE_DIGITS, Proof, ProofQuery, hex, proof_text};
pub use time::{render as render_time, render_precise as render_precise_time};
