//! Wire types of the runner. Success bodies have no envelope.

pub mod agent;
mod answer;
mod cost;
mod live;
mod query;
mod request;
mod settings;
mod turn;
mod vocabulary;

pub use answer::{Debate, Enqueued, Failure, ListedDebate, Story};
pub use cost::{Attempt, Cost, ModelCost, Money};
pub use live::{Delta, EventsQuery, Notice, Reason, StatusEvent, StreamEvent};
pub use query::{CommandHeaders, DebatePath, ListQuery};
pub use request::CreateDebate;
pub use settings::{Settings, SettingsDraft};
pub use turn::{Metadata, Turn, Usage, Verdict};
pub use vocabulary::{Actor, CallOutcome, JudgeMode, Outcome, Stance, Status, StopReason, Winner};
