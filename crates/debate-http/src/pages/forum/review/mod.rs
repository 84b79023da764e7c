//! The review queue: a reviewer claims a flagged item and decides with a reason.

mod claim;
mod claim_state;
mod decision;
mod findings;
mod item;
mod list;
mod subject;
mod view;

pub(crate) use claim::{claim, release};
pub(crate) use decision::review;
pub(crate) use item::item;
pub(crate) use list::list;
