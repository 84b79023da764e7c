//! Where a debate stands, what a command does to it, and what the end of a step does.

use std::fmt;

use super::plan::{Limit, Then};

/// Where a debate stands, by the name that lists and filters know.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// Never started.
    Created,
    /// There is work to do: this status is the work item.
    Running,
    /// Stops when the turn in flight is done.
    Stopping,
    /// Stopped by hand; can go on.
    Stopped,
    /// Gave up on a turn; can be tried again.
    Failed,
    /// A limit was reached. Final.
    Completed,
    /// Given up by hand. Final.
    Canceled,
}

impl Status {
    /// Every status.
    pub const ALL: [Self; 7] = [
        Self::Created,
        Self::Running,
        Self::Stopping,
        Self::Stopped,
        Self::Failed,
        Self::Completed,
        Self::Canceled,
    ];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Created => "created",
            Self::Running => "running",
            Self::Stopping => "stopping",
            Self::Stopped => "stopped",
            Self::Failed => "failed",
            Self::Completed => "completed",
            Self::Canceled => "canceled",
        }
    }

    /// The status of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// Why a debate does not run any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// It reached a limit.
    Limit(Limit),
    /// Someone stopped it.
    ManualStop,
    /// Someone gave it up.
    Canceled,
    /// A turn failed for good.
    Error,
}

impl StopReason {
    /// Every reason.
    pub const ALL: [Self; 7] = [
        Self::Limit(Limit::Rounds),
        Self::Limit(Limit::Runtime),
        Self::Limit(Limit::OutputTokens),
        Self::Limit(Limit::JudgeEarlyStop),
        Self::ManualStop,
        Self::Canceled,
        Self::Error,
    ];

    /// The name by which the contract and the stores know it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Limit(Limit::Rounds) => "max_rounds",
            Self::Limit(Limit::Runtime) => "max_runtime_seconds",
            Self::Limit(Limit::OutputTokens) => "max_total_output_tokens",
            Self::Limit(Limit::JudgeEarlyStop) => "judge_early_stop",
            Self::ManualStop => "manual_stop",
            Self::Canceled => "canceled",
            Self::Error => "error",
        }
    }

    /// The reason of this name.
    #[must_use]
    pub fn named(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

/// A status with its reason. A debate that runs has none, and one that ended has the one that fits:
/// "stopped by a limit" can't be written.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Standing {
    /// Never started.
    Created,
    /// There is work to do.
    Running,
    /// Stops when the turn in flight is done.
    Stopping,
    /// Stopped by hand.
    Stopped,
    /// Gave up on a turn.
    Failed,
    /// A limit was reached.
    Completed(Limit),
    /// Given up by hand.
    Canceled,
}

impl Standing {
    /// The standing that was kept as these two; none if they contradict each other.
    #[must_use]
    pub fn of(status: Status, reason: Option<StopReason>) -> Option<Self> {
        let candidate = match status {
            Status::Created => Self::Created,
            Status::Running => Self::Running,
            Status::Stopping => Self::Stopping,
            Status::Stopped => Self::Stopped,
            Status::Failed => Self::Failed,
            Status::Canceled => Self::Canceled,
            Status::Completed => match reason {
                Some(StopReason::Limit(limit)) => Self::Completed(limit),
                Some(StopReason::ManualStop | StopReason::Canceled | StopReason::Error) | None => {
                    return None;
                }
            },
        };
        (candidate.reason() == reason).then_some(candidate)
    }

    /// The status alone.
    #[must_use]
    pub const fn status(self) -> Status {
        match self {
            Self::Created => Status::Created,
            Self::Running => Status::Running,
            Self::Stopping => Status::Stopping,
            Self::Stopped => Status::Stopped,
            Self::Failed => Status::Failed,
            Self::Completed(_) => Status::Completed,
            Self::Canceled => Status::Canceled,
        }
    }

