//! Following a sequence: the one mechanism behind long polls, streams and sockets.
//!
//! A follower subscribes to the notifier, reads the store after its position, waits for a
//! notification, and reads again. It holds a position and never a queue, so a slow client uses no
//! memory and delays no other. Entries that a client has not received stay in the store, also
//! across restarts of either side.

use async_trait::async_trait;
use debate_core::Seq;
use tokio::time::{Instant, timeout_at};

use crate::{Notification, Subscription};

/// The last entry that a client received, as the client names it. Reading continues after it.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub enum StreamPosition<I> {
    /// Before the first entry.
    Start,
    /// The entry with this id.
    Item(I),
    /// The entry with this sequence number.
    Seq(Seq),
}

/// A position in a sequence that can be read onwards.
#[async_trait]
pub(crate) trait SequenceReader: Send {
    /// Entries that follow one another.
    type Batch: Send;
    /// The error of a failed read.
    type Error: Send;

    /// Reads the entries after the position and advances it; none if there are none. Cancel-safe:
    /// the position advances only when the entries are returned.
    async fn read_next(&mut self) -> Result<Option<Self::Batch>, Self::Error>;
}

/// The result of [`follow`].
#[derive(Debug)]
pub(crate) enum Update<T> {
    /// New entries after the position.
    New(T),
    /// There was none before the deadline.
    Timeout,
    /// The server is shutting down.
    Closing,
}

/// Returns the entries after the reader's position as soon as there are any, or a timeout at
/// `deadline`. The subscription must have been made before the first read: an entry that is
/// committed between a read and a later subscription would go unnoticed.
pub(crate) async fn follow<R: SequenceReader>(
    reader: &mut R,
    subscription: &mut Subscription,
    deadline: Option<Instant>,
) -> Result<Update<R::Batch>, R::Error> {
    loop {
        if let Some(batch) = reader.read_next().await? {
            return Ok(Update::New(batch));
        }
        let notification = match deadline {
            Some(deadline) => timeout_at(deadline, subscription.changed()).await,
            None => Ok(subscription.changed().await),
        };
        match notification {
            Ok(Notification::Changed) => {}
            Ok(Notification::Closing) => return Ok(Update::Closing),
            Err(_) => return Ok(Update::Timeout),
        }
    }
}
