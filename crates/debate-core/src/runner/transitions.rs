//! Transitions of a run's record. The stores load a record, call these functions and store the
//! result in the same transaction.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::backoff::Attempt;
use super::budget::{Budget, ModelWithoutPrice};
use super::cursor::{Cursor, completed_rounds, next_cursor};
use super::plan::{AfterTurn, RunLimit};
use super::run::{NewRun, Run, RunRecord, Turn, TurnDraft};
use super::settings::Language;
use super::status::{
    Command, CommandRefusal, RunState, StepOutcome, WorkerActivity, next_state, state_after_step,
};
use crate::{FencingToken, LeaseState, Seq};

/// The treatment of a call whose outcome is unknown because its worker stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum UnknownOutcomePolicy {
    /// Repeat the call. It may be paid twice, and both calls are counted.
    Retry,
    /// Let the run fail until a person retries it.
    Fail,
}

/// The error of a run that waits for a person after a call with an unknown outcome.
pub const UNKNOWN_OUTCOME_ERROR: &str = "the server stopped during a call to a provider, and its \
     outcome and cost are unknown; retry to send the call again";

/// The error of a run that lost its worker too often.
pub const INTERRUPTED_ERROR: &str = "the server stopped repeatedly during this turn; read its \
     log, then retry";

/// A command to a run.
#[derive(Debug, Clone, PartialEq, Eq)]
pub struct CommandRequest {
    /// The command to the run.
    pub command: Command,
    /// The language of the client's user interface, if the client sent one. A run whose creation
    /// left `output_language` out continues in it.
    pub ui_language: Option<Language>,
}

impl From<Command> for CommandRequest {
    fn from(command: Command) -> Self {
        Self { command, ui_language: None }
    }
}

/// The reason why a command is refused.
#[derive(Debug, Clone, PartialEq, Eq, thiserror::Error)]
pub enum CommandError {
    /// The run's status does not allow the command.
    #[error(transparent)]
    Refused(#[from] CommandRefusal),
    /// The day's cost is limited, and the run calls a model without a price in USD.
    #[error(transparent)]
    ModelWithoutPrice(#[from] ModelWithoutPrice),
}

/// The record of a new run.
#[must_use]
pub fn create_run(opening: &NewRun, at: Timestamp) -> RunRecord {
    let run = Run {
        id: opening.run,
        topic: opening.topic.clone(),
        state: RunState::Created,
        settings: opening.settings.clone(),
        cursor: Cursor::START,
        last_error: None,
        completed_rounds: 0,
        spent: 0,
        ran: Duration::ZERO,
        created_at: at,
        updated_at: at,
    };
    RunRecord {
        run,
        last_seq: Seq::START,
        tries: 0,
        fencing_token: FencingToken::NONE,
        lease: LeaseState::Idle,
    }
}

/// The result of acquiring a run that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Acquired {
    /// The worker holds the lease and must execute a step.
    Step(RunRecord),
    /// The run needed only cleanup after its last worker, without a step to execute.
    Cleaned(RunRecord),
}

impl RunRecord {
    /// The record after a command and its settings.
    pub fn apply_request(
        &self,
        order: &CommandRequest,
        budget: &Budget,
        at: Timestamp,
    ) -> Result<Self, CommandError> {
        let mut after = self.apply_command(order.command, at)?;
        if after.run.state == RunState::Running {
            let settings = &mut after.run.settings;
            budget.check_prices(settings)?;
            if let Some(language) = &order.ui_language
                && !settings.output_language_given
            {
                settings.output_language = language.clone();
            }
        }
        Ok(after)
    }

