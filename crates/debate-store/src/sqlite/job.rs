//! The work of one request inside the writer's transaction.

use std::panic::{AssertUnwindSafe, catch_unwind};

use debate_app::{Cause, StoreError};
use rusqlite::Connection;
use tokio::sync::oneshot;

use super::arena::RecentDebates;
use super::error::StorageFailure;
use crate::arena::CounterChanges;
use crate::notifications::Notifications;

/// The open transaction of the writer.
pub(super) struct Tx<'c> {
    pub(super) conn: &'c Connection,
    pub(super) recent: &'c mut RecentDebates,
    /// Written before the commit; none without a change of a debate.
    pub(super) counters: Option<CounterChanges>,
    /// Sent after the commit.
    pub(super) notifications: Notifications,
}

/// The work of a request, without the types of its answer.
pub(super) trait Job: Send {
    /// Executes the work. May be called again after a rollback.
    fn attempt(&mut self, tx: &mut Tx<'_>) -> TransactionState;
    /// Answers the request after the commit.
    fn settle(self: Box<Self>, commit: Result<(), StoreError>);
}

/// The state of the transaction after a job.
pub(super) enum TransactionState {
    /// The transaction can be committed.
    Usable,
    /// Storage failed, or the job was refused after it had written.
    MustRollBack(Option<StoreError>),
}

/// A job in the writer's queue, with the channel for its answer.
pub(super) struct QueuedJob<F, T, E> {
    work: F,
    result: Option<Result<T, E>>,
    reply: oneshot::Sender<Result<T, E>>,
}

impl<F, T, E> QueuedJob<F, T, E> {
    pub(super) const fn new(work: F, reply: oneshot::Sender<Result<T, E>>) -> Self {
        Self { work, result: None, reply }
    }
}

impl<F, T, E> Job for QueuedJob<F, T, E>
where
    F: FnMut(&mut Tx<'_>) -> Result<T, E> + Send,
    T: Send,
    E: From<StoreError> + StorageFailure + Send,
{
    fn attempt(&mut self, tx: &mut Tx<'_>) -> TransactionState {
        let before = tx.conn.total_changes();
        let result = catch_unwind(AssertUnwindSafe(|| (self.work)(tx))).unwrap_or_else(|_| {
            Err(StoreError::Unexpected(Cause::new("write task panicked")).into())
        });
        let attempt = match &result {
            Ok(_) => TransactionState::Usable,
            Err(err) => match err.storage_failure() {
                Some(fault) => TransactionState::MustRollBack(Some(fault.clone())),
                None if tx.conn.total_changes() != before => TransactionState::MustRollBack(None),
                None => TransactionState::Usable,
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
        // The client may have left; what was committed stays committed.
        let _ = self.reply.send(answer);
    }
}

/// The error of a request whose job can no longer be executed.
pub(super) fn writer_ended() -> StoreError {
    StoreError::Unavailable(Cause::new("the writer thread has ended"))
}
