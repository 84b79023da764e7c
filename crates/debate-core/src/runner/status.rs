//! The states of a run, and the effects of commands and steps on them.

use std::fmt;

use super::plan::{AfterTurn, RunLimit};

/// The status of a run, as lists and filters name it.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Status {
    /// The run was never started.
    Created,
    /// The run has turns to execute.
    Running,
    /// The run stops after the turn in progress.
    Stopping,
    /// A user stopped the run; it can be resumed.
    Stopped,
    /// A turn failed finally; it can be retried.
    Failed,
    /// A limit was reached. Final.
    Completed,
    /// A user canceled the run. Final.
    Canceled,
}

impl Status {
    /// All statuses, in declaration order.
    pub const ALL: [Self; 7] = [
        Self::Created,
        Self::Running,
        Self::Stopping,
        Self::Stopped,
        Self::Failed,
        Self::Completed,
        Self::Canceled,
    ];

    /// The name in the API and in the stores.
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

    /// The status with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|status| status.name() == name)
    }
}

impl fmt::Display for Status {
    fn fmt(&self, f: &mut fmt::Formatter<'_>) -> fmt::Result {
        f.write_str(self.name())
    }
}

/// The reason why a run stopped.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StopReason {
    /// A limit was reached.
    Limit(RunLimit),
    /// A user stopped the run.
    ManualStop,
    /// A user canceled the run.
    Canceled,
    /// A turn failed finally.
    Error,
}

impl StopReason {
    /// All reasons, in declaration order.
    pub const ALL: [Self; 7] = [
        Self::Limit(RunLimit::Rounds),
        Self::Limit(RunLimit::Runtime),
        Self::Limit(RunLimit::OutputTokens),
        Self::Limit(RunLimit::JudgeEarlyStop),
        Self::ManualStop,
        Self::Canceled,
        Self::Error,
    ];

    /// The name in the API and in the stores.
    #[must_use]
    pub const fn name(self) -> &'static str {
        match self {
            Self::Limit(RunLimit::Rounds) => "max_rounds",
            Self::Limit(RunLimit::Runtime) => "max_runtime_seconds",
            Self::Limit(RunLimit::OutputTokens) => "max_total_output_tokens",
            Self::Limit(RunLimit::JudgeEarlyStop) => "judge_early_stop",
            Self::ManualStop => "manual_stop",
            Self::Canceled => "canceled",
            Self::Error => "error",
        }
    }

    /// The reason with this name.
    #[must_use]
    pub fn from_name(name: &str) -> Option<Self> {
        Self::ALL.into_iter().find(|reason| reason.name() == name)
    }
}

/// A status together with its stop reason. Only valid combinations can be expressed.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum RunState {
    /// The run was never started.
    Created,
    /// The run has turns to execute.
    Running,
    /// The run stops after the turn in progress.
    Stopping,
    /// A user stopped the run.
    Stopped,
    /// A turn failed finally.
    Failed,
    /// This limit was reached.
    Completed(RunLimit),
    /// A user canceled the run.
    Canceled,
}

impl RunState {
    /// The state that is stored as these two; none if they contradict each other.
    #[must_use]
    pub fn from_parts(status: Status, reason: Option<StopReason>) -> Option<Self> {
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

    /// The status without its reason.
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

    /// Whether the run can never continue.
    #[must_use]
    pub const fn is_final(self) -> bool {
        match self {
            Self::Completed(_) | Self::Canceled => true,
            Self::Created | Self::Running | Self::Stopping | Self::Stopped | Self::Failed => false,
        }
    }

    /// The reason why the run stopped, if it did.
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

/// A user's command to a run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum Command {
    /// Start a run that was created.
    Start,
    /// Resume a stopped run.
    Resume,
    /// Repeat the failed turn.
    Retry,
    /// Stop after the turn in progress.
    Stop,
    /// Cancel immediately and finally.
    Cancel,
}

impl Command {
    /// All commands, in declaration order.
    pub const ALL: [Self; 5] = [Self::Start, Self::Resume, Self::Retry, Self::Stop, Self::Cancel];

    /// The name in the API.
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

/// Whether a worker holds the lease of the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum WorkerActivity {
    /// No worker holds it.
    Idle,
    /// A worker executes a step.
    InTurn,
}

/// The run's status does not allow the command.
#[derive(Debug, Clone, Copy, PartialEq, Eq, thiserror::Error)]
#[error("cannot {} a run that is {status}", .command.name())]
pub struct CommandRefusal {
    /// The status of the run.
    pub status: Status,
    /// The command that was refused.
    pub command: Command,
}

/// The state after `command`, or a refusal if the current state does not allow it.
pub const fn next_state(
    standing: RunState,
    flight: WorkerActivity,
    command: Command,
) -> Result<RunState, CommandRefusal> {
    use Command::{Cancel, Resume, Retry, Start, Stop};
    use RunState::{Canceled, Completed, Created, Failed, Running, Stopped, Stopping};

    match (standing, command) {
        (Created | Stopped | Failed, Start | Resume) => Ok(Running),
        (Failed, Retry) => Ok(Running),
        (Running, Stop) => match flight {
            WorkerActivity::InTurn => Ok(Stopping),
            WorkerActivity::Idle => Ok(Stopped),
        },
        (Created | Running | Stopping | Stopped | Failed, Cancel) => Ok(Canceled),

        (Running | Stopping | Completed(_) | Canceled, Start | Resume)
        | (Created | Running | Stopping | Stopped | Completed(_) | Canceled, Retry)
        | (Created | Stopping | Stopped | Failed | Completed(_) | Canceled, Stop)
        | (Completed(_) | Canceled, Cancel) => {
            Err(CommandRefusal { status: standing.status(), command })
        }
    }
}

/// The outcome of a worker's step, without its data.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Hash)]
pub enum StepOutcome {
    /// The step produced a turn.
    Turn(AfterTurn),
    /// A limit was reached before a call.
    LimitReached(RunLimit),
    /// The call failed and will be repeated.
    Retry,
    /// The turn failed finally.
    Failed,
    /// The worker gave the run back, or its lease ended.
    Released,
}

/// The state after a step with this outcome; none if the run does not execute steps, so that the
/// result must be discarded. The end of a step also ends the state `Stopping`: the
/// run is stopped, or completed if that turn was its last.
#[must_use]
pub const fn state_after_step(state: RunState, outcome: StepOutcome) -> Option<RunState> {
    use RunState::{Canceled, Completed, Created, Failed, Running, Stopped, Stopping};

    match (state, outcome) {
        (
            Running | Stopping,
            StepOutcome::Turn(AfterTurn::Complete(limit)) | StepOutcome::LimitReached(limit),
        ) => Some(Completed(limit)),
        (
            Running,
            StepOutcome::Turn(AfterTurn::Continue) | StepOutcome::Retry | StepOutcome::Released,
        ) => Some(Running),
        (Running, StepOutcome::Failed) => Some(Failed),
        (
            Stopping,
            StepOutcome::Turn(AfterTurn::Continue)
            | StepOutcome::Retry
            | StepOutcome::Failed
            | StepOutcome::Released,
        ) => Some(Stopped),

        (
            Created | Stopped | Failed | Completed(_) | Canceled,
            StepOutcome::Turn(_)
            | StepOutcome::LimitReached(_)
            | StepOutcome::Retry
            | StepOutcome::Failed
            | StepOutcome::Released,
        ) => None,
    }
}
