//! An answer while it is being given, for whoever watches.

use tokio::sync::mpsc::{self, Receiver, Sender, error::TrySendError};

/// Where a provider puts the pieces of an answer as they come.
///
/// Watching must not slow the answer down, nor may a slow watcher be owed an unbounded queue. So a
/// piece for which there is no room waits and goes with the next one: nothing is lost on the way,
/// and what waits is never more than the answer. What still waits at the end is in the answer.
pub struct Deltas {
    sender: Sender<String>,
    waiting: String,
}

/// Shows the size only: what models say never reaches a log.
impl std::fmt::Debug for Deltas {
    fn fmt(&self, f: &mut std::fmt::Formatter<'_>) -> std::fmt::Result {
        write!(f, "Deltas({} bytes wait)", self.waiting.len())
    }
}

impl Deltas {
    /// A sink for which at most `room` pieces wait, and what comes out of it.
    #[must_use]
    pub fn new(room: usize) -> (Self, Receiver<String>) {
        let (sender, receiver) = mpsc::channel(room.max(1));
        (Self { sender, waiting: String::new() }, receiver)
    }

    /// A sink that nobody watches.
    #[must_use]
    pub fn unwatched() -> Self {
        Self::new(1).0
    }

    /// Hands on the next piece.
    pub fn push(&mut self, piece: &str) {
        if self.sender.is_closed() {
            return;
        }
        self.waiting.push_str(piece);
        if self.waiting.is_empty() {
            return;
        }
        match self.sender.try_send(std::mem::take(&mut self.waiting)) {
            Err(TrySendError::Full(pieces)) => self.waiting = pieces,
            Ok(()) | Err(TrySendError::Closed(_)) => {}
        }
    }
}