    /// Whether it will never run again.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Completed(_) | Self::Canceled => true,
            Self::Created | Self::Running | Self::Stopping | Self::Stopped | Self::Failed => false,
        }
    }

    /// Why it does not run any more, if so.
    #[must_use]
    pub const fn reason(self) -> Option<StopReason> {
        match self {
            Self::Created | Self::Running | Self::Stopping => None,
            Self::Stopped => Some(StopReason::ManualStop),
            Self::Failed => Some(StopReason::Error),
            Self::Completed(limit) => Some(StopReason::Limit(limit)),
            Self::Canceled => Some(StopReason::Canceled),
        }
    }
}

/// What someone may ask of a debate.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// Begin.
    Start,
    /// Go on.
    Resume,
    /// Try the failed turn again.
    Retry,
    /// Finish the turn in flight, then pause.
    Stop,
    /// Give up at once and for good.
    Cancel,
}

impl Command {
    /// Every command.
    pub const ALL: [Self; 5] = [Self::Start, Self::Resume, Self::Retry, Self::Stop, Self::Cancel];

    /// The name by which the contract knows it.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Start => "start",
            Self::Resume => "resume",
            Self::Retry => "retry",
            Self::Stop => "stop",
            Self::Cancel => "cancel",
        }
    }
}

/// Whether a worker holds the debate just now.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Flight {
    /// Nobody does.
    Idle,
    /// A worker does; it will end its step, or its lease will end.
    Turn,
}

/// The command changes nothing where the debate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cannot {} a run that is {status}", .command.name())]
pub struct Refusal {
    /// Where the debate stood.
    pub status: Status,
    /// What was asked.
    pub command: Command,
}

/// Where `command` leads. Whatever runs again has forgotten its reason and its error; whatever is
/// refused stays as it was.
pub const fn next(
    standing: Standing,
    flight: Flight,
    command: Command,
) -> Result<Standing, Refusal> {
    use Command::{Cancel, Resume, Retry, Start, Stop};
    use Standing::{Canceled, Completed, Created, Failed, Running, Stopped, Stopping};

    match (standing, command) {
        (Created | Stopped | Failed, Start | Resume) => Ok(Running),
        (Failed, Retry) => Ok(Running),
        (Running, Stop) => match flight {
            Flight::Turn => Ok(Stopping),
            Flight::Idle => Ok(Stopped),
        },
        (Created | Running | Stopping | Stopped | Failed, Cancel) => Ok(Canceled),

        (Running | Stopping | Completed(_) | Canceled, Start | Resume)
        | (Created | Running | Stopping | Stopped | Completed(_) | Canceled, Retry)
        | (Created | Stopping | Stopped | Failed | Completed(_) | Canceled, Stop)
        | (Completed(_) | Canceled, Cancel) => Err(Refusal { status: standing.status(), command }),
    }
}

/// How a worker's step ended.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum End {
    /// With a turn.
    Spoke(Then),
    /// Without asking anyone: a limit was reached.
    Over(Limit),
    /// With a failure after which another try is due.
    WillRetry,
    /// With a failure for good.
    Failed,
    /// With nothing: the worker gave the debate back, or its lease ran out.
    LetGo,
}

/// What the end of a step leaves behind.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Ended {
    /// The step counts, and the debate stands here.
    Kept(Standing),
    /// The debate moved on without it; what the step brought is dropped.
    Dropped,
}

/// Where a debate stands after a step that ended so. Nothing stays in stopping: whatever ends a
/// step, a debate that was to stop has stopped, unless that very turn was its last.
#[must_use]
pub const fn ended(standing: Standing, end: End) -> Ended {
    use Standing::{Canceled, Completed, Created, Failed, Running, Stopped, Stopping};

    match (standing, end) {
        (Running | Stopping, End::Spoke(Then::Complete(limit)) | End::Over(limit)) => {
            Ended::Kept(Completed(limit))
        }
        (Running, End::Spoke(Then::GoOn) | End::WillRetry | End::LetGo) => Ended::Kept(Running),
        (Running, End::Failed) => Ended::Kept(Failed),
        (Stopping, End::Spoke(Then::GoOn) | End::WillRetry | End::Failed | End::LetGo) => {
            Ended::Kept(Stopped)
        }

        (
            Created | Stopped | Failed | Completed(_) | Canceled,
            End::Spoke(_) | End::Over(_) | End::WillRetry | End::Failed | End::LetGo,
        ) => Ended::Dropped,
    }
}
