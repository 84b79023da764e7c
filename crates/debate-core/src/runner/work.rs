//! What each thing that can happen to a debate leaves of its record. The stores load, ask here, and
//! keep the answer in the same transaction.

use std::time::Duration;

use jiff::{SignedDuration, Timestamp};

use super::backoff::Attempt;
use super::cursor::{Cursor, completed_rounds, from_turns};
use super::plan::{Limit, Then};
use super::run::{Opening, Record, Run, Said};
use super::status::{Command, End, Ended, Flight, Refusal, Standing, ended, next};
use super::turn::Turn;
use crate::{Seq, Term, Work};

/// What a worker does about a call whose outcome nobody knows.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum OnUnknown {
    /// Asks again. It may be paid twice, and both are counted.
    Retry,
    /// Leaves it to a human.
    Hold,
}

/// The error of a run that waits for a person after a call with an unknown outcome.
pub const HELD_SENTENCE: &str = "the server stopped during a call to a provider, and its outcome \
     and cost are unknown; retry to send the call again";

/// The error of a run that lost its worker too often.
pub const INTERRUPTED_SENTENCE: &str = "the server stopped repeatedly during this turn; read its \
     log, then retry";

/// A debate that was just made.
#[must_use]
pub fn created(opening: &Opening, at: Timestamp) -> Record {
    let run = Run {
        id: opening.run,
        topic: opening.topic.clone(),
        standing: Standing::Created,
        settings: opening.settings.clone(),
        cursor: Cursor::START,
        last_error: None,
        completed_rounds: 0,
        spent: 0,
        ran: Duration::ZERO,
        created_at: at,
        updated_at: at,
    };
    Record { run, last_seq: Seq::START, tries: 0, term: Term::NONE, work: Work::None }
}

/// What a worker finds who comes for a debate that is due.
#[derive(Debug, Clone, PartialEq, Eq)]
pub enum Taken {
    /// Something to do: the debate is its own for a while.
    Step(Record),
    /// Nothing: what the last holder left undone was all there was.
    Tidied(Record),
}

impl Record {
    /// What a command leaves.
    pub fn commanded(&self, command: Command, at: Timestamp) -> Result<Self, Refusal> {
        let flight = match self.work {
            Work::Held { until, .. } if until > at => Flight::Turn,
            Work::None | Work::Due { .. } | Work::Held { .. } => Flight::Idle,
        };
        let standing = next(self.run.standing, flight, command)?;
        let mut after = self.clone();
        after.run.updated_at = at;
        match standing {
            Standing::Running => {
                after.run.standing = standing;
                after.run.last_error = None;
                after.tries = 0;
                after.work = Work::Due { at };
            }
            // Its worker will bring the turn, or fall silent; either ends the stopping.
            Standing::Stopping => after.run.standing = standing,
            Standing::Created
            | Standing::Stopped
            | Standing::Failed
            | Standing::Completed(_)
            | Standing::Canceled => after.rest(standing, at),
        }
        Ok(after)
    }

    /// What is left when a worker comes who will say again within `lease` that it is at work.
    /// `interrupted` calls of the last holder have no outcome.
    #[must_use]
    pub fn taken(
        &self,
        interrupted: u32,
        policy: OnUnknown,
        at: Timestamp,
        lease: SignedDuration,
    ) -> Taken {
        let mut after = self.clone();
        after.term = self.term.next();
        after.tries = self.tries.saturating_add(interrupted);
        let sentence = match (self.run.standing, policy) {
            (Standing::Running, _) if interrupted == 0 => None,
            (Standing::Running, OnUnknown::Hold) => Some(HELD_SENTENCE),
            (Standing::Running, OnUnknown::Retry) => {
                (after.tries >= Attempt::MOST).then_some(INTERRUPTED_SENTENCE)
            }
            (
                Standing::Created
                | Standing::Stopping
                | Standing::Stopped
                | Standing::Failed
                | Standing::Completed(_)
                | Standing::Canceled,
                _,
            ) => {
                let standing = match ended(self.run.standing, End::LetGo) {
                    Ended::Kept(standing) => standing,
                    Ended::Dropped => self.run.standing,
                };
                after.run.updated_at = at;
                after.rest(standing, at);
                return Taken::Tidied(after);
            }
        };
        if let Some(sentence) = sentence {
            after.run.updated_at = at;
            after.run.last_error = Some(sentence.to_owned());
            after.rest(Standing::Failed, at);
            return Taken::Tidied(after);
        }
        after.count_time(at);
        after.work = Work::held(at, lease);
        Taken::Step(after)
    }

    /// What is left when its holder says that it is still at work; none if it is not its any more.
    #[must_use]
    pub fn renewed(&self, term: Term, at: Timestamp, lease: SignedDuration) -> Option<Self> {
        let mut after = self.held_by(term)?.clone();
        after.count_time(at);
        after.work = Work::held(at, lease);
        Some(after)
    }

