//! Enumerations of the runner and their conversion from the domain types.

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Status of a run:
/// - `created`: not started yet.
/// - `running`: the server executes turns.
/// - `stopping`: stops after the turn in progress.
/// - `stopped`: paused by a command; can be resumed.
/// - `failed`: a turn failed permanently; can be retried.
/// - `completed`: reached a limit; final.
/// - `canceled`: cancelled by a command; final.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerStatus)]
pub enum Status {
    /// Not started yet.
    Created,
    /// The server executes turns.
    Running,
    /// Stops after the turn in progress.
    Stopping,
    /// Paused by a command; can be resumed.
    Stopped,
    /// A turn failed permanently; can be retried.
    Failed,
    /// Reached a limit; final.
    Completed,
    /// Cancelled by a command; final.
    Canceled,
}

impl From<runner::Status> for Status {
    fn from(status: runner::Status) -> Self {
        match status {
            runner::Status::Created => Self::Created,
            runner::Status::Running => Self::Running,
            runner::Status::Stopping => Self::Stopping,
            runner::Status::Stopped => Self::Stopped,
            runner::Status::Failed => Self::Failed,
            runner::Status::Completed => Self::Completed,
            runner::Status::Canceled => Self::Canceled,
        }
    }
}

/// Actor of a turn:
/// - `debater_a`: opens every round.
/// - `debater_b`: answers debater A.
/// - `judge`: scores both debaters.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerActor)]
pub enum Actor {
    /// Opens every round.
    DebaterA,
    /// Answers debater A.
    DebaterB,
    /// Scores both debaters.
    Judge,
}

impl From<runner::Actor> for Actor {
    fn from(actor: runner::Actor) -> Self {
        match actor {
            runner::Actor::DebaterA => Self::DebaterA,
            runner::Actor::DebaterB => Self::DebaterB,
            runner::Actor::Judge => Self::Judge,
        }
    }
}

/// Side of a debater:
/// - `pro`: argues for the topic.
/// - `con`: argues against the topic.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerStance)]
pub enum Stance {
    /// Argues for the topic.
    Pro,
    /// Argues against the topic.
    Con,
}

impl From<runner::DebaterSide> for Stance {
    fn from(stance: runner::DebaterSide) -> Self {
        match stance {
            runner::DebaterSide::Pro => Self::Pro,
            runner::DebaterSide::Con => Self::Con,
        }
    }
}

/// Time at which the judge scores:
/// - `round`: at the end of every round.
/// - `end`: once, after a limit ends the run.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerJudgeMode)]
pub enum JudgeMode {
    /// At the end of every round.
    Round,
    /// Once, after a limit ends the run.
    End,
}

impl From<runner::JudgeMode> for JudgeMode {
    fn from(judge_mode: runner::JudgeMode) -> Self {
        match judge_mode {
            runner::JudgeMode::Round => Self::Round,
            runner::JudgeMode::End => Self::End,
        }
    }
}

/// Outcome of a turn:
/// - `ok`: a complete answer.
/// - `refused`: the model declined to answer.
/// - `truncated`: the answer was cut off at the token limit.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerOutcome)]
pub enum Outcome {
    /// A complete answer.
    Ok,
    /// The model declined to answer.
    Refused,
    /// The answer was cut off at the token limit.
    Truncated,
}

impl From<runner::Outcome> for Outcome {
    fn from(outcome: runner::Outcome) -> Self {
        match outcome {
            runner::Outcome::Ok => Self::Ok,
            runner::Outcome::Refused => Self::Refused,
            runner::Outcome::Truncated => Self::Truncated,
        }
    }
}

/// Winner of a verdict:
/// - `a`: debater A.
/// - `b`: debater B.
/// - `tie`: neither debater.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerWinner)]
pub enum Winner {
    /// Debater A.
    A,
    /// Debater B.
    B,
    /// Neither debater.
    Tie,
}

impl From<runner::Winner> for Winner {
    fn from(winner: runner::Winner) -> Self {
        match winner {
            runner::Winner::A => Self::A,
            runner::Winner::B => Self::B,
            runner::Winner::Tie => Self::Tie,
        }
    }
}

/// Reason why a run ended or paused:
/// - `max_rounds`: all rounds were played.
/// - `max_runtime_seconds`: the time limit was reached.
/// - `max_total_output_tokens`: the token limit was reached.
/// - `judge_early_stop`: two verdicts in a row found no new argument.
/// - `manual_stop`: stopped by a command.
/// - `canceled`: cancelled by a command.
/// - `error`: a turn failed permanently; see `last_error`.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerStopReason)]
pub enum StopReason {
    /// All rounds were played.
    MaxRounds,
    /// The time limit was reached.
    MaxRuntimeSeconds,
    /// The token limit was reached.
    MaxTotalOutputTokens,
    /// Two verdicts in a row found no new argument.
    JudgeEarlyStop,
    /// Stopped by a command.
    ManualStop,
    /// Cancelled by a command.
    Canceled,
    /// A turn failed permanently.
    Error,
}

impl From<runner::StopReason> for StopReason {
    fn from(reason: runner::StopReason) -> Self {
        use runner::RunLimit;
        match reason {
            runner::StopReason::Limit(RunLimit::Rounds) => Self::MaxRounds,
            runner::StopReason::Limit(RunLimit::Runtime) => Self::MaxRuntimeSeconds,
            runner::StopReason::Limit(RunLimit::OutputTokens) => Self::MaxTotalOutputTokens,
            runner::StopReason::Limit(RunLimit::JudgeEarlyStop) => Self::JudgeEarlyStop,
            runner::StopReason::ManualStop => Self::ManualStop,
            runner::StopReason::Canceled => Self::Canceled,
            runner::StopReason::Error => Self::Error,
        }
    }
}

/// Outcome of a call to a provider:
/// - `ok`: the provider answered.
/// - `error`: the call failed with a known cause.
/// - `unknown`: the call is in progress, or the server stopped before the reply.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerCallOutcome)]
pub enum CallOutcome {
    /// The provider answered.
    Ok,
    /// The call failed with a known cause.
    Error,
    /// The call is in progress, or the server stopped before the reply.
    Unknown,
}

impl From<runner::CallStatus> for CallOutcome {
    fn from(called: runner::CallStatus) -> Self {
        match called {
            runner::CallStatus::Ok => Self::Ok,
            runner::CallStatus::Error => Self::Error,
            runner::CallStatus::InFlight | runner::CallStatus::Unknown => Self::Unknown,
        }
    }
}
