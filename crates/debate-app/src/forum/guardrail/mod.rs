//! The guardrails' workers: whatever is pending is examined, and what can't be is a human's.

mod assessment_locks;
mod classify;
mod evaluate;
mod reasons;
mod workers;

pub use classify::{Classifier, ReadAssessment};
pub use evaluate::{FirstLayer, SecondLayer};
pub use workers::GuardrailOptions;
