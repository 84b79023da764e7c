//! The few words the contract knows, and what they mean inside.

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

/// Where a debate stands.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerStatus)]
pub enum Status {
    /// Never started.
    Created,
    /// There is work to do.
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

/// Who speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerActor)]
pub enum Actor {
    /// Opens every round.
    DebaterA,
    /// Answers.
    DebaterB,
    /// Rules.
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

/// What a debater argues.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerStance)]
pub enum Stance {
    /// For the topic.
    Pro,
    /// Against it.
    Con,
}

impl From<runner::Stance> for Stance {
    fn from(stance: runner::Stance) -> Self {
        match stance {
            runner::Stance::Pro => Self::Pro,
            runner::Stance::Con => Self::Con,
        }
    }
}

/// When the judge speaks.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerJudgeMode)]
pub enum JudgeMode {
    /// At the end of every round.
    Round,
    /// Once, when a limit ends the debate.
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

/// Whether a turn is what was asked for.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerOutcome)]
pub enum Outcome {
    /// A whole answer.
    Ok,
    /// The model declined.
    Refused,
    /// The answer was cut off.
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

/// Who argued better.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerWinner)]
pub enum Winner {
    /// Debater A.
    A,
    /// Debater B.
    B,
    /// Neither.
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

/// Why a debate does not run any more.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerStopReason)]
pub enum StopReason {
    /// It has had its rounds.
    MaxRounds,
    /// It has had its time.
    MaxRuntimeSeconds,
    /// It has had its tokens.
    MaxTotalOutputTokens,
    /// Two judges in a row saw nothing new.
    JudgeEarlyStop,
    /// Someone stopped it.
    ManualStop,
    /// Someone gave it up.
    Canceled,
    /// A turn failed for good.
    Error,
}

impl From<runner::StopReason> for StopReason {
    fn from(reason: runner::StopReason) -> Self {
        use runner::Limit;
        match reason {
            runner::StopReason::Limit(Limit::Rounds) => Self::MaxRounds,
            runner::StopReason::Limit(Limit::Runtime) => Self::MaxRuntimeSeconds,
            runner::StopReason::Limit(Limit::OutputTokens) => Self::MaxTotalOutputTokens,
            runner::StopReason::Limit(Limit::JudgeEarlyStop) => Self::JudgeEarlyStop,
            runner::StopReason::ManualStop => Self::ManualStop,
            runner::StopReason::Canceled => Self::Canceled,
            runner::StopReason::Error => Self::Error,
        }
    }
}

/// What came of a call to a provider.
#[derive(Debug, Clone, Copy, PartialEq, Eq, Serialize, Deserialize, ToSchema)]
#[serde(rename_all = "snake_case")]
#[schema(as = RunnerCallOutcome)]
pub enum CallOutcome {
    /// An answer.
    Ok,
    /// None, and why is known.
    Error,
    /// Nobody knows: it is on its way, or whoever made it never came back.
    Unknown,
}

impl From<runner::Called> for CallOutcome {
    fn from(called: runner::Called) -> Self {
        match called {
            runner::Called::Ok => Self::Ok,
            runner::Called::Error => Self::Error,
            runner::Called::InFlight | runner::Called::Unknown => Self::Unknown,
        }
    }
}
