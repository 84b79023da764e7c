//! The guardrails' workers, which evaluate pending items, or flag them for a review by a person.

mod assessment_locks;
mod classify;
mod evaluate;
mod reasons;
mod workers;

pub use classify::{Classifier, ReadAssessment};
pub use evaluate::{FirstLayer, SecondLayer};
pub use workers::GuardrailOptions;
