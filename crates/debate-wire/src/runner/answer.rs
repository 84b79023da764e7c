//! Responses of the runner. The order of the fields is the order of the JSON keys. A value that
//! does not exist is null and never absent, unless the field says otherwise.

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Actor, Cost, Settings, Status, StopReason, Turn};
use crate::{ErrorBody, render_precise_time, schema};

/// A run: a debate that the server executes with models.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerDebate)]
pub struct Debate {
    /// UUID of the run.
    #[schema(format = Uuid)]
    pub id: String,
    /// The question that the models debate, 1 to 2000 characters.
    pub topic: String,
    /// Current status of the run.
    pub status: Status,
    /// Settings of the run, with the server's defaults filled in.
    pub settings: Settings,
    /// Round of the next turn, starting at 1.
    pub next_round: u32,
    /// Actor of the next turn.
    pub next_actor: Actor,
    /// Reason why the run ended or paused. Null while the status is `created`, `running` or
    /// `stopping`.
    #[schema(required = true)]
    pub stop_reason: Option<StopReason>,
    /// Message of the latest failure. Null if nothing has failed since the last success.
    #[schema(required = true)]
    pub last_error: Option<String>,
    /// Time of creation, UTC, ISO 8601 with microseconds.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub created_at: String,
    /// Time of the latest change, UTC, ISO 8601 with microseconds.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub updated_at: String,
    /// Number of complete rounds: rounds with a judge turn, or with a turn of debater B if
    /// `judge_mode` is `end`.
    pub completed_rounds: u32,
    /// Output tokens of all calls so far, including calls that produced no turn. A call in progress
    /// counts as its `max_tokens` until its outcome is known.
    pub spent_tokens: u64,
    /// Time for which the run has been running, in whole seconds, without pauses.
    pub ran_seconds: u64,
}

impl From<runner::Run> for Debate {
    fn from(run: runner::Run) -> Self {
        Self {
            id: run.id.to_string(),
            topic: run.topic.as_str().to_owned(),
            status: run.state.status().into(),
            settings: run.settings.into(),
            next_round: run.cursor.round.number(),
            next_actor: run.cursor.actor.into(),
            stop_reason: run.state.reason().map(Into::into),
            last_error: run.last_error,
            created_at: render_precise_time(run.created_at),
            updated_at: render_precise_time(run.updated_at),
            completed_rounds: run.completed_rounds,
            spent_tokens: run.spent,
            ran_seconds: run.ran.as_secs(),
        }
    }
}

/// A run in a list, without its settings.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerListedDebate)]
pub struct ListedDebate {
    /// UUID of the run.
    #[schema(format = Uuid)]
    pub id: String,
    /// The question that the models debate, 1 to 2000 characters.
    pub topic: String,
    /// Current status of the run.
    pub status: Status,
    /// Round of the next turn, starting at 1.
    pub next_round: u32,
    /// Actor of the next turn.
    pub next_actor: Actor,
    /// Reason why the run ended or paused. Null while the status is `created`, `running` or
    /// `stopping`.
    #[schema(required = true)]
    pub stop_reason: Option<StopReason>,
    /// Message of the latest failure. Null if nothing has failed since the last success.
    #[schema(required = true)]
    pub last_error: Option<String>,
    /// Time of creation, UTC, ISO 8601 with microseconds.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub created_at: String,
    /// Time of the latest change, UTC, ISO 8601 with microseconds.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub updated_at: String,
    /// Number of complete rounds: rounds with a judge turn, or with a turn of debater B if
    /// `judge_mode` is `end`.
    pub completed_rounds: u32,
}

impl From<runner::Run> for ListedDebate {
    fn from(run: runner::Run) -> Self {
        Self {
            id: run.id.to_string(),
            topic: run.topic.as_str().to_owned(),
            status: run.state.status().into(),
            next_round: run.cursor.round.number(),
            next_actor: run.cursor.actor.into(),
            stop_reason: run.state.reason().map(Into::into),
            last_error: run.last_error,
            created_at: render_precise_time(run.created_at),
            updated_at: render_precise_time(run.updated_at),
            completed_rounds: run.completed_rounds,
        }
    }
}

/// A run with its turns and its cost.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerStory)]
pub struct Story {
    /// The run in its current status.
    pub debate: Debate,
    /// All turns in the order of `seq`.
    pub turns: Vec<Turn>,
    /// Cost of all calls to providers, including calls that produced no turn.
    pub cost: Cost,
}

/// Result of `start`, `resume` and `retry`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerEnqueued)]
pub struct Enqueued {
    /// Whether this request made the run start or continue.
    pub enqueued: bool,
    /// Reason why the run does not start. Absent if `enqueued` is true.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// A failed request to the runner: the envelope of the arena with `detail` added.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerFailure)]
pub struct Failure {
    /// Always false in this kind of response.
    #[schema(schema_with = schema::always_false)]
    pub success: bool,
    /// The error code, its message and the fields that apply to it.
    pub error: ErrorBody,
    /// Same text as `error.message`.
    pub detail: String,
}
