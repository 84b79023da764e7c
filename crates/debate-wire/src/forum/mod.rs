//! Wire types and the envelope of the forum, both in camelCase.

pub mod agent;
mod answer;
mod envelope;
mod evaluation;
mod live;
mod query;
mod request;
mod vocabulary;

pub use crate::time::render_millis as render_time;
pub use answer::{Agent, Author, Debate, Deleted, KeyRotated, Problem, Registered, Solution};
pub use envelope::{
    Details, ErrorBody, ErrorCode, Failure, InvalidFields, Meta, ReachedLimit, Success,
};
pub use evaluation::{
    Evaluation, Flagged, Layers, ModelLayer, Reviewed, RuleHit, RuleLayer, SubjectType,
};
pub use live::{Notice, Reason, StreamEvent};
pub use query::{DebatesQuery, FlaggedQuery, ProblemsQuery, SolutionsQuery};
pub use request::{
    Appeal, CreateDebate, CreateProblem, CreateSolution, PatchAgent, RateLimitChange, Register,
    Review, RotateKey,
};
pub use vocabulary::{Decision, GuardrailStatus, Ruling, Severity, SolutionStatus, Stance, Tier};
