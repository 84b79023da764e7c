//! One request's work inside the writer's transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use debate_app::{Cause, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::arena::RecentDebates;
use super::fault::MaybeFault;
use crate::arena::Effects;
use crate::notifications::Notifications;

/// One transaction, open.
pub(super) struct Tx<'c> {
    /// Where statements run.
    pub(super) conn: &'c Connection,
    /// What is known without asking.
    pub(super) recent: &'c mut RecentDebates,
    /// What to do at its end.
    pub(super) arena: Effects,
    /// Whom to tell after it.
    pub(super) notifications: Notifications,
}

/// One request's work, its type hidden.
pub(super) trait Job: Send {
    fn attempt(&mut self, tx: &mut Tx<'_>) -> Attempt;
    fn settle(self: Box<Self>, commit: Result<(), StoreError>);
    /// For a server that is meant to be caught.
    fn answer_early(&mut self);
}

/// What running a job left of the transaction.
pub(super) enum Attempt {
    /// It can be committed.
    Sound,
    /// It can't: storage failed, or a refusal came after a write.
    Spoiled(Option<StoreError>),
}

/// Work that waits for its turn, and whoever waits for its answer.
pub(super) struct Pending<F, T, E> {
    work: F,
    result: Option<Result<T, E>>,
    /// Gone once it has been answered.
    reply: Option<oneshot::Sender<Result<T, E>>>,
}

impl<F, T, E> Pending<F, T, E> {
    pub(super) const fn new(work: F, reply: oneshot::Sender<Result<T, E>>) -> Self {
        Self { work, result: None, reply: Some(reply) }
    }
}

impl<F, T, E> Job for Pending<F, T, E>
where
    F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + MaybeFault + Send,
{
    fn attempt(&mut self, tx: &mut Tx<'_>) -> Attempt {
        let before = tx.conn.total_changes();
        let result = catch_unwind(AssertUnwindSafe(|| (self.work)(tx))).unwrap_or_else(|_| {
            Err(StoreError::Unexpected(Cause::new("write task panicked")).into())
        });
        let attempt = match &result {
            Ok(_) => Attempt::Sound,
            Err(err) => match err.fault() {
                Some(fault) => Attempt::Spoiled(Some(fault.clone())),
                None if tx.conn.total_changes() != before => Attempt::Spoiled(None),
                None => Attempt::Sound,
            },
        };
        self.result = Some(result);
        attempt
    }

    fn settle(self: Box<Self>, commit: Result<(), StoreError>) {
        let answer = match (commit, self.result) {
            (Ok(()), Some(result)) => result,
            (Err(err), _) => Err(err.into()),
            (Ok(()), None) => Err(writer_ended().into()),
        };
        if let Some(reply) = self.reply {
            // The client may have left; what was committed stays committed.
            let _ = reply.send(answer);
        }
    }

    fn answer_early(&mut self) {
        if let (Some(reply), Some(result)) = (self.reply.take(), self.result.take()) {
            let _ = reply.send(result);
        }
    }
}

/// There is nobody left to do it.
pub(super) fn writer_ended() -> StoreError {
    StoreError::Unavailable(Cause::new("the writer thread has ended"))
}
