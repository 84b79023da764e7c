//! The review queue: a reviewer claims a flagged item and decides with a reason.

mod claim_state;
mod decision;
mod findings;
mod item;
mod list;
mod reviewed_item;
mod view;

pub use decision::{check_decision, explain_refusal, is_same_decision, preview};
pub use item::{Reviewer, item};
pub use list::{QueueFilter, queue};
