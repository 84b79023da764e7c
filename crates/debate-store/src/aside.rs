//! Work that can't be read is put off: due for longest, it would keep the rest from being done.

use std::error::Error;

use debate_app::StoreError;
use jiff::{SignedDuration, Timestamp};
use uuid::Uuid;

/// A newer server on the same database may be able to read it, so it does not wait for long.
const ASIDE: SignedDuration = SignedDuration::from_secs(30);

/// Until when; and says so, since somebody should look at it.
pub(crate) fn until(at: Timestamp, work: Uuid, unreadable: &StoreError) -> Timestamp {
    tracing::error!(
        work.id = %work,
        error = unreadable.source(),
        "work item cannot be decoded; postponed"
    );
    at.saturating_add(ASIDE).unwrap_or(Timestamp::MAX)
}
