//! Retries of writes that save the result of a model call, which was paid for.

use std::time::Duration;

use debate_core::Backoff;
use tokio::time::{Instant, sleep};

use crate::StoreError;

/// Duration after which a write is not retried.
const GIVE_UP_AFTER: Duration = Duration::from_mins(1);

const BACKOFF: Backoff = Backoff {
    first: Duration::from_millis(100),
    factor: 2,
    longest: Duration::from_secs(1),
    percent: (100, 100),
};

/// Repeats `write` while the store is temporarily unavailable, for at most [`GIVE_UP_AFTER`].
pub(crate) async fn persist<T, F>(mut write: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let give_up = Instant::now() + GIVE_UP_AFTER;
    let mut failures = 0;
    loop {
        let err = match write().await {
            Ok(written) => return Ok(written),
            Err(err) => err,
        };
        let is_temporary = match &err {
            StoreError::Overloaded
            | StoreError::Full(_)
            | StoreError::Unavailable(_)
            | StoreError::WalFull(_)
            | StoreError::Moved(_) => true,
            StoreError::Latched
            | StoreError::Damaged(_)
            | StoreError::Undecodable(_)
            | StoreError::Unexpected(_) => false,
        };
        if !is_temporary || Instant::now() >= give_up {
            return Err(err);
        }
        tracing::warn!(error = %err, "saving the result failed; retrying");
        sleep(BACKOFF.pause(failures, 0)).await;
        failures += 1;
    }
}
