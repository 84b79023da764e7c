//! A write of the arena in the queue of a batch writer, with the channel for its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use debate_app::arena::{AppendArgument, ArenaError, OpenDebate, WriteOutcome, WrittenArgument};
use debate_app::{Cause, StoreError};
use debate_core::{ArgumentId, DebateId, RequestKey};
use jiff::Timestamp;
use tokio::sync::oneshot;

use super::batch_state::BatchState;
use crate::arena;

/// A request to write. It is a value, so that a batch can be repeated.
pub(in super::super) enum ArenaWrite {
    Open(Box<OpenDebate>),
    Append(Box<AppendArgument>),
    Delete(DebateId, Timestamp),
}

/// The answer to a write that was committed.
pub(in super::super) enum WriteReply {
    Written(Box<WrittenArgument>),
    Deleted,
}

pub(in super::super) type WriteResult = Result<WriteReply, ArenaError>;

pub(in super::super) struct QueuedWrite {
    work: ArenaWrite,
    outcome: Option<WriteResult>,
    reply: oneshot::Sender<WriteResult>,
}

impl QueuedWrite {
    pub(in super::super) fn new(work: ArenaWrite) -> (Self, oneshot::Receiver<WriteResult>) {
        let (reply, answer) = oneshot::channel();
        (Self { work, outcome: None, reply }, answer)
    }

    pub(in super::super) fn debate(&self) -> DebateId {
        match &self.work {
            ArenaWrite::Open(open) => open.opening.debate,
            ArenaWrite::Append(append) => append.debate,
            ArenaWrite::Delete(debate, _) => *debate,
        }
    }

    pub(in super::super) fn is_delete(&self) -> bool {
        matches!(self.work, ArenaWrite::Delete(..))
    }

    pub(super) fn key(&self) -> Option<&RequestKey> {
        match &self.work {
            ArenaWrite::Open(open) => Some(&open.opening.key),
            ArenaWrite::Append(append) => Some(&append.draft.key),
            ArenaWrite::Delete(..) => None,
        }
    }

    /// The id of the debate that this opens, if it does.
    pub(super) fn opens(&self) -> Option<DebateId> {
        match &self.work {
            ArenaWrite::Open(open) => Some(open.opening.debate),
            ArenaWrite::Append(_) | ArenaWrite::Delete(..) => None,
        }
    }

    pub(super) fn target(&self) -> Option<ArgumentId> {
        match &self.work {
            ArenaWrite::Append(append) => append.draft.target,
            ArenaWrite::Open(_) | ArenaWrite::Delete(..) => None,
        }
    }

    /// Decides on the state of the batch. After a storage failure nothing of the batch is written.
    pub(in super::super) fn attempt(&mut self, state: &mut BatchState) -> Result<(), StoreError> {
        let work = &self.work;
        let outcome = catch_unwind(AssertUnwindSafe(|| match work {
            ArenaWrite::Open(open) => {
                let fingerprint = open.opening.fingerprint();
                arena::open(state, open, fingerprint).map(Box::new).map(WriteReply::Written)
            }
            ArenaWrite::Append(append) => {
                let fingerprint = append.draft.fingerprint();
                arena::append(state, append, fingerprint).map(Box::new).map(WriteReply::Written)
            }
            ArenaWrite::Delete(debate, at) => {
                arena::delete(state, *debate, *at).map(|()| WriteReply::Deleted)
            }
        }))
        .unwrap_or_else(|_| Err(StoreError::Unexpected(Cause::new("write task panicked")).into()));
        if let Err(ArenaError::Store(err)) = &outcome {
            return Err(err.clone());
        }
        self.outcome = Some(outcome);
        Ok(())
    }

    /// Corrects the outcome if an earlier attempt of this write was committed and only its answer
    /// was lost. The random id in the request proves it: no other request has that id.
    pub(in super::super) fn detect_earlier_commit(&mut self) {
        let own = match &self.work {
            ArenaWrite::Open(open) => Some(open.opening.motion_id),
            ArenaWrite::Append(append) => Some(append.draft.id),
            ArenaWrite::Delete(..) => None,
        };
        match &mut self.outcome {
            Some(Ok(WriteReply::Written(written))) if own == Some(written.argument.id) => {
                written.outcome = WriteOutcome::Fresh;
            }
            Some(outcome @ Err(ArenaError::UnknownDebate(_))) if own.is_none() => {
                *outcome = Ok(WriteReply::Deleted);
            }
            Some(_) | None => {}
        }
    }

    pub(in super::super) fn settle(self, commit: Result<(), StoreError>) {
        let unanswered = || StoreError::Unexpected(Cause::new("write without a result")).into();
        let answer = match commit {
            Ok(()) => self.outcome.unwrap_or_else(|| Err(unanswered())),
            Err(err) => Err(err.into()),
        };
        // The client may have left; what was committed stays committed.
        let _ = self.reply.send(answer);
    }
}
