//! What a worker brings, kept: tried again while the store can't be reached, since it was paid.

use std::time::Duration;

use tokio::time::{Instant, sleep};

use crate::StoreError;

/// How long it is tried.
const KEEP_TRYING: Duration = Duration::from_mins(1);

/// The waits between two tries: the first, and the longest.
const FIRST_PAUSE: Duration = Duration::from_millis(100);
const LONGEST_PAUSE: Duration = Duration::from_secs(1);

/// Tries until the store can do it, for a while.
pub(crate) async fn persist<T, F>(mut write: impl FnMut() -> F) -> Result<T, StoreError>
where
    F: Future<Output = Result<T, StoreError>>,
{
    let give_up = Instant::now() + KEEP_TRYING;
    let mut pause = FIRST_PAUSE;
    loop {
        let err = match write().await {
            Ok(done) => return Ok(done),
            Err(err) => err,
        };
        let passes = match &err {
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
        if !passes || Instant::now() >= give_up {
            return Err(err);
        }
        tracing::warn!(error = %err, "saving the result failed; retrying");
        sleep(pause).await;
        pause = (pause * 2).min(LONGEST_PAUSE);
    }
}