    /// The record after a command.
    pub fn apply_command(&self, command: Command, at: Timestamp) -> Result<Self, CommandRefusal> {
        let flight = match self.lease {
            LeaseState::Held { until, .. } if until > at => WorkerActivity::InTurn,
            LeaseState::Idle | LeaseState::Due { .. } | LeaseState::Held { .. } => {
                WorkerActivity::Idle
            }
        };
        let state = next_state(self.run.state, flight, command)?;
        let mut after = self.clone();
        after.run.updated_at = at;
        match state {
            RunState::Running => {
                after.run.state = state;
                after.run.last_error = None;
                after.tries = 0;
                after.lease = LeaseState::Due { at };
            }
            // The worker saves its turn or its lease ends; both end the stopping.
            RunState::Stopping => after.run.state = state,
            RunState::Created
            | RunState::Stopped
            | RunState::Failed
            | RunState::Completed(_)
            | RunState::Canceled => after.release(state, at),
        }
        Ok(after)
    }

    /// Acquires the run for a worker that renews its lease within `lease`. `interrupted` is the
    /// number of calls of the last worker without an outcome.
    #[must_use]
    pub fn acquire(
        &self,
        interrupted: u32,
        policy: UnknownOutcomePolicy,
        at: Timestamp,
        lease: SignedDuration,
    ) -> Acquired {
        let mut after = self.clone();
        after.fencing_token = self.fencing_token.next();
        after.tries = self.tries.saturating_add(interrupted);
        let sentence = match (self.run.state, policy) {
            (RunState::Running, _) if interrupted == 0 => None,
            (RunState::Running, UnknownOutcomePolicy::Fail) => Some(UNKNOWN_OUTCOME_ERROR),
            (RunState::Running, UnknownOutcomePolicy::Retry) => {
                (after.tries >= Attempt::MOST).then_some(INTERRUPTED_ERROR)
            }
            (
                RunState::Created
                | RunState::Stopping
                | RunState::Stopped
                | RunState::Failed
                | RunState::Completed(_)
                | RunState::Canceled,
                _,
            ) => {
                let released = state_after_step(self.run.state, StepOutcome::Released);
                let state = released.unwrap_or(self.run.state);
                after.run.updated_at = at;
                after.release(state, at);
                return Acquired::Cleaned(after);
            }
        };
        if let Some(sentence) = sentence {
            after.run.updated_at = at;
            after.run.last_error = Some(sentence.to_owned());
            after.release(RunState::Failed, at);
            return Acquired::Cleaned(after);
        }
        after.count_held_time(at);
        after.lease = LeaseState::hold(at, lease);
        Acquired::Step(after)
    }

    /// Extends the lease; none if the worker does not hold it any more.
    #[must_use]
    pub fn renew(&self, term: FencingToken, at: Timestamp, lease: SignedDuration) -> Option<Self> {
        let mut after = self.if_held_with(term)?.clone();
        after.count_held_time(at);
        after.lease = LeaseState::hold(at, lease);
        Some(after)
    }

    /// The record, if the worker with this fencing token still holds the lease.
    pub(super) fn if_held_with(&self, term: FencingToken) -> Option<&Self> {
        let goes_on = match self.run.state {
            RunState::Running | RunState::Stopping => true,
            RunState::Created
            | RunState::Stopped
            | RunState::Failed
            | RunState::Completed(_)
            | RunState::Canceled => false,
        };
        (goes_on && self.fencing_token == term && self.lease.held_since().is_some()).then_some(self)
    }

    /// Ends the lease and discards later writes of its worker.
    fn release(&mut self, state: RunState, at: Timestamp) {
        self.count_held_time(at);
        self.fencing_token = self.fencing_token.next();
        self.run.state = state;
        self.lease = LeaseState::Idle;
    }

    /// Adds the time since the last count, but none after the end of the lease.
    fn count_held_time(&mut self, at: Timestamp) {
        if let LeaseState::Held { since, until } = self.lease {
            self.add_runtime(at.min(until).duration_since(since));
        }
    }

