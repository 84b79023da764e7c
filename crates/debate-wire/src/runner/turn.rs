//! Turns of a run.

use std::borrow::Cow;

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::{Actor, Outcome, Winner};
use crate::render_precise_time;

/// One turn of a run. Turns are numbered and never change.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerTurn)]
pub struct Turn {
    /// UUID of the turn.
    #[schema(format = Uuid)]
    pub id: String,
    /// UUID of the run that contains the turn.
    #[schema(format = Uuid)]
    pub debate_id: String,
    /// Position in the run, starting at 1; positions have no gaps.
    pub seq: u32,
    /// Round of the turn, starting at 1.
    pub round: u32,
    /// Actor that produced the turn.
    pub actor: Actor,
    /// Text of the answer. For a judge: winner, scores and summary.
    pub content: String,
    /// Name of the model as the provider reported it. Null if the provider reported none.
    #[schema(required = true)]
    pub model: Option<String>,
    /// Tokens of the call that produced the turn.
    pub usage: Usage,
    /// Outcome of the turn, and the verdict if the actor is the judge.
    pub metadata: Metadata,
    /// Time at which the turn was saved, UTC, ISO 8601 with microseconds.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub created_at: String,
}

impl From<runner::Turn> for Turn {
    fn from(turn: runner::Turn) -> Self {
        Self {
            id: turn.id.to_string(),
            debate_id: turn.run.to_string(),
            seq: turn.seq.number(),
            round: turn.cursor.round.number(),
            actor: turn.cursor.actor.into(),
            content: turn.content,
            model: turn.model,
            usage: turn.usage.into(),
            metadata: Metadata {
                usage_clipped: turn.usage.clipped,
                ..Metadata::from(turn.metadata)
            },
            created_at: render_precise_time(turn.created_at),
        }
    }
}

/// Tokens of one call, as reported by the provider.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerUsage)]
pub struct Usage {
    /// Number of input tokens. Null if the provider reported none.
    #[schema(required = true)]
    pub prompt_tokens: Option<u32>,
    /// Number of output tokens. Null if the provider reported none.
    #[schema(required = true)]
    pub completion_tokens: Option<u32>,
}

impl From<debate_core::Usage> for Usage {
    fn from(usage: debate_core::Usage) -> Self {
        let debate_core::Usage { prompt_tokens, completion_tokens, clipped: _ } = usage;
        Self { prompt_tokens, completion_tokens }
    }
}

/// Outcome of a turn, and the verdict if the actor is the judge.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Metadata {
    /// Whether the answer is complete.
    pub outcome: Outcome,
    /// Fields of the verdict, on the same level as `outcome`. Absent unless the actor is the judge.
    #[serde(flatten)]
    pub verdict: Option<Verdict>,
    /// Time that the model took to answer, in milliseconds. Absent for turns of earlier releases.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
    /// True if the provider reported more tokens than the call allowed; `usage` then has the
    /// allowed number. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub usage_clipped: bool,
}

const OUTCOME: &str = "Whether the answer is complete.";

const DURATION: &str = "Time that the model took to answer, in milliseconds. Absent for turns of \
                        earlier releases.";

const CLIPPED: &str = "True if the provider reported more tokens than the call allowed; `usage` \
                       then has the allowed number. Absent otherwise.";

fn object_with_description(kind: Type, description: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(kind).description(Some(description))
}

/// The fields of a verdict are optional fields of the metadata: debaters' turns have none.
impl PartialSchema for Metadata {
    fn schema() -> RefOr<Schema> {
        let description = "Outcome of a turn. The fields of the verdict are present if the actor \
                           is the judge, and absent otherwise.";
        let mut outcome = Ref::from_schema_name(Outcome::name());
        OUTCOME.clone_into(&mut outcome.description);
        let metadata = ObjectBuilder::new()
            .description(Some(description))
            .property("outcome", outcome)
            .required("outcome");
        let verdict = match Verdict::schema() {
            RefOr::T(Schema::Object(verdict)) => verdict.properties,
            RefOr::T(_) | RefOr::Ref(_) => return metadata.into(),
        };
        let add = |metadata: ObjectBuilder, (name, member)| metadata.property(name, member);
        verdict
            .into_iter()
            .fold(metadata, add)
            .property("duration_ms", object_with_description(Type::Integer, DURATION))
            .property("usage_clipped", object_with_description(Type::Boolean, CLIPPED))
            .into()
    }
}

impl ToSchema for Metadata {
    fn name() -> Cow<'static, str> {
        Cow::Borrowed("RunnerMetadata")
    }

    fn schemas(schemas: &mut Vec<(String, RefOr<Schema>)>) {
        schemas.push((Outcome::name().into_owned(), Outcome::schema()));
        Verdict::schemas(schemas);
    }
}

impl From<runner::Metadata> for Metadata {
    fn from(metadata: runner::Metadata) -> Self {
        let verdict = metadata.judgement.map(Into::into);
        let duration_ms = metadata.duration_ms;
        Self { outcome: metadata.outcome.into(), verdict, duration_ms, usage_clipped: false }
    }
}

/// Verdict of the judge.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerVerdict)]
pub struct Verdict {
    /// The judge's explanation of the verdict.
    pub summary: String,
    /// Score of debater A, 0 to 10.
    #[schema(minimum = 0, maximum = 10)]
    pub score_a: u8,
    /// Score of debater B, 0 to 10.
    #[schema(minimum = 0, maximum = 10)]
    pub score_b: u8,
    /// Debater with the better arguments, or `tie`.
    pub winner: Winner,
    /// True if the judge found no new argument in the round. Two such verdicts in a row end the
    /// run.
    pub no_new_substantive_arguments: bool,
    /// False if the judge's answer was not a valid verdict. The scores are then 0 and the winner is
    /// `tie`.
    pub verdict_valid: bool,
}

impl From<runner::Judgement> for Verdict {
    fn from(judgement: runner::Judgement) -> Self {
        let verdict = judgement.verdict();
        Self {
            summary: verdict.summary,
            score_a: verdict.score_a.points(),
            score_b: verdict.score_b.points(),
            winner: verdict.winner.into(),
            no_new_substantive_arguments: verdict.no_new_substantive_arguments,
            verdict_valid: judgement.is_valid(),
        }
    }
}
