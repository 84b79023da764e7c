//! A write of the arena in the queue of a batch writer, with the channel for its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use debate_app::arena::{
    AppendArgument, ArenaError, DeleteDebate, OpenDebate, ReleaseSeat, TakeSeat, TakenSeat,
    WriteOutcome, WrittenArgument,
};
use debate_app::{Cause, StoreError};
use debate_core::arena::NewDebate;
use debate_core::{ArgumentId, DebateId, RequestKey};
use tokio::sync::oneshot;

use super::batch_state::BatchState;
use crate::arena;

/// A request to write. It is a value, so that a batch can be repeated.
pub(in super::super) enum ArenaWrite {
    Open(Box<OpenDebate>),
    Append(Box<AppendArgument>),
    Delete(DeleteDebate),
    TakeSeat(Box<TakeSeat>),
    ReleaseSeat(ReleaseSeat),
}

/// The answer to a write that was committed.
pub(in super::super) enum WriteReply {
    Written(Box<WrittenArgument>),
    SeatTaken(TakenSeat),
    /// A debate is deleted or a seat released.
    Done,
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
            ArenaWrite::Delete(delete) => delete.debate,
            ArenaWrite::TakeSeat(take) => take.debate,
            ArenaWrite::ReleaseSeat(release) => release.debate,
        }
    }

    pub(in super::super) fn is_delete(&self) -> bool {
        matches!(self.work, ArenaWrite::Delete(..))
    }

    pub(super) fn key(&self) -> Option<&RequestKey> {
        match &self.work {
            ArenaWrite::Open(open) => Some(&open.opening.key),
            ArenaWrite::Append(append) => Some(&append.draft.key),
            ArenaWrite::Delete(_) | ArenaWrite::TakeSeat(_) | ArenaWrite::ReleaseSeat(_) => None,
        }
    }

    /// The debate that this opens, if it does.
    pub(super) fn opening(&self) -> Option<&NewDebate> {
        match &self.work {
            ArenaWrite::Open(open) => Some(&open.opening),
            ArenaWrite::Append(_)
            | ArenaWrite::Delete(_)
            | ArenaWrite::TakeSeat(_)
            | ArenaWrite::ReleaseSeat(_) => None,
        }
    }

    pub(super) fn target(&self) -> Option<ArgumentId> {
        match &self.work {
            ArenaWrite::Append(append) => append.draft.target,
            ArenaWrite::Open(_)
            | ArenaWrite::Delete(_)
            | ArenaWrite::TakeSeat(_)
            | ArenaWrite::ReleaseSeat(_) => None,
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
            ArenaWrite::Delete(delete) => arena::delete(state, delete).map(|()| WriteReply::Done),
            ArenaWrite::TakeSeat(take) => arena::take_seat(state, take).map(WriteReply::SeatTaken),
            ArenaWrite::ReleaseSeat(release) => {
                arena::release_seat(state, release).map(|()| WriteReply::Done)
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
    /// was lost. The random id in the request proves it: no other request has that id. A seat is
    /// proven by its token together with the time of the request.
    pub(in super::super) fn detect_earlier_commit(&mut self) {
        match (&self.work, &mut self.outcome) {
            (ArenaWrite::Open(open), Some(Ok(WriteReply::Written(written))))
                if open.opening.motion_id == written.argument.id =>
            {
                written.outcome = WriteOutcome::Fresh;
            }
            (ArenaWrite::Append(append), Some(Ok(WriteReply::Written(written))))
                if append.draft.id == written.argument.id =>
            {
                written.outcome = WriteOutcome::Fresh;
            }
            (ArenaWrite::TakeSeat(take), Some(Ok(WriteReply::SeatTaken(taken))))
                if take.holder == taken.holder =>
            {
                taken.outcome = WriteOutcome::Fresh;
            }
            (ArenaWrite::Delete(_), Some(outcome @ Err(ArenaError::UnknownDebate(_)))) => {
                *outcome = Ok(WriteReply::Done);
            }
            (
                ArenaWrite::Open(_)
                | ArenaWrite::Append(_)
                | ArenaWrite::Delete(_)
                | ArenaWrite::TakeSeat(_)
                | ArenaWrite::ReleaseSeat(_),
                Some(_) | None,
            ) => {}
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
