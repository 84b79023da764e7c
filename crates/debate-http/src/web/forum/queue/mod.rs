//! What the guardrails flagged: a person looks, claims it, and decides with reasons.

mod act;
mod findings;
mod list;
mod one;
mod review;
mod seat;
mod subject;
mod view;

pub(crate) use act::{claim, release};
pub(crate) use list::list;
pub(crate) use one::one;
pub(crate) use review::review;
