//! Notifiers and subjects for tests.

use std::sync::Arc;

use debate_app::{Notification, Notifier, Subscription, WaiterLimits};
use debate_core::DebateId;
use futures_util::FutureExt;
use uuid::Uuid;

pub(crate) fn debate(number: u128) -> DebateId {
    DebateId::new(Uuid::from_u128(number))
}

/// A notifier with limits that only the tests of limits reach.
pub(crate) fn notifier() -> Arc<Notifier> {
    notifier_for(1000, 1000)
}

pub(crate) fn notifier_for(waiters_max: usize, waiters_per_debate_max: usize) -> Arc<Notifier> {
    Notifier::new(WaiterLimits { waiters_max, waiters_per_debate_max })
}

/// The notification that is available without waiting.
pub(crate) fn poll_changed(subscription: &mut Subscription) -> Option<Notification> {
    subscription.changed().now_or_never()
}