    /// The record, if the holder of `term` may still write to it.
    pub(super) fn held_by(&self, term: Term) -> Option<&Self> {
        let goes_on = match self.run.standing {
            Standing::Running | Standing::Stopping => true,
            Standing::Created
            | Standing::Stopped
            | Standing::Failed
            | Standing::Completed(_)
            | Standing::Canceled => false,
        };
        (goes_on && self.term == term && self.work.held_since().is_some()).then_some(self)
    }

    /// Nobody is wanted any more, and whoever is at work can't write any more.
    fn rest(&mut self, standing: Standing, at: Timestamp) {
        self.count_time(at);
        self.term = self.term.next();
        self.run.standing = standing;
        self.work = Work::None;
    }

    /// Counts the time that a worker had it. A silent one is not counted beyond its lease.
    fn count_time(&mut self, at: Timestamp) {
        if let Work::Held { since, until } = self.work {
            self.ran_for(at.min(until).duration_since(since));
        }
    }

    fn ran_for(&mut self, span: SignedDuration) {
        // A clock that was set back takes nothing away.
        let span = Duration::try_from(span).unwrap_or(Duration::ZERO);
        self.run.ran = self.run.ran.saturating_add(span);
    }
}

/// How a worker's step ended.
#[derive(Debug, Clone)]
pub enum StepEnd {
    /// With a turn.
    Spoke {
        /// What was said.
        said: Said,
        /// What comes after it.
        then: Then,
    },
    /// Without asking anyone: a limit was reached.
    Over {
        /// Where the debate would have gone on.
        cursor: Cursor,
        /// Which limit.
        limit: Limit,
    },
    /// With a failure after which another try is due.
    WillRetry {
        /// What went wrong, for a reader.
        sentence: String,
        /// Not before so long.
        wait: Duration,
    },
    /// With a failure for good.
    Failed {
        /// What went wrong, for a reader.
        sentence: String,
    },
    /// With nothing: the worker gives the debate back.
    LetGo,
}

impl StepEnd {
    const fn kind(&self) -> End {
        match self {
            Self::Spoke { then, .. } => End::Spoke(*then),
            Self::Over { limit, .. } => End::Over(*limit),
            Self::WillRetry { .. } => End::WillRetry,
            Self::Failed { .. } => End::Failed,
            Self::LetGo => End::LetGo,
        }
    }
}

impl Record {
    /// What the end of the step of `term` leaves, and the turn if it brought one; none if the
    /// debate went on without this step. `last` is the newest turn's place, as the turns say.
    #[must_use]
    pub fn settled(
        &self,
        term: Term,
        end: StepEnd,
        last: Option<(Cursor, Seq)>,
        at: Timestamp,
    ) -> Option<(Self, Option<Turn>)> {
        let mut after = self.held_by(term)?.clone();
        let standing = match ended(self.run.standing, end.kind()) {
            Ended::Kept(standing) => standing,
            Ended::Dropped => return None,
        };
        after.count_time(at);
        after.run.standing = standing;
        let mut due = at;
        let mut turn = None;
        match end {
            StepEnd::Spoke { said, .. } => turn = after.speak(said, last, at),
            StepEnd::Over { cursor, .. } => after.run.cursor = cursor,
            StepEnd::WillRetry { sentence, wait } => {
                let wait = SignedDuration::try_from(wait).unwrap_or(SignedDuration::MAX);
                due = at.saturating_add(wait).unwrap_or(Timestamp::MAX);
                after.ran_for(wait);
                after.tries = after.tries.saturating_add(1);
                after.run.last_error = Some(sentence);
            }
            StepEnd::Failed { sentence } => after.run.last_error = Some(sentence),
            StepEnd::LetGo => {}
        }
        after.run.updated_at = at;
        after.work = match standing {
            Standing::Running => Work::Due { at: due },
            Standing::Created
            | Standing::Stopping
            | Standing::Stopped
            | Standing::Failed
            | Standing::Completed(_)
            | Standing::Canceled => Work::None,
        };
        Some((after, turn))
    }

    /// Adds a turn, and moves on to the next place. A place that was spoken at already is not
    /// spoken at again: what the turns say is right, and the debate goes on from there.
    fn speak(&mut self, said: Said, last: Option<(Cursor, Seq)>, at: Timestamp) -> Option<Turn> {
        let mode = self.run.settings.judge_mode;
        self.tries = 0;
        self.run.last_error = None;
        let last_place = last.map(|(place, _)| place);
        if last_place.is_some_and(|last| said.place <= last) {
            self.run.cursor = from_turns(last_place, mode);
            return None;
        }
        let seq = last.map_or(Seq::START, |(_, seq)| seq).next();
        let Said { turn, place, content, model, usage, metadata } = said;
        self.last_seq = seq;
        self.run.cursor = place.after(mode);
        self.run.completed_rounds =
            self.run.completed_rounds.saturating_add(completed_rounds([place], mode));
        let run = self.run.id;
        Some(Turn {
            id: turn,
            debate: run,
            seq,
            place,
            content,
            model,
            usage,
            metadata,
            created_at: at,
        })
    }
}
