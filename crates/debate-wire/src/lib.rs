//! Wire types: JSON bodies, parameters and headers of the HTTP API and of the command line.
//!
//! Only this crate derives serde for the API. A wire type accepts every value that JSON can hold;
//! debate-http validates it.

mod envelope;
mod header;
mod health;
mod login_code;
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
pub use login_code::LoginCode;
pub use proof::{NONCE_DIGITS, Proof, ProofQuery, hex, proof_text};
pub use time::{render as render_time, render_precise as render_precise_time};
