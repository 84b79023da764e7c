//! Hubs and debates to listen to.

use std::sync::Arc;

use debate_app::{Bell, Hub, HubLimits, Rung};
use debate_core::DebateId;
use futures_util::FutureExt;
use uuid::Uuid;

pub(crate) fn debate(number: u128) -> DebateId {
    DebateId::new(Uuid::from_u128(number))
}

/// A hub with room for every test but those about room.
pub(crate) fn hub() -> Arc<Hub> {
    hub_for(1000, 1000)
}

pub(crate) fn hub_for(waiters_max: usize, waiters_per_debate_max: usize) -> Arc<Hub> {
    Hub::new(HubLimits { waiters_max, waiters_per_debate_max })
}

/// What the bell has to say at this moment, without waiting for it.
pub(crate) fn heard(bell: &mut Bell) -> Option<Rung> {
    bell.rung().now_or_never()
}
