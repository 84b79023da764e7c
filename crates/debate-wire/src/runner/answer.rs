//! What the server answers. Keys come in the order in which they are declared; what there is
//! nothing to say of is null and never left out.

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::ToSchema;

use super::{Actor, Cost, Settings, Status, StopReason, Turn};
use crate::{ErrorBody, render_precise_time, schema};

/// A debate as it stands.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerDebate)]
pub struct Debate {
    /// Which one.
    #[schema(format = Uuid)]
    pub id: String,
    /// What it is about.
    pub topic: String,
    /// Where it stands.
    pub status: Status,
    /// How it is run.
    pub settings: Settings,
    /// The round of the next turn.
    pub next_round: u32,
    /// Whose turn is next.
    pub next_actor: Actor,
    /// Why it does not run any more.
    #[schema(required = true)]
    pub stop_reason: Option<StopReason>,
    /// What went wrong last, until something goes well.
    #[schema(required = true)]
    pub last_error: Option<String>,
    /// When it was made, UTC.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub created_at: String,
    /// When it last changed, UTC.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub updated_at: String,
    /// How many rounds are complete.
    pub completed_rounds: u32,
    /// The tokens of all answers, those that became no turn included. A call counts as all that it
    /// is allowed until its outcome is known.
    pub spent_tokens: u64,
    /// How many seconds it has run; pauses don't count.
    pub ran_seconds: u64,
}

impl From<runner::Run> for Debate {
    fn from(run: runner::Run) -> Self {
        Self {
            id: run.id.to_string(),
            topic: run.topic.as_str().to_owned(),
            status: run.standing.status().into(),
            settings: run.settings.into(),
            next_round: run.cursor.round.number(),
            next_actor: run.cursor.actor.into(),
            stop_reason: run.standing.reason().map(Into::into),
            last_error: run.last_error,
            created_at: render_precise_time(run.created_at),
            updated_at: render_precise_time(run.updated_at),
            completed_rounds: run.completed_rounds,
            spent_tokens: run.spent,
            ran_seconds: run.ran.as_secs(),
        }
    }
}

/// A debate as a list shows it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerListedDebate)]
pub struct ListedDebate {
    /// Which one.
    #[schema(format = Uuid)]
    pub id: String,
    /// What it is about.
    pub topic: String,
    /// Where it stands.
    pub status: Status,
    /// The round of the next turn.
    pub next_round: u32,
    /// Whose turn is next.
    pub next_actor: Actor,
    /// Why it does not run any more.
    #[schema(required = true)]
    pub stop_reason: Option<StopReason>,
    /// What went wrong last, until something goes well.
    #[schema(required = true)]
    pub last_error: Option<String>,
    /// When it was made, UTC.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub created_at: String,
    /// When it last changed, UTC.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub updated_at: String,
    /// How many rounds are complete.
    pub completed_rounds: u32,
}

impl From<runner::Run> for ListedDebate {
    fn from(run: runner::Run) -> Self {
        Self {
            id: run.id.to_string(),
            topic: run.topic.as_str().to_owned(),
            status: run.standing.status().into(),
            next_round: run.cursor.round.number(),
            next_actor: run.cursor.actor.into(),
            stop_reason: run.standing.reason().map(Into::into),
            last_error: run.last_error,
            created_at: render_precise_time(run.created_at),
            updated_at: render_precise_time(run.updated_at),
            completed_rounds: run.completed_rounds,
        }
    }
}

/// A debate, what was said in it, and what it cost.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerStory)]
pub struct Story {
    /// The debate as it stands.
    pub debate: Debate,
    /// What was said, oldest first.
    pub turns: Vec<Turn>,
    /// What all calls to providers cost, whatever came of them.
    pub cost: Cost,
}

/// What became of `start`, `resume` and `retry`.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerEnqueued)]
pub struct Enqueued {
    /// Whether it will run now because of this request.
    pub enqueued: bool,
    /// Why the run does not start; absent if it does.
    #[schema(nullable = false)]
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub reason: Option<String>,
}

/// A failed request: the arena's envelope with `detail` beside it.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerFailure)]
pub struct Failure {
    /// Always false.
    #[schema(schema_with = schema::always_false)]
    pub success: bool,
    /// The reason, and a suggestion where there is one.
    pub error: ErrorBody,
    /// The same as `error.message`.
    pub detail: String,
}
