//! Following a run: its turns, its state, and the text of the turn in progress.

use async_trait::async_trait;
use debate_core::runner::{Cursor, Run, RunState};
use debate_core::{RunId, Seq, TurnId};
use jiff::Timestamp;

use super::live_answer::AnswerReader;
use super::{Delta, NewTurns, Runner, RunnerError};
use crate::notifier::{SequenceReader, StreamPosition};
use crate::{Notification, Subscription, Waiter};

/// A subscriber's position in a run, which it reads onwards.
pub struct RunFollower {
    reader: RunReader,
    subscription: Subscription,
    watcher: AnswerReader,
    /// Whether the store may hold something that the reader has not read.
    is_stale: bool,
}

/// One step of a stream.
#[derive(Debug)]
pub enum RunUpdate {
    /// New turns or a new state of the run; the follower's position is now the last turn.
    Turns(Box<NewTurns>),
    /// More text of the turn in progress. It is not stored and not repeated.
    Delta(Delta),
    /// The server is shutting down.
    Closing,
}

/// An existing position of a run's sequence.
#[derive(Debug, Clone, Copy, PartialEq, Eq)]
pub struct RunPosition {
    /// The position as a sequence number.
    pub at: Seq,
    /// Whether the run is final and no turn follows the position.
    pub is_end: bool,
}

impl Runner {
    /// Follows `run` from the position `since`.
    pub fn follow(
        &self,
        run: RunId,
        since: StreamPosition<TurnId>,
    ) -> Result<RunFollower, RunnerError> {
        // Subscribe before the first read: a turn that is saved between a read and a later
        // subscription would go unnoticed.
        let subscription = self.notifier.subscribe_as(Waiter::Runner, run)?;
        let watcher = self.live_answers.watch(run);
        let reader = RunReader {
            runner: self.clone(),
            run,
            since,
            created_at: None,
            reported: None,
            newest_turn: None,
        };
        Ok(RunFollower { reader, subscription, watcher, is_stale: true })
    }

    /// Resolves a position; none if the run has no such position.
    pub async fn locate(
        &self,
        run: RunId,
        since: StreamPosition<TurnId>,
    ) -> Result<Option<RunPosition>, RunnerError> {
        match self.store.newer_than(run, since).await {
            Ok(new) if new.seen <= new.last => {
                let is_end = new.seen == new.last && new.run.state.is_final();
                Ok(Some(RunPosition { at: new.seen, is_end }))
            }
            Ok(_) | Err(RunnerError::UnknownPosition(_)) => Ok(None),
            Err(err) => Err(err),
        }
    }
}

impl RunFollower {
    /// The next update. Cancel-safe: the position advances only when an update is returned.
    pub async fn next(&mut self) -> Result<RunUpdate, RunnerError> {
        let Self { reader, subscription, watcher, is_stale } = self;
        loop {
            // All turns first: the text of a turn in progress belongs after the turns before it.
            // They are read only after a notification, since deltas are far more frequent.
            if *is_stale {
                if let Some(new) = reader.read_next().await? {
                    return Ok(RunUpdate::Turns(Box::new(new)));
                }
                *is_stale = false;
            }
            tokio::select! {
                biased;
                notification = subscription.changed() => match notification {
                    Notification::Changed => *is_stale = true,
                    Notification::Closing => return Ok(RunUpdate::Closing),
                },
                delta = watcher.next() => {
                    // Deltas of a turn that was returned already are outdated.
                    if reader.newest_turn.is_none_or(|newest| delta.cursor > newest) {
                        return Ok(RunUpdate::Delta(delta));
                    }
                }
            }
        }
    }
}

/// The parts of a run that were last reported to the follower.
#[derive(Debug, Clone, PartialEq, Eq)]
struct ReportedState {
    state: RunState,
    cursor: Cursor,
    last_error: Option<String>,
}

impl From<&Run> for ReportedState {
    fn from(run: &Run) -> Self {
        Self { state: run.state, cursor: run.cursor, last_error: run.last_error.clone() }
    }
}

struct RunReader {
    runner: Runner,
    run: RunId,
    since: StreamPosition<TurnId>,
    /// The creation time of the run, once known. Another time means another run with the same id.
    created_at: Option<Timestamp>,
    reported: Option<ReportedState>,
    /// The newest turn that was returned.
    newest_turn: Option<Cursor>,
}

#[async_trait]
impl SequenceReader for RunReader {
    type Batch = NewTurns;
    type Error = RunnerError;

    async fn read_next(&mut self) -> Result<Option<NewTurns>, RunnerError> {
        let new = self.runner.store.newer_than(self.run, self.since).await?;
        if *self.created_at.get_or_insert(new.run.created_at) != new.run.created_at {
            return Err(RunnerError::UnknownRun(self.run));
        }
        self.since = StreamPosition::Seq(new.newest_seq());
        let current = ReportedState::from(&new.run);
        if new.newer.is_empty() && self.reported.as_ref() == Some(&current) {
            return Ok(None);
        }
        self.reported = Some(current);
        self.newest_turn = new.newer.last().map(|turn| turn.cursor).or(self.newest_turn);
        Ok(Some(new))
    }
}

impl NewTurns {
    /// Whether the run is final and no turn follows these.
    #[must_use]
    pub fn is_end(&self) -> bool {
        self.newest_seq() >= self.last && self.run.state.is_final()
    }

    fn newest_seq(&self) -> Seq {
        self.newer.last().map_or(self.seen, |turn| turn.seq)
    }
}
