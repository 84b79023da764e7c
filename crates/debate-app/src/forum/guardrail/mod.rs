//! The guardrails' workers, which evaluate pending items, or flag them for a review by a person.

mod classify;
mod evaluate;

pub use classify::{Classifier, ReadAssessment};
pub use evaluate::{FirstLayer, GuardrailOptions, SecondLayer};