    fn add_runtime(&mut self, span: SignedDuration) {
        // A clock that was set back does not reduce the runtime.
        let span = Duration::try_from(span).unwrap_or(Duration::ZERO);
        self.run.ran = self.run.ran.saturating_add(span);
    }
}

/// The result of a worker's step.
#[derive(Debug, Clone)]
pub enum StepResult {
    /// The step produced a turn.
    Turn {
        /// The turn without its position.
        draft: TurnDraft,
        /// Whether the run continues after it.
        then: AfterTurn,
    },
    /// A limit was reached before a call.
    LimitReached {
        /// The turn that would have been next.
        cursor: Cursor,
        /// The limit that was reached.
        limit: RunLimit,
    },
    /// The call failed and will be repeated.
    Retry {
        /// The error message for users.
        error: String,
        /// The wait before the next attempt.
        wait: Duration,
    },
    /// The turn failed finally.
    Failed {
        /// The error message for users.
        error: String,
    },
    /// The worker gave the run back without a result.
    Released,
}

impl StepResult {
    const fn outcome(&self) -> StepOutcome {
        match self {
            Self::Turn { then, .. } => StepOutcome::Turn(*then),
            Self::LimitReached { limit, .. } => StepOutcome::LimitReached(*limit),
            Self::Retry { .. } => StepOutcome::Retry,
            Self::Failed { .. } => StepOutcome::Failed,
            Self::Released => StepOutcome::Released,
        }
    }
}

impl RunRecord {
    /// The record after a step, and its turn, if any; none if the worker does not hold the lease
    /// any more. `last` is the newest stored turn.
    #[must_use]
    pub fn finish_step(
        &self,
        term: FencingToken,
        end: StepResult,
        last: Option<(Cursor, Seq)>,
        at: Timestamp,
    ) -> Option<(Self, Option<Turn>)> {
        let mut after = self.if_held_with(term)?.clone();
        let state = state_after_step(self.run.state, end.outcome())?;
        after.count_held_time(at);
        after.run.state = state;
        let mut due = at;
        let mut turn = None;
        match end {
            StepResult::Turn { draft: said, .. } => turn = after.add_turn(said, last, at),
            StepResult::LimitReached { cursor, .. } => after.run.cursor = cursor,
            StepResult::Retry { error: sentence, wait } => {
                let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
                due = at.saturating_add(wait).unwrap_or(Timestamp::MAX);
                after.add_runtime(wait);
                after.tries = after.tries.saturating_add(1);
                after.run.last_error = Some(sentence);
            }
            StepResult::Failed { error: sentence } => after.run.last_error = Some(sentence),
            StepResult::Released => {}
        }
        after.run.updated_at = at;
        after.lease = match state {
            RunState::Running => LeaseState::Due { at: due },
            RunState::Created
            | RunState::Stopping
            | RunState::Stopped
            | RunState::Failed
            | RunState::Completed(_)
            | RunState::Canceled => LeaseState::Idle,
        };
        Some((after, turn))
    }

    /// Adds a turn and advances the cursor. If a turn for this cursor is stored already, the new
    /// one is dropped and the run continues after the stored turns.
    fn add_turn(
        &mut self,
        said: TurnDraft,
        last: Option<(Cursor, Seq)>,
        at: Timestamp,
    ) -> Option<Turn> {
        let mode = self.run.settings.judge_mode;
        self.tries = 0;
        self.run.last_error = None;
        let last_place = last.map(|(place, _)| place);
        if last_place.is_some_and(|last| said.cursor <= last) {
            self.run.cursor = next_cursor(last_place, mode);
            return None;
        }
        let seq = last.map_or(Seq::START, |(_, seq)| seq).next();
        let TurnDraft { id: turn, cursor: place, content, model, usage, metadata } = said;
        self.last_seq = seq;
        self.run.cursor = place.after(mode);
        self.run.completed_rounds =
            self.run.completed_rounds.saturating_add(completed_rounds([place], mode));
        let run = self.run.id;
        Some(Turn {
            id: turn,
            run,
            seq,
            cursor: place,
            content,
            model,
            usage,
            metadata,
            created_at: at,
        })
    }
}
