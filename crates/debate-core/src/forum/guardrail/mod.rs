//! The guardrails: layers that decide whether an item is published. Each layer fails closed.
//!
//! Layer A applies the rules of a file ([`Rulebook`]), layer B asks a model ([`classifier_prompt`],
//! [`after_model`]), layer C are reviewers ([`claim`], [`Ruling`]). [`next_status`] is the table of
//! all transitions.

mod assessment;
mod attempt;
mod category;
mod claim;
mod classifier;
mod decide;
mod evaluation;
mod inflect;
mod lookalike;
mod normalize;
mod pattern;
mod rulebook;
mod scan;
mod status;
mod stretched_words;
mod trust;

pub use assessment::{Alignment, Assessment, HarmRisk, NotAnAssessment};
pub use attempt::{AfterFailure, EvaluationAttempt, after_failure};
pub use category::Category;
pub use claim::{CLAIM_TIME, Claim, ClaimRefusal, active_claim, claim, require_claim};
pub use classifier::{AssessmentKey, CLASSIFIER_VERSION, classifier_prompt};
pub use decide::{AfterRules, Policy, after_model, after_rules, fits_daily_limit};
pub use evaluation::{Acquired, Evaluation, ReviewRefusal};
pub use normalize::{join_fields, normalize, show_fields};
pub use pattern::NotAPattern;
pub use rulebook::{NotARulebook, Rule, Rulebook};
pub use scan::Findings;
pub use status::{
    Appeal, Decision, GuardrailRefusal, GuardrailState, GuardrailStatus, Move, Ruling, next_status,
};
pub use trust::Tier;
