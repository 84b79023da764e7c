//! Notifiers and subjects for tests.

use std::sync::Arc;

use debate_app::{Notification, Notifier, Subscription, WaiterLimits};
use debate_core::DebateId;
use futures_util::FutureExt;
use uuid::Uuid;

pub(crate) fn debate(number: u128) -> DebateId {
    DebateId::new(Uuid::from_u128(number))
}

/// A notifier with room for every test but those about room.
pub(crate) fn notifier() -> Arc<Notifier> {
    notifier_for(1000, 1000)
}

pub(crate) fn notifier_for(waiters_max: usize, waiters_per_debate_max: usize) -> Arc<Notifier> {
    Notifier::new(WaiterLimits { waiters_max, waiters_per_debate_max })
}

/// What the subscription has to say at this moment, without waiting for it.
pub(crate) fn heard(subscription: &mut Subscription) -> Option<Notification> {
    subscription.changed().now_or_never()
}
