//! What was said.

use std::borrow::Cow;

use debate_core::runner;
use serde::{Deserialize, Serialize};
use utoipa::openapi::schema::{ObjectBuilder, Schema, Type};
use utoipa::openapi::{Ref, RefOr};
use utoipa::{PartialSchema, ToSchema};

use super::{Actor, Outcome, Winner};
use crate::render_precise_time;

/// One turn. It never changes.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerTurn)]
pub struct Turn {
    /// Which one.
    #[schema(format = Uuid)]
    pub id: String,
    /// Where it belongs.
    #[schema(format = Uuid)]
    pub debate_id: String,
    /// Its place among all turns; the first is 1.
    pub seq: u32,
    /// Its round; the first is 1.
    pub round: u32,
    /// Who spoke.
    pub actor: Actor,
    /// What was said.
    pub content: String,
    /// Which model said it, as the provider names it.
    #[schema(required = true)]
    pub model: Option<String>,
    /// What it cost.
    pub usage: Usage,
    /// What else is known.
    pub metadata: Metadata,
    /// When it was kept, UTC.
    #[schema(example = "2026-11-15T20:29:30.123456Z")]
    pub created_at: String,
}

impl From<runner::Turn> for Turn {
    fn from(turn: runner::Turn) -> Self {
        Self {
            id: turn.id.to_string(),
            debate_id: turn.debate.to_string(),
            seq: turn.seq.number(),
            round: turn.place.round.number(),
            actor: turn.place.actor.into(),
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

/// Tokens as the provider counted them; null where it did not tell.
#[derive(Debug, Clone, Copy, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerUsage)]
pub struct Usage {
    /// What it was asked.
    #[schema(required = true)]
    pub prompt_tokens: Option<u32>,
    /// What it answered.
    #[schema(required = true)]
    pub completion_tokens: Option<u32>,
}

impl From<debate_core::Usage> for Usage {
    fn from(usage: debate_core::Usage) -> Self {
        let debate_core::Usage { prompt_tokens, completion_tokens, clipped: _ } = usage;
        Self { prompt_tokens, completion_tokens }
    }
}

/// What is known of a turn beside its words.
#[derive(Debug, Clone, Serialize, Deserialize)]
pub struct Metadata {
    /// Whether it is what was asked for.
    pub outcome: Outcome,
    /// What the judge decided: in a judge's turn only, its fields beside `outcome`.
    #[serde(flatten)]
    pub verdict: Option<Verdict>,
    /// How many milliseconds the model took to answer; absent for turns of earlier releases.
    #[serde(skip_serializing_if = "Option::is_none", default)]
    pub duration_ms: Option<u64>,
    /// True if the provider reported more tokens than the call allowed; `usage` then shows the
    /// allowed counts. Absent otherwise.
    #[serde(skip_serializing_if = "std::ops::Not::not", default)]
    pub usage_clipped: bool,
}

const DURATION: &str =
    "Milliseconds that the model took to answer; absent for turns of earlier releases.";

const CLIPPED: &str = "True if the provider reported more tokens than the call allowed; `usage` \
                       then has the allowed counts. Absent otherwise.";

fn described(kind: Type, description: &str) -> ObjectBuilder {
    ObjectBuilder::new().schema_type(kind).description(Some(description))
}

/// The members of a verdict are optional members of the metadata: debaters' turns have none.
impl PartialSchema for Metadata {
    fn schema() -> RefOr<Schema> {
        let description = "What is known of a turn beside its content. The members of a verdict \
                           are present in a judge's turn only.";
        let metadata = ObjectBuilder::new()
            .description(Some(description))
            .property("outcome", Ref::from_schema_name(Outcome::name()))
            .required("outcome");
        let verdict = match Verdict::schema() {
            RefOr::T(Schema::Object(verdict)) => verdict.properties,
            RefOr::T(_) | RefOr::Ref(_) => return metadata.into(),
        };
        let add = |metadata: ObjectBuilder, (name, member)| metadata.property(name, member);
        verdict
            .into_iter()
            .fold(metadata, add)
            .property("duration_ms", described(Type::Integer, DURATION))
            .property("usage_clipped", described(Type::Boolean, CLIPPED))
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

/// What a judge decided.
#[derive(Debug, Clone, Serialize, Deserialize, ToSchema)]
#[schema(as = RunnerVerdict)]
pub struct Verdict {
    /// Why, in words.
    pub summary: String,
    /// Points for A.
    #[schema(minimum = 0, maximum = 10)]
    pub score_a: u8,
    /// Points for B.
    #[schema(minimum = 0, maximum = 10)]
    pub score_b: u8,
    /// Who argued better.
    pub winner: Winner,
    /// Whether the round brought nothing new.
    pub no_new_substantive_arguments: bool,
    /// Whether the judge gave it; a placeholder stands here if not.
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
