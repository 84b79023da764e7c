//! One write that waits for its turn, and whoever waits for its answer.

use std::panic::{AssertUnwindSafe, catch_unwind};

use debate_app::arena::{AppendArgument, ArenaError, OpenDebate, WriteOutcome, WrittenArgument};
use debate_app::{Cause, StoreError};
use debate_core::{ArgumentId, DebateId, RequestKey};
use jiff::Timestamp;
use tokio::sync::oneshot;

use super::batch_state::BatchState;
use crate::arena;

/// What is asked for. A value: it can be tried as often as it must.
pub(in super::super) enum Work {
    Open(Box<OpenDebate>),
    Append(Box<AppendArgument>),
    Delete(DebateId, Timestamp),
}

/// What came of it.
pub(in super::super) enum Done {
    Written(Box<WrittenArgument>),
    Deleted,
}

pub(in super::super) type Answer = Result<Done, ArenaError>;

pub(in super::super) struct Task {
    work: Work,
    outcome: Option<Answer>,
    reply: oneshot::Sender<Answer>,
}

impl Task {
    pub(in super::super) fn new(work: Work) -> (Self, oneshot::Receiver<Answer>) {
        let (reply, answer) = oneshot::channel();
        (Self { work, outcome: None, reply }, answer)
    }

    pub(in super::super) fn debate(&self) -> DebateId {
        match &self.work {
            Work::Open(open) => open.opening.debate,
            Work::Append(append) => append.debate,
            Work::Delete(debate, _) => *debate,
        }
    }

    pub(in super::super) fn is_delete(&self) -> bool {
        matches!(self.work, Work::Delete(..))
    }

    pub(super) fn key(&self) -> Option<&RequestKey> {
        match &self.work {
            Work::Open(open) => Some(&open.opening.key),
            Work::Append(append) => Some(&append.draft.key),
            Work::Delete(..) => None,
        }
    }

    /// The id of the debate that this opens, if it does.
    pub(super) fn opens(&self) -> Option<DebateId> {
        match &self.work {
            Work::Open(open) => Some(open.opening.debate),
            Work::Append(_) | Work::Delete(..) => None,
        }
    }

    pub(super) fn target(&self) -> Option<ArgumentId> {
        match &self.work {
            Work::Append(append) => append.draft.target,
            Work::Open(_) | Work::Delete(..) => None,
        }
    }

    /// Decides on the state of the batch. After a storage failure nothing of the batch is written.
    pub(in super::super) fn attempt(&mut self, state: &mut BatchState) -> Result<(), StoreError> {
        let work = &self.work;
        let outcome = catch_unwind(AssertUnwindSafe(|| match work {
            Work::Open(open) => {
                let asked = open.opening.fingerprint();
                arena::open(state, open, asked).map(Box::new).map(Done::Written)
            }
            Work::Append(append) => {
                let asked = append.draft.fingerprint();
                arena::append(state, append, asked).map(Box::new).map(Done::Written)
            }
            Work::Delete(debate, at) => arena::delete(state, *debate, *at).map(|()| Done::Deleted),
        }))
        .unwrap_or_else(|_| Err(StoreError::Unexpected(Cause::new("write task panicked")).into()));
        if let Err(ArenaError::Store(err)) = &outcome {
            return Err(err.clone());
        }
        self.outcome = Some(outcome);
        Ok(())
    }

    /// An earlier try may have been committed after all, its answer lost with the connection. Then
    /// what this try found is that one's doing: the id is one that nobody else could have given.
    pub(in super::super) fn recognise_own_commit(&mut self) {
        let own = match &self.work {
            Work::Open(open) => Some(open.opening.motion_id),
            Work::Append(append) => Some(append.draft.id),
            Work::Delete(..) => None,
        };
        match &mut self.outcome {
            Some(Ok(Done::Written(written))) if own == Some(written.argument.id) => {
                written.outcome = WriteOutcome::Fresh;
            }
            Some(outcome @ Err(ArenaError::NoSuchDebate(_))) if own.is_none() => {
                *outcome = Ok(Done::Deleted);
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
