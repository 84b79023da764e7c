//! The guardrails: what may be shown, decided in layers that fail closed.
//!
//! Layer A reads a text by the rules of a file ([`Rulebook`]); layer B asks a model
//! ([`classifier_prompt`], [`after_model`]); layer C are humans ([`claim`], [`Ruling`]). [`next`]
//! is the table of what may become of a thing.

mod assessment;
mod attempt;
mod category;
mod claim;
mod classifier;
mod decide;
mod drawn_out;
mod examination;
mod fold;
mod inflect;
mod lookalike;
mod pattern;
mod rulebook;
mod scan;
mod status;
mod trust;
mod verdict_key;

pub use assessment::{Alignment, Assessment, HarmRisk, NotAnAssessment};
pub use attempt::{AfterFailure, Attempt, after_failure};
pub use category::Category;
pub use claim::{CLAIM_TIME, Claim, ClaimRefusal, claim, holder, must_hold};
pub use classifier::{CLASSIFIER_VERSION, classifier_prompt};
pub use decide::{AfterRules, Policy, affords, after_model, after_rules};
pub use examination::{Examination, ReviewRefusal, Taken};
pub use fold::{join_fields, normalised, show_fields};
pub use pattern::NotAPattern;
pub use rulebook::{NotARulebook, Rule, Rulebook};
pub use scan::Findings;
pub use status::{Appeal, Decision, Move, Refusal, Ruling, Standing, Status, next};
pub use trust::Tier;
pub use verdict_key::VerdictKey;
