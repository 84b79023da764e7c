//! The guardrails' workers: whatever is pending is examined, and what can't be is a human's.

mod classify;
mod examine;
mod flight;
mod words;
mod workers;

pub use classify::{Classifier, ReadAssessment};
pub use examine::{FirstLayer, SecondLayer};
pub use workers::{GuardrailOptions, Guards};
