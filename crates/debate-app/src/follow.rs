//! Following a sequence: the one mechanism behind long polls, streams and sockets.
//!
//! A subscriber listens, reads the store after its position, waits for a ring, and reads again. It
//! holds a position and never a queue, so a slow one costs no memory and holds up nobody; what it
//! has not taken yet is still in the store, across restarts of either side.

use async_trait::async_trait;
use tokio::time::{Instant, timeout_at};

use crate::{Bell, Rung};

/// A reader's position, and how it looks for what came after.
#[async_trait]
pub(crate) trait Position: Send {
    /// What comes after a position.
    type News: Send;
    /// How looking fails.
    type Error: Send;

    /// What came after the position, which is moved past it; none if nothing did. May be given up
    /// half-way: the position moves only when the news is handed over.
    async fn look(&mut self) -> Result<Option<Self::News>, Self::Error>;
}

/// What a look, or the wait for one, came to.
#[derive(Debug)]
pub(crate) enum Outcome<N> {
    /// Something came.
    News(N),
    /// Nothing came in the time there was.
    Nothing,
    /// The server is closing down; nothing came.
    Closing,
}

/// What came after `position`, as soon as there is any, or nothing at `until`. The bell must have
/// been listened to before: what is written between a look and a later listen would go unheard.
pub(crate) async fn follow<P: Position>(
    position: &mut P,
    bell: &mut Bell,
    until: Option<Instant>,
) -> Result<Outcome<P::News>, P::Error> {
    loop {
        if let Some(news) = position.look().await? {
            return Ok(Outcome::News(news));
        }
        let rung = match until {
            Some(deadline) => timeout_at(deadline, bell.rung()).await,
            None => Ok(bell.rung().await),
        };
        match rung {
            Ok(Rung::Moved) => {}
            Ok(Rung::Closing) => return Ok(Outcome::Closing),
            Err(_) => return Ok(Outcome::Nothing),
        }
    }
}
